// This file is compiled once for each instruction set: its row of the table of micro-kernels.
#include "cpu/kernels/vector/epilogue.hpp"
#include "cpu/kernels/vector/finish_rows.hpp"
#include "cpu/kernels/vector/micro_kernel.hpp"
#include "cpu/kernels/vector/pack.hpp"
#include "cpu/kernels/vector/products.hpp"
#include "cpu/kernels/vector/skinny.hpp"
#include "cpu/kernels/vector/skinny_tile.hpp"
#include "cpu/kernels/vector/tall.hpp"

namespace carat::cpu_engine::CARAT_ISA {

namespace {

template <class T>
constexpr int rows_of_tile = tile<T>::vectors* vector<T>::lanes;

template <class T, class S>
constexpr packers<T> packers_from() {
    return {&pack<T, S, rows_of_tile<T>, vector<T>::lanes>,
            &pack<T, S, tile<T>::columns, vector<T>::lanes>};
}

template <class T>
constexpr std::array<int, 4> unpacked_columns() {
    static_assert(tile<T>::unpacked_vectors <= 4);
    std::array<int, 4> columns{};
    for (int v = 1; v <= tile<T>::unpacked_vectors; ++v)
        columns[static_cast<std::size_t>(v - 1)] = tile<T>::unpacked_columns(v);
    return columns;
}

template <class T, int... Column>
constexpr std::array<tall_function<T>, plan::most_skinny_columns> tall(
    std::integer_sequence<int, Column...>) {
    return {&tall_tile<T, Column + 1>...};
}

template <class T, int... Column>
constexpr std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> skinny_columns(
    std::integer_sequence<int, Column...>) {
    return {&add_columns<T, Column + 1>...};
}

template <class T, int Columns>
constexpr auto skinny_tile() -> void (*)(const skinny_call<T>&) {
    if constexpr (Columns < least_tile_columns || std::is_integral_v<T>)
        return nullptr;
    else
        return &add_skinny_tiles<T, Columns>;
}

template <class T, int... Column>
constexpr std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> skinny_tiles(
    std::integer_sequence<int, Column...>) {
    return {skinny_tile<T, Column + 1>()...};
}

template <class T, int... Column>
constexpr std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> skinny_rows(
    std::integer_sequence<int, Column...>) {
    return {&add_rows<T, Column + 1>...};
}

template <class T, int... Column>
constexpr std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> panel_columns(
    std::integer_sequence<int, Column...>) {
    return {&add_panel<T, Column + 1>...};
}

template <class T, int... Column>
constexpr std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> panel_by_lanes(
    std::integer_sequence<int, Column...>) {
    return {&add_panel_by_lanes<T, Column + 1>...};
}

template <class T>
constexpr kernel<T> make_kernel(std::string_view name) {
    static_assert(rows_of_tile<T> * sizeof(T) <= largest_mr_bytes);
    static_assert(tile<T>::columns <= plan::most_skinny_columns);
    static_assert(rows_of_tile<T> * tile<T>::columns * sizeof(T) <= largest_tile_bytes);
    return {
        .name = name,
        .mr = rows_of_tile<T>,
        .nr = tile<T>::columns,
        .lanes = vector<T>::lanes,
        .packed = &any_tile<T, packed_operands>,
        .unpacked = &any_tile<T, strided_operands>,
        .find_products = &find_products<T>,
        .unpacked_vectors = tile<T>::unpacked_vectors,
        .unpacked_columns = unpacked_columns<T>(),
        .tall_columns = tall_columns<T>,
        .tall = tall<T>(std::make_integer_sequence<int, tall_columns<T>>()),
        .fused_packing = &any_fused_packing_tile<T>,
        .turn_rows = &turn_rows<T, rows_of_tile<T>, vector<T>::lanes>,
        .finish_rows = find_finish_rows<T>(),
        .skinny_columns =
            skinny_columns<T>(std::make_integer_sequence<int, plan::most_skinny_columns>()),
        .skinny_tiles =
            skinny_tiles<T>(std::make_integer_sequence<int, plan::most_skinny_columns>()),
        .skinny_rows = skinny_rows<T>(std::make_integer_sequence<int, plan::most_skinny_columns>()),
        .panel_columns = panel_columns<T>(std::make_integer_sequence<int, tile<T>::columns>()),
        .panel_by_lanes = panel_by_lanes<T>(std::make_integer_sequence<int, tile<T>::columns>()),
    };
}

// How a kernel that sums in T treats operands of S and a C of S.
template <class T, class... S>
constexpr void take_operands(kernel<T>& made) {
    ((made.pack[dtype_of_v<S>] = packers_from<T, S>()), ...);
}
template <class... S>
constexpr void store_as(kernel<float>& made) {
    ((made.store[dtype_of_v<S>] = &store_sums<float, S>), ...);
}

template <class T>
constexpr kernel<T> make_kernel_with_epilogue(std::string_view name) {
    kernel<T> made = make_kernel<T>(name);
    take_operands<T, T>(made);
    made.store[dtype_of_v<T>] = &store_sums<T, T>;
    made.epilogue = &run_epilogue<T>;
    return made;
}

constexpr kernel<float> make_f32() {
    kernel<float> made = make_kernel_with_epilogue<float>(CARAT_TILE_NAME_F32);
    take_operands<float, f16, bf16>(made);
    store_as<f16, bf16>(made);
    made.store[dtype::i8] = &store_bytes<std::int8_t>;
    made.store[dtype::u8] = &store_bytes<std::uint8_t>;
    return made;
}

constexpr kernel<std::uint32_t> make_i32() {
    kernel<std::uint32_t> made = make_kernel<std::uint32_t>(CARAT_TILE_NAME_I32);
    made.pack[dtype::i32] = packers_from<std::uint32_t, std::uint32_t>();
    take_operands<std::uint32_t, std::int8_t, std::uint8_t>(made);
    return made;
}

}  // namespace

extern const kernel_set kernels;
constinit const kernel_set kernels = {
    .level = core::isa::CARAT_ISA,
    .f64 = make_kernel_with_epilogue<double>(CARAT_TILE_NAME_F64),
    .f32 = make_f32(),
    .i32 = make_i32(),
};

}  // namespace carat::cpu_engine::CARAT_ISA
