// The Hopper engine: tensor cores fed by the bulk copy engine. Preparing a product chooses a kernel
// and takes the memory that packing needs; running it starts at most three kernels.
#include <algorithm>
#include <functional>
#include <iomanip>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "core/turn.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/raster.hpp"
#include "cuda/common/scale.hpp"
#include "cuda/sm90/fused.hpp"
#include "cuda/sm90/group.hpp"
#include "cuda/sm90/kernels.hpp"
#include "cuda/sm90/operand.hpp"
#include "cuda/sm90/table.hpp"
#include "cuda/strict/product.hpp"
#include "cuda/vector/product.hpp"
#include "plan/hopper_plan.hpp"
#include "tuning/tuned.hpp"

namespace carat::cuda::sm90 {

namespace {

output_type output_of(dtype type) {
    if (type == dtype::f16) return output_type::f16;
    if (type == dtype::bf16) return output_type::bf16;
    return type == dtype::i32 ? output_type::i32 : output_type::f32;
}

std::int64_t tiles(std::int64_t extent, int tile) {
    return (extent + tile - 1) / tile;
}

static_assert(plan::band_rows == cuda::raster_rows);

constexpr std::int64_t widths[] = {16, 32, 64, 128, 160, 192, 224, 256};
constexpr std::int64_t heights[] = {64, 128, 192};
constexpr std::int64_t numbers_of_parts[] = {1, 2, 4};
constexpr core::tunable tile_width = {
    "tile",
    0,
    0,
    256,
    "columns of a tile of C: 16, 32, 64, 128, 192, 256, of 16 bits 160, 224; 0: chosen",
    widths};
constexpr core::tunable tile_height = {
    "rows", 0, 0, 256, "rows of a tile of C: 64, 128, of promoted fp8 192, in f32 256; 0: chosen",
    heights};
constexpr core::tunable parts_of_k = {
    "parts", 0, 0, max_split_k, "blocks that share K: 1, 2, 4, 8; 0: chosen", numbers_of_parts};
constexpr std::int64_t no_or_yes[] = {0, 1};
constexpr core::tunable tiles_apart = {
    "apart", 0, 0, 1, "1: each warpgroup has a tile of 128 x 128 to itself", no_or_yes};
constexpr core::tunable sharing_blocks = {
    "sharing",       0, 0, 4, "blocks of narrow tiles that load B together: 1, 2, 4; 0: chosen",
    numbers_of_parts};
constexpr std::int64_t no_and_yes[] = {1, 2};
constexpr core::tunable even_shares = {
    "even",    0, 0, 2, "tiles of the last rounds shared out evenly: 1 no, 2 yes; 0: chosen",
    no_and_yes};
constexpr core::tunable room_for_others = {
    "room", 0, 0, 3,
    "blocks of narrow tiles that a multiprocessor has room for: 1, 2, 3; 0: chosen"};
constexpr core::tunable turned_for_few = {"turned", 0, 0, 1,
                                          "1: turned only where C lies by columns; 0: chosen"};
constexpr core::tunable tunables[] = {tile_height, tile_width,  parts_of_k,      sharing_blocks,
                                      tiles_apart, even_shares, room_for_others, turned_for_few};

constexpr std::string_view promoted_fp8 = "fp8/f32 (14-bit sums of 128)";
constexpr std::string_view straight_fp8 = "fp8/14-bit (fast accumulation)";

operand_shape shape_of_a(const core::problem& p, accumulation sums) {
    return {p.a_type,
            p.m,
            p.k,
            p.a_layout.row_stride,
            p.a_layout.col_stride,
            sums == accumulation::three_tf32,
            size_bytes(p.a_type) == 2 || (p.a_type == dtype::f32 && sums == accumulation::native)};
}

operand_shape shape_of_b(const core::problem& p, accumulation sums) {
    return {p.b_type,
            p.n,
            p.k,
            p.b_layout.col_stride,
            p.b_layout.row_stride,
            sums == accumulation::three_tf32,
            size_bytes(p.b_type) == 2};
}

// Whether the operands reach the kernels contiguous along K. Of two that lie across, 4 bytes an
// element, B is packed.
struct both_along_k {
    bool a;
    bool b;

    both_along_k(const core::problem& p, accumulation sums)
        : a(!comes_across(shape_of_a(p, sums))),
          b(!comes_across(shape_of_a(core::swapped(p), sums))) {
        if (size_bytes(p.a_type) == 4 && !a) b = true;
    }
};

// Halves are multiplied in three products.
std::int64_t products_of(accumulation sums) {
    return sums == accumulation::three_tf32 ? 3 : 1;
}

// A plan, and who chose it.
struct choice {
    plan::hopper_plan plan;
    const char* by;
};

// What `carat tune` found on this GPU to be faster than what the model chooses; null: nothing.
const core::tunable_values* tuned_way(const core::problem& p, std::string_view row) {
    if (tuning::tuned().empty()) return nullptr;
    return tuning::tuned().find(tuning::tuned_case(cuda::describe(device_in_use()).name, row, p),
                              tunables);
}

core::settings settings_for(const core::problem& p, std::string_view row, core::settings asked) {
    if (!asked.tunables.empty()) return asked;
    if (const core::tunable_values* const way = tuned_way(p, row)) asked.tunables = *way;
    return asked;
}

plan::hopper_request request_for(const core::problem& p, accumulation sums,
                                 const core::settings& s) {
    const both_along_k along_k(p, sums);
    const int a_at = lines_begin_at(shape_of_a(p, sums));
    const int b_at = lines_begin_at(shape_of_b(p, sums));
    return {.m = p.m,
            .n = p.n,
            .k = p.k * products_of(sums),
            .operand_bytes = static_cast<int>(size_bytes(p.a_type)),
            .result_bytes = static_cast<int>(size_bytes(p.c_type)),
            .a_along_k = along_k.a,
            .b_along_k = along_k.b,
            .straight = sums == accumulation::native,
            .in_blocks = sums == accumulation::blockwise,
            .a_on_sectors = a_at >= 32,
            .b_on_sectors = b_at >= 32,
            .on_lines = a_at == 128 && b_at == 128,
            .c_by_rows = p.c_layout.row_stride >= p.c_layout.col_stride,
            .multiprocessors = cuda::describe(device_in_use()).multiprocessors,
            .tile_m = std::min(192, static_cast<int>(s.value(tile_height))),
            .tile_n = static_cast<int>(s.value(tile_width)),
            .parts = static_cast<int>(s.value(parts_of_k)),
            .sharing = static_cast<int>(s.value(sharing_blocks)),
            .room = static_cast<int>(s.value(room_for_others)),
            .apart = s.value(tiles_apart) != 0,
            .turns_for_c_only = s.value(turned_for_few) != 0,
            .even = static_cast<plan::evenly>(s.value(even_shares))};
}

choice plan_for(const core::problem& p, accumulation sums, std::string_view row,
                const core::settings& asked) {
    const core::settings s = settings_for(p, row, asked);
    const char* const by = !asked.tunables.empty() ? "as asked for"
                           : s.tunables.empty()    ? "from the model"
                                                   : "from the table of carat tune";
    return {plan::make_hopper_plan(request_for(p, sums, s)), by};
}

const kernel<float>& even_kernel(const core::problem& p, accumulation sums, operand_major a) {
    if (sums == accumulation::blockwise) return fp8_blocks_even_kernel();
    if (is_fp8(p.a_type)) return fp8_even_kernel(p.a_type, p.b_type);
    return sums == accumulation::three_tf32 ? halves_even_kernel() : tf32_even_kernel(a);
}

template <class Factor>
const kernel<Factor>& kernel_for(const core::problem& p, accumulation sums,
                                 const plan::hopper_plan& plan, operand_major a, operand_major b) {
    const int tile_m = plan.tile_m;
    const int tile_n = plan.tile_n;
    if constexpr (std::is_same_v<Factor, std::uint32_t>) {
        return plan.apart ? i8_apart_kernel(plan.even) : i8_kernel(tile_m, tile_n);
    } else {
        if (plan.apart && p.a_type == dtype::f16) return f16_apart_kernel(a, b, plan.even);
        if (plan.apart && p.a_type == dtype::bf16) return bf16_apart_kernel(a, b, plan.even);
        if (plan.apart) return fp8_apart_kernel(p.a_type, p.b_type, plan.even);
        if (plan.even) return even_kernel(p, sums, a);
        if (sums == accumulation::blockwise) return fp8_blocks_kernel(tile_m, tile_n);
        if (p.a_type == dtype::f16) return f16_kernel(tile_m, tile_n, a, b);
        if (p.a_type == dtype::bf16) return bf16_kernel(tile_m, tile_n, a, b);
        if (is_fp8(p.a_type)) return fp8_kernel(tile_m, tile_n, p.a_type, p.b_type, sums);
        return sums == accumulation::three_tf32 ? halves_kernel(tile_m, tile_n)
                                                : tf32_kernel(tile_m, tile_n, a);
    }
}

// Of two blocks on a multiprocessor, of which those of halves have three products each.
constexpr int fewest_stages(accumulation sums) {
    return sums == accumulation::three_tf32 ? 2 : 3;
}

template <class Factor>
Factor factor(double value) {
    if constexpr (std::is_same_v<Factor, std::uint32_t>)
        return static_cast<Factor>(static_cast<std::int64_t>(value));
    else
        return static_cast<Factor>(value);
}

// The copy engine writes whole 16 bytes, and would write them beyond the end of a line.
bool in_whole_16_bytes(dtype type, std::int64_t count, std::int64_t length, std::int64_t stride) {
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return length * bytes % 16 == 0 && (count == 1 || (stride > 0 && stride * bytes % 16 == 0));
}

bool is_aligned(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

bool is_degenerate(const core::problem& p) {
    return p.m == 0 || p.n == 0 || p.k == 0 || p.alpha == 0;
}

epilogue_fusion turned(epilogue_fusion last) {
    last.scale.per_row = !last.scale.per_row;
    last.bias.per_row = !last.bias.per_row;
    return last;
}

// The product whose sums become C.
core::problem multiplied(core::problem p, const epilogue_fusion& last) {
    if (last.is_glu) p.n *= 2;
    return p;
}

grouped turned(const grouped& g) {
    return {core::swapped(g.problem), {g.data.b, g.data.a, g.data.c, g.data.e}};
}

// As operand::map() describes it.
tma_operand tma_operand_of(const operand_shape& of, operand_major along, const void* data) {
    const bool across = along == operand_major::mn;
    const std::int64_t count = across ? of.depth : of.lines;
    const std::int64_t apart = across ? of.along : of.across;
    constexpr std::int64_t least_stride = 16;  // of a single line it is never used
    return {data,
            count == 1 ? least_stride : apart * static_cast<std::int64_t>(size_bytes(of.type)),
            static_cast<int>(across ? of.lines : of.depth), static_cast<int>(count)};
}

template <class Factor>
class product final : public fused_product {
  public:
    product(const core::problem& p, accumulation sums, const choice& chosen,
            const epilogue_fusion& last = {})
        : plan_(chosen.plan),
          chosen_by_(chosen.by),
          sums_(sums),
          last_(plan_.turned ? turned(last) : last),
          problem_(plan_.turned ? core::swapped(p) : p),
          a_(shape_of_a(problem_, sums)),
          b_(shape_of_b(multiplied(problem_, last), sums)) {
        choose();
    }

    void run(const core::operands& given) override {
        if (!is_chosen_) choose();
        core::operands data = given;
        if (plan_.turned) std::swap(data.a, data.b);
        if (!is_aligned(data.a) || !is_aligned(data.b)) pack_the_unaligned(data);
        const cudaStream_t stream = stream_in_use();
        const in_kernel_packing late = pack_operands(data, stream);
        const auto& k = *kernel_;
        arguments<Factor> with = arguments_for(data.c);
        with.stream_k = sums_to_hand_on();
        with.packing = late;
        k.launch(maps_for(data, with), with, grid_, stream);
    }

    bool run_batch(const core::operands& given, const spacing& given_apart,
                   std::int64_t count) override {
        core::operands data = given;
        spacing apart = given_apart;
        if (plan_.turned) {
            std::swap(data.a, data.b);
            std::swap(apart.a, apart.b);
        }
        constexpr std::int64_t most = 65535;
        if (is_wide() || count > most || !can_be_batched(a_, data.a, apart.a) ||
            !can_be_batched(b_, data.b, apart.b))
            return false;
        const auto& k = *kernel_;
        arguments<Factor> with = arguments_for(data.c);
        with.c.batch_stride = apart.c;
        with.c.is_vectorized = with.c.is_vectorized && apart.c % 4 == 0;
        with.batch.one_a = apart.a == 0;
        with.batch.one_b = apart.b == 0;
        tma_descriptors of{};
        of.a = a_.map(data.a, k.block_m, depth_of_box(), {with.batch.one_a ? 1 : count, apart.a});
        of.b = b_.map(data.b, k.block_n / sharing(), depth_of_box() / sharing(),
                      {with.batch.one_b ? 1 : count, apart.b});
        k.launch(of, with, extent_for(count, with), stream_in_use());
        return true;
    }

    bool run_group(std::span<const grouped> given) override {
        // Tiles below each other need not be of one product.
        if (is_wide() || sharing() > 1 || a_.packed() || b_.packed()) return false;
        std::vector<group_entry> all;
        all.reserve(given.size());
        bool in_fours = true;
        for (const grouped& g : given) {
            const grouped own = plan_.turned ? turned(g) : g;
            if (!fits(own)) return false;
            all.push_back(listed_as(own));
            in_fours = in_fours && is_in_fours(own.problem, own.data.c, added_to(own.data));
        }
        // The longest begin first. Most groups have one depth.
        if (!std::ranges::is_sorted(all, std::ranges::greater{}, &group_entry::k_tiles))
            std::ranges::stable_sort(all, std::ranges::greater{}, &group_entry::k_tiles);
        const std::optional<std::int64_t> clusters = number(all);
        if (!clusters) return false;
        start_group(all, *clusters, in_fours);
        return true;
    }

    void finish_with(const epilogue_fusion& last) override {
        last_ = plan_.turned ? turned(last) : last;
    }

    void scale_with(const core::block_scales& scales) override { scales_ = scales; }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }

    [[nodiscard]] core::plan_facts planned() const override {
        std::ostringstream why;
        why << "tiles of " << plan_.tile_m << " x " << plan_.tile_n
            << (plan_.apart ? ", one for each warpgroup" : "")
            << (plan_.turned ? " of the product turned" : "") << ", K in " << plan_.parts
            << (plan_.parts == 1 ? " part" : " parts");
        if (plan_.even) why << ", the last rounds shared out evenly";
        if (late_slices_ > 0)
            why << ", " << late_slices_ << " of " << tiles(problem_.k, slice_depth())
                << " slices of K packed meanwhile";
        if (last_.is_glu) why << ", half of them gates and half their values";
        if (sharing() > 1)
            why << (is_multicast_a() ? ", A" : ", B") << " loaded by " << sharing()
                << " blocks together";
        why << ", " << chosen_by_ << ": predicted " << std::setprecision(3) << 1e6 * plan_.seconds
            << " us\n";
        core::plan_facts told;
        told.why = why.str();
        told.rows = problem_.m;
        told.cols = problem_.n;
        return told;
    }

  private:
    [[nodiscard]] int cluster_ctas() const { return kernel_->cluster_m * kernel_->cluster_n; }
    [[nodiscard]] bool is_multicast_a() const { return kernel_->cluster_n > 1; }
    [[nodiscard]] bool is_wide() const { return cluster_ctas() > 1; }
    [[nodiscard]] int sharing() const { return is_wide() ? cluster_ctas() : plan_.sharing; }

    [[nodiscard]] int columns_of_c() const {  // in a tile
        return last_.is_glu ? kernel_->block_n / 2 : kernel_->block_n;
    }

    // Tiles below or beside each other.
    [[nodiscard]] int share_of_a() const { return is_multicast_a() ? sharing() : 1; }
    [[nodiscard]] int share_of_b() const { return is_multicast_a() ? 1 : sharing(); }
    [[nodiscard]] std::int64_t clusters_down() const {
        return tiles(problem_.m, kernel_->block_m * share_of_b());
    }
    [[nodiscard]] std::int64_t clusters_right() const {
        return tiles(problem_.n, columns_of_c() * share_of_a());
    }

    // So many bytes from one matrix to the next a tensor map can't tell.
    static constexpr std::int64_t too_far_apart_bytes = std::int64_t{1} << 40;

    [[nodiscard]] bool can_be_batched(const operand& x, const void* data,
                                      std::int64_t apart) const {
        const auto bytes = static_cast<std::int64_t>(size_bytes(problem_.a_type));
        return !x.packed() && is_aligned(data) && apart >= 0 && apart * bytes % 16 == 0 &&
               apart < too_far_apart_bytes / bytes;
    }

    // A program multiplies at the same addresses again and again, and the driver takes a tenth of a
    // microsecond and more for each map.
    [[nodiscard]] const tma_descriptors& maps_for(const core::operands& data,
                                                  const arguments<Factor>& with) {
        const auto& k = *kernel_;
        const void* const added = with.epilogue.has_source ? added_to(data.c) : nullptr;
        const places now{&k, a_.place(data.a), b_.place(data.b), data.c, added};
        if (now == mapped_) return maps_;
        mapped_ = {};
        const batch alone = {is_wide() ? 0 : 1, 0};
        maps_.a = a_.map(data.a, k.block_m / share_of_a(), depth_of_box(), alone);
        maps_.b = b_.map(data.b, k.block_n / share_of_b(), depth_of_box() / share_of_b(), alone);
        if (with.c.is_tma) maps_.c = map_of(data.c);
        if (with.c.is_tma && with.epilogue.has_source) maps_.source = map_of(added);
        mapped_ = now;
        return maps_;
    }

    // Of many blocks two share a multiprocessor, though one would have it for itself.
    void share_multiprocessors(launch_shape& grid, arguments<Factor>& with) const {
        const kernel<Factor>& k = *kernel_;
        const int multiprocessors = cuda::describe(device_in_use()).multiprocessors;
        const bool share = std::int64_t{grid.ctas} * grid.batch > multiprocessors;
        const int stages = k.stages_that_fit(plan_.parts, std::max(share ? 2 : 1, plan_.room));
        // Beside clusters that share B some multiprocessors stay empty: place() knows when.
        if (share ? stages < fewest_stages(sums_) : sharing() > 1) return;
        with.pipeline.stages = stages;
        if (share) with.pipeline.pdl_k_tiles = 0;
        grid.shared_bytes = k.shared_bytes(stages, plan_.parts);
    }

    [[nodiscard]] launch_shape extent_for(std::int64_t count, arguments<Factor>& with) const {
        launch_shape grid = grid_;
        grid.batch = static_cast<int>(count);
        share_multiprocessors(grid, with);
        return grid;
    }

    [[nodiscard]] int depth_of_box() const {
        return 128 / static_cast<int>(size_bytes(problem_.a_type));
    }

    void pack_the_unaligned(const core::operands& data) {
        const bool packs_a = !is_aligned(data.a) && !a_.packed();
        const bool packs_b = !is_aligned(data.b) && !b_.packed();
        if (packs_a) a_.require_packing(a_.contiguous());
        if (packs_b) b_.require_packing(b_.contiguous());
        if (packs_a || packs_b) choose();
    }

    // What of it is left to the kernel.
    [[nodiscard]] in_kernel_packing pack_operands(const core::operands& data,
                                                  cudaStream_t stream) const {
        packing all[2];
        std::size_t count = 0;
        in_kernel_packing late{};
        if (a_.packed()) all[count++] = a_.packing_of(data.a);
        if (b_.packed()) all[count++] = b_.packing_of(data.b);
        if (count == 0) return late;
        counters progress;
        if (late_slices_ > 0) {
            const int slices = static_cast<int>(tiles(problem_.k, slice_depth()));
            late.first_slice = slices - late_slices_;
            progress = {static_cast<std::uint32_t*>(progress_.get()), 1 + late_slices_};
            late.progress = progress.first;
            for (std::size_t i = 0; i < count; ++i) {
                const bool across =
                    (i == 0 && a_.packed() ? a_ : b_).contiguous() == operand_major::mn;
                late.operands[i] = late_lines_of(all[i], across);
                late.pieces_of_slice[i] = pieces_of_slice(late.operands[i]);
                late.pieces += late.pieces_of_slice[i] * late_slices_;
                (across ? all[i].from.lines : all[i].from.depth) =
                    std::int64_t{late.first_slice} * slice_depth();
            }
        }
        pack({all, count}, stream, progress);
        return late;
    }

    [[nodiscard]] int slice_depth() const { return slice_k_tiles * depth_of_box(); }

    [[nodiscard]] packed_operand late_lines_of(const packing& p, bool across) const {
        const strided& s = p.from;
        const std::int64_t bytes = s.element_bytes;
        const auto first = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(s.data) % 16);
        return {static_cast<const unsigned char*>(s.data) - first,
                static_cast<unsigned char*>(p.to),
                first,
                first + static_cast<unsigned>(((s.lines - 1) * s.across + s.depth) * bytes),
                static_cast<unsigned>(s.across * bytes),
                static_cast<unsigned>(p.stride * bytes),
                static_cast<int>(packed_depth(s) * bytes),
                static_cast<int>(s.lines),
                slice_depth(),
                across};
    }

    [[nodiscard]] static int pieces_of_slice(const packed_operand& of) {
        return static_cast<int>(of.mn_major ? tiles(of.slice_k, piece_lines) *
                                                  tiles(of.packed_bytes, piece_bytes)
                                            : tiles(of.lines, piece_lines));
    }

    // Whether it has a wide tile's memory to itself until C leaves, wherever C and what is added to
    // it will lie, and places in memory fit into 32 bits.
    [[nodiscard]] bool may_pack_late() const {
        const auto fits = [&](const operand& x) {
            return !x.packed() || x.packed_in_lines(std::numeric_limits<std::int32_t>::max());
        };
        return (a_.packed() || b_.packed()) && is_wide() && !is_multicast_a() &&
               sums_ != accumulation::three_tf32 && fits(a_) && fits(b_) &&
               (problem_.beta == 0 || !strides_fit_boxes());
    }

    // How many of the last slices of K the kernel packs itself. More than so much for each step of
    // the first round takes it longer than packing ahead would: 4001^3 takes 244 us with none of 16
    // slices, 238 with 4 and with 6, and more again with 12 (ADR 0109).
    void pack_late() {
        constexpr std::int64_t bytes_of_step = 3072;
        late_slices_ = 0;
        if (!may_pack_late()) return;
        const std::int64_t slices = tiles(problem_.k, slice_depth());
        const std::int64_t lines = a_.packed_lines() + b_.packed_lines();
        const auto bytes =
            static_cast<std::int64_t>(size_bytes(problem_.a_type)) * problem_.k * lines;
        const std::int64_t while_multiplied =
            bytes_of_step * grid_.ctas * tiles(problem_.k, depth_of_box());
        const double share =
            std::min(0.5, static_cast<double>(while_multiplied) / static_cast<double>(bytes));
        const auto late = static_cast<int>(share * static_cast<double>(slices));
        if (late > 0)
            progress_ = scratch(sizeof(std::uint32_t) * static_cast<std::size_t>(1 + late));
        late_slices_ = late;
    }

    // What fails in between leaves a product that is chosen anew when it runs.
    void choose() {
        is_chosen_ = false;
        choose_kernel();
        is_chosen_ = true;
    }

    void choose_kernel() {
        // No kernel has a tile narrower than the lines of 128 bytes along which its B lies.
        if (plan_.tile_n < depth_of_box() && b_.contiguous() == operand_major::mn)
            b_.require_packing(operand_major::k);
        kernel_ = &kernel_for<Factor>(problem_, sums_, plan_, a_.contiguous(), b_.contiguous());
        const kernel<Factor>& k = *kernel_;
        grid_.cluster = sharing() > 1 ? sharing() : plan_.parts;
        const std::int64_t clusters = clusters_down() * clusters_right();
        stages_ = k.stages_that_fit(plan_.parts, is_wide() ? 1 : plan_.room);
        if (stages_ < fewest_stages(sums_)) stages_ = k.stages_that_fit(plan_.parts, 1);
        grid_.shared_bytes = k.shared_bytes(stages_, plan_.parts);
        facts_ = load_kernel(k.name, k.function, k.threads, grid_.shared_bytes);
        make_room();
        grid_.ctas = grid_.cluster * static_cast<int>(is_wide() ? std::min<std::int64_t>(
                                                                      clusters, resident_clusters())
                                                                : clusters);
        share_out(clusters);
        pack_late();
    }

    // Where there is room for them, blocks of the next kernel are to be there when this one's end,
    // and before the first of these ends: two that find a multiprocessor empty both begin there,
    // and another one has none. Blocks that began together end up to a third of their steps apart.
    [[nodiscard]] int steps_left_for_next() const {
        constexpr std::int64_t fewest = 16;
        const int multiprocessors = cuda::describe(device_in_use()).multiprocessors;
        if (is_wide() || grid_.ctas > multiprocessors * (plan_.room - 1)) return 0;
        const std::int64_t steps = tiles(problem_.k, depth_of_box()) / plan_.parts;
        return static_cast<int>(std::max(fewest, steps / 2));
    }

    // The tiles of the last full round and of the one that isn't.
    void share_out(std::int64_t tiles_of_c) {
        const int clusters = grid_.ctas / grid_.cluster;
        const auto over = static_cast<int>(tiles_of_c % clusters);
        even_tiles_ = plan_.even && over != 0 ? clusters + over : 0;
        if (even_tiles_ == 0) return;
        const auto rows = static_cast<std::size_t>(grid_.ctas * kernel_->block_m);
        flags_ = zeros(rows / 64 * sizeof(std::uint32_t));
        handed_ = scratch(rows * static_cast<std::size_t>(kernel_->block_n) * sizeof(Factor));
    }

    [[nodiscard]] stream_k_workspace sums_to_hand_on() const {
        if (even_tiles_ == 0) return {};
        return {even_tiles_, handed_.get(), static_cast<std::uint32_t*>(flags_.get())};
    }

    // Where shared memory is shared out differently, kernels can't follow each other closely.
    void make_room() const {
        const kernel<Factor>& k = *kernel_;
        CARAT_CUDA_CHECK(cudaFuncSetAttribute(k.function,
                                              cudaFuncAttributePreferredSharedMemoryCarveout,
                                              cudaSharedmemCarveoutMaxShared));
    }

    // Clusters that the GPU holds at once: its groups of multiprocessors are not all of one size.
    [[nodiscard]] int resident_clusters() const {
        const kernel<Factor>& k = *kernel_;
        cudaLaunchConfig_t how{};
        how.gridDim = dim3(static_cast<unsigned>(grid_.cluster));
        how.blockDim = dim3(static_cast<unsigned>(k.threads));
        how.dynamicSmemBytes = static_cast<std::size_t>(grid_.shared_bytes);
        cudaLaunchAttribute in_clusters{};
        in_clusters.id = cudaLaunchAttributeClusterDimension;
        in_clusters.val.clusterDim = {static_cast<unsigned>(grid_.cluster), 1, 1};
        how.attrs = &in_clusters;
        how.numAttrs = 1;
        int clusters = 0;
        CARAT_CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, k.function, &how));
        return std::max(1, clusters);
    }

    // A product of the group as its kernel reads it.
    [[nodiscard]] bool fits(const grouped& own) const {
        const core::problem& p = own.problem;
        return readable_along(shape_of_a(p, sums_)) == a_.contiguous() && is_aligned(own.data.a) &&
               readable_along(shape_of_b(p, sums_)) == b_.contiguous() && is_aligned(own.data.b) &&
               tiles(p.k, depth_of_box()) >= plan_.parts;
    }

    [[nodiscard]] static const void* added_to(const core::operands& data) {
        return data.e != nullptr ? data.e : data.c;
    }

    [[nodiscard]] group_entry listed_as(const grouped& own) const {
        const core::problem& p = own.problem;
        return {tma_operand_of(shape_of_a(p, sums_), a_.contiguous(), own.data.a),
                tma_operand_of(shape_of_b(p, sums_), b_.contiguous(), own.data.b),
                own.data.c,
                added_to(own.data),
                p.c_layout.row_stride,
                p.c_layout.col_stride,
                static_cast<int>(p.m),
                static_cast<int>(p.n),
                static_cast<int>(tiles(p.k, depth_of_box())),
                0};
    }

    // Gives each its first cluster; nothing where there are too many.
    [[nodiscard]] std::optional<std::int64_t> number(std::vector<group_entry>& all) const {
        std::int64_t clusters = 0;
        for (group_entry& x : all) {
            x.first_cluster = static_cast<int>(clusters);
            clusters += tiles(x.m, kernel_->block_m) * tiles(x.n, kernel_->block_n);
            if (clusters * plan_.parts > std::numeric_limits<int>::max()) return std::nullopt;
        }
        return clusters;
    }

    void start_group(const std::vector<group_entry>& all, std::int64_t clusters, bool in_fours) {
        const auto& k = *kernel_;
        const cudaStream_t stream = stream_in_use();
        void* const memory = call_scope::innermost()->lend(this, group_table_bytes(all.size()));
        const batch alone = {1, 0};
        const group_header head{a_.map(all.front().a.data, k.block_m, depth_of_box(), alone),
                                b_.map(all.front().b.data, k.block_n, depth_of_box(), alone),
                                k.block_m, k.block_n};
        arguments<Factor> with = arguments_for(all.front().c);
        with.c.is_vectorized = in_fours;
        with.group = write_group_table(memory, head, all, stream);
        launch_shape grid = grid_;
        grid.ctas = static_cast<int>(clusters * plan_.parts);
        share_multiprocessors(grid, with);
        k.launch({}, with, grid, stream);
    }

    // A kernel whose A goes through registers, and which has nothing to add.
    [[nodiscard]] bool writes_columns() const {
        const core::problem& p = problem_;
        return size_bytes(p.a_type) == 4 && a_.contiguous() == operand_major::mn && p.beta == 0 &&
               last_.is_identity() && p.c_layout.row_stride < p.c_layout.col_stride;
    }

    static bool in_units_of(std::size_t bytes, const void* x, const void* y) {
        return (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) %
                   bytes ==
               0;
    }

    static bool is_in_fours(const core::problem& p, const void* c, const void* added) {
        const auto [step, next] = std::minmax(p.c_layout.row_stride, p.c_layout.col_stride);
        return step == 1 && next % 4 == 0 && in_units_of(4 * size_bytes(p.c_type), c, added);
    }

    // What beta multiplies.
    [[nodiscard]] const void* added_to(const void* c) const {
        return last_.residual != nullptr ? last_.residual : c;
    }

    [[nodiscard]] CUtensorMap map_of(const void* c) const {
        const core::problem& p = problem_;
        if (writes_columns()) return describe({c, p.c_type, p.m, p.n, p.c_layout.col_stride, 32});
        return describe({c, p.c_type, p.n, p.m, p.c_layout.row_stride, kernel_->store_rows});
    }

    // Whether the copy engine can write a C of these strides, and read what is added to it.
    [[nodiscard]] bool strides_fit_boxes() const {
        const core::problem& p = problem_;
        const core::layout& at = p.c_layout;
        const auto bytes = static_cast<std::int64_t>(size_bytes(p.c_type));
        const auto in_lines = [&](std::int64_t count, std::int64_t length, std::int64_t stride) {
            return in_whole_16_bytes(p.c_type, count, length, stride);
        };
        const bool whole_boxes = kernel_->block_n * bytes % 128 == 0;  // see first_of_box()
        return (whole_boxes || p.beta == 0) &&
               (writes_columns() ? at.row_stride == 1 && in_lines(p.n, p.m, at.col_stride)
                                 : at.col_stride == 1 && in_lines(p.m, p.n, at.row_stride));
    }

    [[nodiscard]] output_tensor target_at(void* c) const {
        const core::problem& p = problem_;
        const core::layout& at = p.c_layout;
        const bool in_boxes =
            is_wide() && is_aligned(c) && is_aligned(added_to(c)) && strides_fit_boxes();
        return {c,
                at.row_stride,
                at.col_stride,
                output_of(p.c_type),
                in_boxes,
                at.row_stride >= at.col_stride,
                is_in_fours(p, c, added_to(c)),
                0};
    }

    [[nodiscard]] arguments<Factor> arguments_for(void* c) const {
        const core::problem& p = problem_;
        return {.c = target_at(c),
                .problem = {static_cast<int>(p.m), static_cast<int>(p.n),
                            static_cast<int>(tiles(p.k, depth_of_box()))},
                .grid = {static_cast<int>(clusters_down()), static_cast<int>(clusters_right())},
                .pipeline = {stages_, steps_left_for_next(), sharing()},
                .epilogue = {.alpha = factor<Factor>(p.alpha),
                             .beta = factor<Factor>(p.beta),
                             .fusion = last_,
                             .is_fused = !last_.is_identity(),
                             .has_source = p.beta != 0},
                .scales = scales_,
                .batch = {.one_a = false, .one_b = false},
                .group = {},
                .stream_k = {},
                .packing = {}};
    }

    // What maps depend on beside the problem.
    struct places {
        const kernel<Factor>* of = nullptr;
        const void* a = nullptr;
        const void* b = nullptr;
        const void* c = nullptr;
        const void* added = nullptr;

        bool operator==(const places&) const = default;
    };

    plan::hopper_plan plan_;
    const char* chosen_by_;
    accumulation sums_;
    epilogue_fusion last_;
    core::block_scales scales_;
    core::problem problem_;
    operand a_;
    operand b_;
    bool is_chosen_ = false;
    const kernel<Factor>* kernel_ = nullptr;
    core::kernel_facts facts_;
    launch_shape grid_{.ctas = 1, .cluster = 1, .shared_bytes = 0, .batch = 1};
    int stages_ = 0;
    int even_tiles_ = 0;
    int late_slices_ = 0;
    scratch progress_;
    scratch handed_;
    zeros flags_;  // of the sums that are handed on
    places mapped_;
    tma_descriptors maps_{};
};

class scaling final : public fused_product {
  public:
    explicit scaling(const core::problem& p) : problem_(p) {}
    void run(const core::operands& data) override { scale_c(problem_, data.c); }
    void finish_with(const epilogue_fusion&) override {}
    void scale_with(const core::block_scales&) override {}
    bool run_batch(const core::operands&, const spacing&, std::int64_t) override { return false; }
    bool run_group(std::span<const grouped>) override { return false; }

  private:
    core::problem problem_;
};

accumulation sums_for(const core::problem& p) {
    return is_fp8(p.a_type) ? accumulation::promoted : accumulation::native;
}

std::unique_ptr<core::runnable> prepare_as(const core::problem& p, accumulation sums,
                                           std::string_view row, const core::settings& s) {
    if (is_degenerate(p)) return std::make_unique<scaling>(p);
    const choice chosen = plan_for(p, sums, row, s);
    if (p.a_type == dtype::i8) return std::make_unique<product<std::uint32_t>>(p, sums, chosen);
    return std::make_unique<product<float>>(p, sums, chosen);
}

constexpr std::string_view native_row = "cuda.engine";
constexpr std::string_view tf32_row = "cuda.engine.tf32";
constexpr std::string_view halves_row = "cuda.engine.3xtf32";
constexpr std::string_view fast_fp8_row = "cuda.engine.fp8_fast";
constexpr std::string_view blocks_row = "cuda.engine.fp8_blocks";

std::unique_ptr<core::runnable> prepare_tf32(const core::problem& p, const core::settings& s) {
    return prepare_as(p, accumulation::native, tf32_row, s);
}
std::unique_ptr<core::runnable> prepare_fast_fp8(const core::problem& p, const core::settings& s) {
    return prepare_as(p, accumulation::native, fast_fp8_row, s);
}
std::unique_ptr<core::runnable> prepare_of_halves(const core::problem& p, const core::settings& s) {
    return prepare_as(p, accumulation::three_tf32, halves_row, s);
}

std::unique_ptr<fused_product> prepare_finished(const core::problem& p, accumulation sums,
                                                std::string_view row, const epilogue_fusion& last,
                                                const core::settings& s) {
    if (p.m == 0 || p.n == 0) return std::make_unique<scaling>(p);
    if (is_degenerate(p))
        throw error(error_code::invalid_argument,
                    "alpha is " + std::to_string(p.alpha) + " and K is " + std::to_string(p.k) +
                        ": a fused product needs something to multiply, neither may be 0");
    return std::make_unique<product<float>>(p, sums, plan_for(p, sums, row, s), last);
}

// Every scale is 1, so that this computes what the other rows do; each is read all the same.
class product_of_ones final : public core::runnable {
  public:
    product_of_ones(const core::problem& p, const core::settings& s)
        : product_(prepare_finished(p, accumulation::blockwise, blocks_row, {}, s)) {
        const std::int64_t of_k = tiles(p.k, 128);
        const std::int64_t of_n = tiles(p.n, 128);
        const std::vector<float> ones(static_cast<std::size_t>((p.m + of_n) * of_k), 1.0F);
        core::execution_space& gpu = space(device_in_use());
        scales_ = core::buffer(gpu, ones.size() * sizeof(float));
        gpu.upload(scales_.data(), ones.data(), ones.size() * sizeof(float));
        const auto* const first = static_cast<const float*>(scales_.data());
        product_->scale_with({first, static_cast<std::int32_t>(of_k), 1, first + p.m * of_k, 1,
                              static_cast<std::int32_t>(of_n)});
    }

    void run(const core::operands& data) override { product_->run(data); }
    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override {
        return product_->kernels();
    }
    [[nodiscard]] core::plan_facts planned() const override { return product_->planned(); }

  private:
    std::unique_ptr<fused_product> product_;
    core::buffer scales_;
};

std::unique_ptr<core::runnable> prepare_of_ones(const core::problem& p, const core::settings& s) {
    if (is_degenerate(p)) return std::make_unique<scaling>(p);
    return std::make_unique<product_of_ones>(p, s);
}

// Those of f32 and f64 in their own arithmetic.
std::unique_ptr<core::runnable> prepare_native(const core::problem& p,
                                               const core::settings& asked) {
    const core::settings s = settings_for(p, native_row, asked);
    if (!is_degenerate(p) && vector::takes(p) && s.tunables.empty()) return vector::prepare(p);
    if (is_degenerate(p) || size_bytes(p.a_type) < 4)
        return prepare_as(p, sums_for(p), native_row, asked);
    return strict::prepare(p, {.tile_m = static_cast<int>(s.value(tile_height)),
                               .tile_n = static_cast<int>(s.value(tile_width)),
                               .parts = static_cast<int>(s.value(parts_of_k))});
}

std::string unsupported(const core::problem& p, const core::settings&) {
    const int own = cuda::describe(device_in_use()).compute_capability;
    if (own != 90)
        return "it is made of instructions that only compute capability 9.0 has, and this GPU "
               "has " +
               std::to_string(own) + ": take another implementation";
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 512;
    if (std::max({p.m, p.n, p.k}) > most || tiles(p.m, 128) * tiles(p.n, 128) > most)
        return "sizes beyond 2^31 are not for this engine: take another implementation";
    return core::reason_against_factors(p);
}

// Halves lie behind each other along K, in places of 32 bits.
std::string unsupported_in_halves(const core::problem& p, const core::settings& s) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    if (p.k > most)
        return "K is " + std::to_string(p.k) +
               " and numbers in halves reach to 2^30: take another "
               "implementation";
    return unsupported(p, s);
}

constexpr core::signature native_types[] = {
    {dtype::f16, dtype::f16, dtype::f32, "f32"},
    {dtype::f16, dtype::f16, dtype::f16, "f32, rounded once"},
    {dtype::bf16, dtype::bf16, dtype::f32, "f32"},
    {dtype::bf16, dtype::bf16, dtype::bf16, "f32, rounded once"},
    {dtype::i8, dtype::i8, dtype::i32, "i32"},
    {dtype::e4m3, dtype::e4m3, dtype::f32, promoted_fp8},
    {dtype::e4m3, dtype::e4m3, dtype::bf16, promoted_fp8},
    {dtype::e5m2, dtype::e4m3, dtype::f32, promoted_fp8},
    {dtype::e5m2, dtype::e4m3, dtype::bf16, promoted_fp8},
    {dtype::f32, dtype::f32, dtype::f32, "f32"},
    {dtype::f64, dtype::f64, dtype::f64, "f64"}};
constexpr core::signature tf32_types[] = {{dtype::f32, dtype::f32, dtype::f32, "tf32"}};
constexpr core::signature halves_types[] = {{dtype::f32, dtype::f32, dtype::f32, "3xtf32"}};
constexpr core::signature blocks_types[] = {{dtype::e4m3, dtype::e4m3, dtype::f32, promoted_fp8},
                                            {dtype::e4m3, dtype::e4m3, dtype::bf16, promoted_fp8}};
constexpr core::signature fast_fp8_types[] = {
    {dtype::e4m3, dtype::e4m3, dtype::f32, straight_fp8},
    {dtype::e4m3, dtype::e4m3, dtype::bf16, straight_fp8},
    {dtype::e5m2, dtype::e4m3, dtype::f32, straight_fp8},
    {dtype::e5m2, dtype::e4m3, dtype::bf16, straight_fp8}};

using preparing = std::unique_ptr<core::runnable>(const core::problem&, const core::settings&);

constexpr core::implementation row(std::string_view name, std::string_view summary,
                                   std::span<const core::signature> types, preparing* prepare,
                                   decltype(core::implementation::unsupported) why = unsupported) {
    return {.name = name,
            .summary = summary,
            .where = core::device::cuda,
            .signatures = types,
            .tunables = tunables,
            .unavailable = unavailable_in_use,
            .unsupported = why,
            .prepare = prepare};
}

constexpr core::implementation native =
    row(native_row, "carat's Hopper kernels, the one that suits the problem", native_types,
        prepare_native);
constexpr core::implementation in_tf32 =
    row(tf32_row, "carat's Hopper kernels on f32 data, rounded to tf32", tf32_types, prepare_tf32);
constexpr core::implementation of_halves =
    row(halves_row, "carat's Hopper kernels on f32 data, each number as two of tf32", halves_types,
        prepare_of_halves, unsupported_in_halves);
constexpr core::implementation in_blocks =
    row(blocks_row, "carat's Hopper kernels, fp8 with a scale for each block (all 1)", blocks_types,
        prepare_of_ones);
constexpr core::implementation fast_fp8 =
    row(fast_fp8_row, "carat's Hopper kernels, fp8 summed in 14 bits", fast_fp8_types,
        prepare_fast_fp8);

}  // namespace

std::unique_ptr<fused_product> prepare_fused(const core::problem& p, const epilogue_fusion& last,
                                             const core::settings& s) {
    if (const std::string why = reason_against(native, p, s); !why.empty())
        throw error(error_code::unsupported, why);
    if (size_bytes(p.a_type) > 2 || p.c_type == dtype::i32)
        throw error(error_code::unsupported, "a finish is for f16, bf16 and fp8, not for " +
                                                 std::string(name(p.a_type)) +
                                                 ": take a kernel of your own after the product");
    return prepare_finished(p, sums_for(p), native_row, last, s);
}

bool takes_gates(const core::problem& p, const core::operands& data) {
    return p.c_layout.col_stride == 1 &&
           in_whole_16_bytes(p.c_type, p.m, p.n, p.c_layout.row_stride) && is_aligned(data.c) &&
           (data.e == nullptr || is_aligned(data.e));
}

std::unique_ptr<fused_product> prepare_gated(const core::problem& p, const epilogue_fusion& last,
                                             const core::settings& s) {
    const core::problem whole = multiplied(p, last);
    if (is_degenerate(p) || size_bytes(p.a_type) > 2 || p.c_type == dtype::i32 ||
        !reason_against(native, whole, s).empty())
        return nullptr;
    const accumulation sums = sums_for(p);
    const auto chosen = plan::make_gated_plan(request_for(whole, sums, s));
    if (!chosen) return nullptr;
    const char* const by = s.tunables.empty() ? "from the model" : "as asked for";
    return std::make_unique<product<float>>(p, sums, choice{*chosen, by}, last);
}

std::unique_ptr<fused_product> prepare_in_blocks(const core::problem& p,
                                                 const epilogue_fusion& last,
                                                 const core::settings& s) {
    if (const std::string why = reason_against(in_blocks, p, s); !why.empty())
        throw error(error_code::unsupported, why);
    return prepare_finished(p, accumulation::blockwise, blocks_row, last, s);
}

std::optional<lies> lies_for_group(const grouped& it) {
    const core::problem& p = it.problem;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 512;
    if (is_degenerate(p) || std::max({p.m, p.n, p.k}) > most || !is_aligned(it.data.a) ||
        !is_aligned(it.data.b))
        return std::nullopt;
    const accumulation sums = sums_for(p);
    const auto a = readable_along(shape_of_a(p, sums));
    const auto b = readable_along(shape_of_a(core::swapped(p), sums));
    if (!a || !b ||
        (size_bytes(p.a_type) == 4 && *a == operand_major::mn && *b == operand_major::mn))
        return std::nullopt;
    return lies{*a, *b, p.c_layout.row_stride >= p.c_layout.col_stride};
}

plan::group_plan plan_group(std::span<const grouped> all, const lies& how, int parts) {
    const core::problem& p = all.front().problem;
    const accumulation sums = sums_for(p);
    std::vector<plan::product_size> sizes;
    sizes.reserve(all.size());
    for (const grouped& g : all) sizes.push_back({g.problem.m, g.problem.n, g.problem.k});
    plan::hopper_request like;
    like.operand_bytes = static_cast<int>(size_bytes(p.a_type));
    like.result_bytes = static_cast<int>(size_bytes(p.c_type));
    like.a_along_k = how.a == operand_major::k;
    like.b_along_k = how.b == operand_major::k;
    like.a_on_sectors = lines_begin_at(shape_of_a(p, sums)) >= 32;
    like.b_on_sectors = lines_begin_at(shape_of_b(p, sums)) >= 32;
    like.c_by_rows = how.c_by_rows;
    like.multiprocessors = cuda::describe(device_in_use()).multiprocessors;
    like.parts = parts;
    return plan::make_group_plan(like, sizes);
}

std::unique_ptr<fused_product> prepare_group(const core::problem& one, const lies& how,
                                             const epilogue_fusion& last,
                                             const plan::hopper_plan& with) {
    constexpr std::int64_t extent = 1024;  // any that is aligned: sizes come with the products
    const auto along = [](bool rows) {
        return rows ? core::row_major(extent) : core::column_major(extent);
    };
    core::problem any = one;
    any.m = any.n = any.k = extent;
    any.a_layout = along(how.a == operand_major::k);
    any.b_layout = along(how.b == operand_major::mn);
    any.c_layout = along(how.c_by_rows);
    const choice chosen{with, "for a group"};
    if (any.a_type == dtype::i8)
        return std::make_unique<product<std::uint32_t>>(any, sums_for(any), chosen);
    return std::make_unique<product<float>>(any, sums_for(any), chosen, last);
}

core::table table() {
    static constexpr const core::implementation* rows[] = {&native, &in_tf32, &of_halves, &fast_fp8,
                                                           &in_blocks};
    return rows;
}

}  // namespace carat::cuda::sm90
