#include "lab/verify/product.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/isa.hpp"
#include "lab/verify/verify.hpp"
#include "lab/workload/parallel.hpp"

namespace carat::verify {

namespace {

constexpr std::int64_t block_rows = 64;

struct kernels {
    accumulate_function* twofold;
    accumulate_function* plain;
};

kernels kernels_in_use() {
#if defined(__x86_64__)
    const core::isa level = core::vectors_of(core::isa_in_use());
    if (level == core::isa::avx512) return {avx512::twofold, avx512::plain};
    if (level == core::isa::avx2) return {avx2::twofold, avx2::plain};
#endif
    return {baseline::twofold, baseline::plain};
}

constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

// A block of a matrix with what the kernels read beyond it filled with zeros.
template <std::int64_t Rows, std::int64_t Cols>
struct packed {
    alignas(64) std::array<double, static_cast<std::size_t>(Rows* Cols)> values;

    void pack(const source& from, std::int64_t i, std::int64_t j, std::int64_t rows,
              std::int64_t cols, specials how) {
        if (rows < Rows || cols < Cols) values.fill(0);
        read_block(from, i, j, rows, cols, values.data(), Cols);
        if (how == specials::as_zero)
            for (double& value : values) value = std::isfinite(value) ? value : 0;
    }
};

void add_tile(const source& a, const source& b, specials how, std::int64_t i0, std::int64_t j0,
              sum_matrix& to) {
    const std::int64_t rows = std::min(block_rows, a.rows - i0);
    const std::int64_t cols = std::min(block_cols, b.cols - j0);
    const std::int64_t width = round_up(cols, width_step);
    const kernels known = kernels_in_use();
    accumulate_function* accumulate = to.low.empty() ? known.plain : known.twofold;
    packed<block_rows, block_depth> a_block;
    packed<block_depth, block_cols> b_block;
    for (std::int64_t p = 0; p < a.cols; p += block_depth) {
        const std::int64_t depth = std::min(block_depth, a.cols - p);
        a_block.pack(a, i0, p, rows, depth, how);
        b_block.pack(b, p, j0, depth, cols, how);
        for (std::int64_t i = 0; i < rows; ++i)
            accumulate(a_block.values.data() + i * block_depth, b_block.values.data(),
                       round_up(depth, depth_step), width, to.at(i0 + i, j0));
    }
}

}  // namespace

sum_matrix::sum_matrix(std::int64_t rows_, std::int64_t cols_, bool twofold)
    : rows(rows_),
      cols(cols_),
      stride(round_up(cols_, width_step)),
      high(static_cast<std::size_t>(rows * stride)),
      low(twofold ? high.size() : 0),
      absolute(high.size()) {}

void progress_meter::done(double work) {
    const double sum = done_.fetch_add(work) + work;
    if (!tell_ || std::this_thread::get_id() != maker_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::milliseconds(20)) return;
    told_ = now;
    if (!tell_(std::min(1.0, sum / total_))) stopped_ = true;
}

void progress_meter::throw_if_stopped() const {
    if (stopped_) throw cancelled{};
}

void add_product(const source& a, const source& b, specials how, int threads, sum_matrix& to,
                 progress_meter& meter) {
    const std::int64_t down = (a.rows + block_rows - 1) / block_rows;
    const std::int64_t across = (b.cols + block_cols - 1) / block_cols;
    workload::parallel_for(down * across, threads, [&](std::int64_t tile) {
        if (meter.stopped()) return;
        add_tile(a, b, how, tile / across * block_rows, tile % across * block_cols, to);
        meter.done(madds(a, b) / static_cast<double>(down * across));
    });
}

}  // namespace carat::verify
