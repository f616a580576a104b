#include "c_product.hpp"

#include <algorithm>
#include <memory>

namespace carat::fuzz {

namespace {

constexpr std::array call_names = {"carat_matmul", "carat_matmul_strided", "carat_matmul_ragged",
                                   "carat_matmul_ragged_k", "carat_matmul_prepared"};

carat_matrix by_rows(std::vector<double>& memory, std::size_t rows, std::size_t cols) {
    return {memory.data(), rows, cols, static_cast<std::ptrdiff_t>(cols), 1, CARAT_F64};
}

std::size_t at(const carat_matrix& m, std::size_t i, std::size_t j) {
    return i * static_cast<std::size_t>(m.row_stride) + j * static_cast<std::size_t>(m.col_stride);
}

}  // namespace

c_product::c_product(random_numbers& random, std::size_t most, bool empty) {
    constexpr c_call calls[] = {c_call::single, c_call::strided, c_call::ragged, c_call::ragged_k,
                                c_call::prepared};
    what = random.pick(calls);
    std::array<std::size_t, 3> side = {};
    for (std::size_t& s : side) s = 1 + random.below(most);
    const bool many = what != c_call::single && what != c_call::prepared;
    count = many ? 1 + random.below(4) : 1;
    if (empty) (many && random.chance(2) ? count : side[random.below(3)]) = 0;
    const auto [m, n, k] = side;
    const std::size_t apart = std::max<std::size_t>(count, 1);
    memory = {std::vector<double>(apart * m * k + 1), std::vector<double>(apart * k * n + 1),
              std::vector<double>(apart * m * n + 8)};
    for (std::vector<double>& of_one : memory)
        for (double& x : of_one) x = static_cast<double>(random.between(-4, 4));
    of = {by_rows(memory[0], m, k), by_rows(memory[1], k, n), by_rows(memory[2], m, n)};
    for (std::size_t i = 0; i < 3; ++i) told[i] = &of[i];
    strides = {static_cast<std::ptrdiff_t>(m * k), static_cast<std::ptrdiff_t>(k * n),
               static_cast<std::ptrdiff_t>(m * n)};
    if (what == c_call::strided && random.chance(3)) strides[random.below(2)] = 0;
    const std::size_t lines = what == c_call::ragged_k ? k : m;
    for (std::size_t i = 0; i < count; ++i)
        ends.push_back(static_cast<std::int32_t>(random.below(lines + 1)));
    std::ranges::sort(ends);
    told_ends = ends.data();
    constexpr double factors[] = {1, 1, -1, 2, 0};
    options.alpha = random.pick(factors);
    options.beta = random.chance(2) ? 0 : random.pick(factors);
    options.threads = static_cast<int>(random.below(4));
    for (std::size_t j = 0; j < n; ++j) bias.push_back(static_cast<double>(random.between(-4, 4)));
    options.step_count = random.chance(2) ? 0 : 1 + random.below(3);
    for (carat_step& step : steps)
        step = random.chance(2) ? carat_step{CARAT_BIAS, CARAT_BY_COLUMN, bias.data(), n, 1}
                                : carat_step{random.chance(2) ? CARAT_RELU : CARAT_SCALE_ALL,
                                             CARAT_BY_ROW, nullptr, 0, 2};
    options.steps = steps.data();
    told_options = &options;
    before = memory[2];
}

carat_status c_product::call() const {
    const auto [a, b, c] = told;
    switch (what) {
        case c_call::single:
            return carat_matmul(told_options, a, b, c);
        case c_call::strided:
            return carat_matmul_strided(told_options, a, strides[0], b, strides[1], c, strides[2],
                                        count);
        case c_call::ragged:
            return carat_matmul_ragged(told_options, a, b, strides[1], c, told_ends, count);
        case c_call::ragged_k:
            return carat_matmul_ragged_k(told_options, a, b, c, strides[2], told_ends, count);
        case c_call::prepared: {
            carat_prepared* packed = nullptr;
            if (const carat_status status = carat_prepare(b, &packed); status != CARAT_OK)
                return status;
            const std::unique_ptr<carat_prepared, void (*)(carat_prepared*)> kept(
                packed, carat_prepared_free);
            return carat_matmul_prepared(told_options, a, packed, c);
        }
    }
    return CARAT_OK;
}

// Product i's part of the rows or of K, which are divided.
std::array<std::size_t, 2> c_product::share_of(std::size_t product) const {
    const auto end = [&](std::size_t i) { return static_cast<std::size_t>(ends[i]); };
    return {product == 0 ? 0 : end(product - 1), end(product)};
}

void c_product::multiply(std::vector<double>& to, std::size_t product) const {
    std::array<std::size_t, 2> rows = {0, of[2].rows};
    std::array<std::size_t, 2> depth = {0, of[0].cols};
    if (what == c_call::ragged) rows = share_of(product);
    if (what == c_call::ragged_k) depth = share_of(product);
    const auto first = [&](std::size_t i, bool moves) {
        return moves ? product * static_cast<std::size_t>(strides[i]) : 0;
    };
    const bool strided = what == c_call::strided;
    const std::size_t a = first(0, strided);
    const std::size_t b = first(1, strided || what == c_call::ragged);
    const std::size_t c = first(2, strided || what == c_call::ragged_k);
    for (std::size_t i = rows[0]; i < rows[1]; ++i)
        for (std::size_t j = 0; j < of[2].cols; ++j) {
            double sum = 0;
            for (std::size_t p = depth[0]; p < depth[1]; ++p)
                sum += memory[0][a + at(of[0], i, p)] * memory[1][b + at(of[1], p, j)];
            sum *= options.alpha;
            for (std::size_t s = 0; s < options.step_count; ++s) {
                if (steps[s].kind == CARAT_BIAS) sum += bias[j];
                if (steps[s].kind == CARAT_RELU) sum = std::max(sum, 0.0);
                if (steps[s].kind == CARAT_SCALE_ALL) sum *= steps[s].number;
            }
            double& entry = to[c + at(of[2], i, j)];
            entry = sum + (options.beta == 0 ? 0 : options.beta * entry);
        }
}

std::string c_product::check() const {
    std::vector<double> expected = before;
    for (std::size_t product = 0; product < count; ++product) multiply(expected, product);
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (memory[2][i] != expected[i])
            return "number " + std::to_string(i) + " of C's memory is " +
                   std::to_string(memory[2][i]) + " but must be " + std::to_string(expected[i]);
    return {};
}

std::string c_product::describe() const {
    const auto number = [](std::size_t n) { return std::to_string(n); };
    return std::string(call_names[static_cast<std::size_t>(what)]) + ", " + number(count) + " of " +
           number(of[2].rows) + "x" + number(of[2].cols) + "x" + number(of[0].cols) + ", " +
           number(options.step_count) + " steps, threads " + std::to_string(options.threads);
}

}  // namespace carat::fuzz
