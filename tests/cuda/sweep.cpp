#include "tests/cuda/sweep.hpp"

#include <cstdlib>
#include <limits>
#include <tuple>

#include "core/dtype_traits.hpp"
#include "core/problem.hpp"
#include "cuda/common/device.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace carat::test {

namespace {

constexpr std::size_t canary_bytes = 256;

template <class Function>
decltype(auto) with_type(dtype type, Function&& f) {
    return core::visit(type, [&](auto tag) { return f(typename decltype(tag)::type{}); });
}

// bf16 holds whole numbers to 256 only.
double rounded(dtype type, double value) {
    return with_type(
        type, [&](auto zero) { return static_cast<double>(static_cast<decltype(zero)>(value)); });
}

}  // namespace

double read(dtype type, const void* element) {
    return with_type(type, [&](auto value) {
        std::memcpy(&value, element, sizeof(value));
        return static_cast<double>(value);
    });
}

void write(dtype type, void* element, double value) {
    with_type(type, [&](auto zero) {
        const auto narrow = static_cast<decltype(zero)>(value);
        std::memcpy(element, &narrow, sizeof(narrow));
    });
}

void write_poison(dtype type, void* element) {
    const bool whole = type == dtype::i32 || type == dtype::i8;
    write(type, element, whole ? 113 : std::numeric_limits<double>::quiet_NaN());
}

guarded::guarded(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where,
                 std::int64_t offset)
    : type_(type),
      rows_(rows),
      cols_(cols),
      where_(where),
      first_byte_(canary_bytes + static_cast<std::size_t>(offset) * size_bytes(type)) {
    const auto elements = static_cast<std::size_t>(core::extent_elements(rows, cols, where));
    bytes_.resize(first_byte_ + elements * size_bytes(type) + canary_bytes);
    for (std::size_t at = 0; at + size_bytes(type) <= bytes_.size(); at += size_bytes(type))
        write_poison(type, &bytes_[at]);
}

std::size_t guarded::position(std::int64_t i, std::int64_t j) const {
    const std::int64_t element = i * where_.row_stride + j * where_.col_stride;
    return first_byte_ + static_cast<std::size_t>(element) * size_bytes(type_);
}

void guarded::set(std::int64_t i, std::int64_t j, double value) {
    write(type_, &bytes_[position(i, j)], value);
}

double guarded::get(std::int64_t i, std::int64_t j) const {
    return read(type_, &bytes_[position(i, j)]);
}

void guarded::fill(char operand) {
    for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t j = 0; j < cols_; ++j)
            set(i, j, whole(static_cast<unsigned>(operand), i, j));
}

std::vector<std::byte> guarded::surroundings() const {
    std::vector<std::byte> rest = bytes_;
    for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t j = 0; j < cols_; ++j)
            std::memset(&rest[position(i, j)], 0, size_bytes(type_));
    return rest;
}

void guarded::draw(const workload::distribution& from, workload::operand which) {
    workload::fill(&bytes_[first_byte_], type_, rows_, cols_, where_, from, 7, which, 1);
}

space::execution_space& gpu() {
    return space::cuda::device_space(cuda::device_in_use());
}

device_copy::device_copy(const guarded& of)
    : memory_(gpu(), of.bytes().size()), first_byte_(of.first_byte()) {
    upload(of);
}
void device_copy::upload(const guarded& from) const {
    gpu().upload(memory_.data(), from.bytes().data(), from.bytes().size());
}
void device_copy::download(guarded& to) const {
    gpu().download(to.bytes().data(), memory_.data(), to.bytes().size());
}

void run_on_device(const rows::implementation& entry, const core::problem& p,
                   const core::settings& s, operand_set& data) {
    const device_copy a(data.a), b(data.b), c(data.c);
    entry.prepare(p, s)->run({a.get(), b.get(), c.get()});
    a.download(data.a), b.download(data.b), c.download(data.c);
}

void run_chain_on_device(const rows::implementation& entry, const core::problem& p,
                         const core::settings& s, const operand_set& data, std::int64_t products,
                         guarded& c) {
    const device_copy b(data.b);
    const device_copy both[] = {device_copy(data.a), device_copy(c)};
    const auto product = entry.prepare(p, s);
    for (std::int64_t i = 0; i < products; ++i)
        product->run({both[i % 2].get(), b.get(), both[(i + 1) % 2].get()});
    both[products % 2].download(c);
}

core::problem along_k_problem(const core::signature& types, std::int64_t m, std::int64_t n,
                              std::int64_t k) {
    core::problem p = core::row_major_problem(types.c, m, n, k);
    p.a_type = types.a;
    p.b_type = types.b;
    p.b_layout = core::column_major(k);
    return p;
}

namespace {

struct factors {
    double alpha, beta;
};
constexpr factors all_factors[] = {{1, 0}, {2, -1}, {-1, 1}, {0, 0}, {0, 2}};

// What cuBLASLt supports for fp8, and for i8 on its fast kernels: K-major A and B, sizes and
// leading dimensions in multiples of 16; C row- or column-major.
std::vector<trial> trials_along_k(const core::signature& types) {
    std::vector<trial> all;
    for (const auto& [m, n, k] : {std::tuple{16, 16, 16},
                                  {32, 48, 64},
                                  {64, 64, 128},
                                  {16, 272, 144},
                                  {256, 144, 512},
                                  {128, 128, 1040}})
        for (const int padding : {0, 16})
            for (const bool by_columns : {false, true})
                for (const auto& [alpha, beta] : all_factors) {
                    core::problem p = along_k_problem(types, m, n, k);
                    p.a_layout = core::row_major(k + padding);
                    p.b_layout = core::column_major(k + padding);
                    p.c_layout =
                        by_columns ? core::column_major(m + padding) : core::row_major(n + padding);
                    p.alpha = alpha;
                    p.beta = beta;
                    all.push_back({p, 0});
                }
    return all;
}

}  // namespace

std::vector<trial> trials(const core::signature& types) {
    struct shape {
        std::int64_t m, n, k;
    };
    // Around the tiles of every step, long and thin in each direction, and empty.
    static constexpr shape shapes[] = {
        {1, 1, 1},      {1, 17, 5},     {17, 1, 3},     {8, 8, 4},      {16, 16, 16},
        {15, 17, 16},   {31, 33, 7},    {32, 32, 32},   {33, 31, 65},   {64, 64, 8},
        {65, 63, 17},   {127, 129, 31}, {128, 128, 64}, {130, 126, 33}, {1, 300, 64},
        {300, 1, 64},   {129, 257, 16}, {256, 128, 48}, {2, 2, 400},    {96, 80, 15},
        {0, 4, 4},      {4, 0, 4},      {4, 4, 0},      {64, 64, 9},    {5, 200, 1100},
        {200, 5, 1100}, {130, 70, 1030}};
    const auto layouts = [](std::int64_t rows, std::int64_t cols, int kind) -> core::layout {
        switch (kind) {
            case 0:
                return core::row_major(cols);
            case 1:
                return core::column_major(rows);
            case 2:
                return core::row_major((cols + 31) / 16 * 16);  // padded, aligned
            case 3:
                return core::column_major(rows + 3);
            default:
                return {3 * cols + 2, 3};  // neither direction is contiguous
        }
    };
    std::vector<trial> all;
    int count = 0;
    for (const shape& s : shapes)
        for (int kinds = 0; kinds < 9; ++kinds) {
            // The sweep combines each layout of each operand with each of the others'.
            const int a = kinds % 5;
            const int b = (kinds * 2 + count) % 5;
            const int c = (kinds * 3 + count / 5) % 5;
            const factors f = all_factors[static_cast<std::size_t>(count) % 5];
            all.push_back({{types.a, types.b, types.c, s.m, s.n, s.k, layouts(s.m, s.k, a),
                            layouts(s.k, s.n, b), layouts(s.m, s.n, c), f.alpha, f.beta},
                           kinds == 8 ? 1 : 0});
            ++count;
        }
    if (size_bytes(types.a) == 1)
        for (const trial& t : trials_along_k(types)) all.push_back(t);
    // Every launch takes long under a sanitizer: CARAT_TEST_THIN=7 keeps one trial in seven.
    const char* thin = std::getenv("CARAT_TEST_THIN");
    const auto keep =
        thin == nullptr ? std::size_t{1} : std::size_t{std::strtoul(thin, nullptr, 10)};
    std::vector<trial> kept;
    for (std::size_t i = 0; i < all.size(); i += keep) kept.push_back(all[i]);
    return kept;
}

std::string check(const rows::implementation& entry, const core::settings& s, const trial& t) {
    const core::problem& p = t.p;
    const std::string where =
        describe(p) + " strides " + std::to_string(p.a_layout.row_stride) + "," +
        std::to_string(p.a_layout.col_stride) + " " + std::to_string(p.b_layout.row_stride) + "," +
        std::to_string(p.b_layout.col_stride) + " " + std::to_string(p.c_layout.row_stride) + "," +
        std::to_string(p.c_layout.col_stride) + " alpha " + std::to_string(p.alpha) + " beta " +
        std::to_string(p.beta) + ": ";
    operand_set data(p, t.offset);
    // What must not be read is not a number.
    if (p.alpha != 0) data.a.fill('a');
    if (p.alpha != 0) data.b.fill('b');
    if (p.beta != 0) data.c.fill('c');
    const auto a = data.a.bytes();
    const auto b = data.b.bytes();
    const auto around_c = data.c.surroundings();

    run_on_device(entry, p, s, data);

    if (data.a.bytes() != a || data.b.bytes() != b) return where + "A or B was written";
    if (data.c.surroundings() != around_c) return where + "memory around C was written";
    const sums& product = whole_sums(static_cast<std::size_t>(p.m), static_cast<std::size_t>(p.n),
                                     static_cast<std::size_t>(p.k));
    const std::string text = wrong_among(
        p.m, p.n, [&](auto i, auto j) { return data.c.get(i, j); },
        [&](auto i, auto j) {
            const double c = p.beta == 0 ? 0 : p.beta * whole('c', i, j);
            return rounded(p.c_type, (p.alpha == 0 ? 0 : p.alpha * product(i, j)) + c);
        });
    return text.empty() ? text : where + text;
}

}  // namespace carat::test
