// The rows of steps 21 and 22: operands that a kernel of step 21 turns before another multiplies
// them.
#include <memory>
#include <vector>

#include "cuda/common/handles.hpp"
#include "ladder/cuda/rows.hpp"
#include "ladder/cuda/step_runnable.hpp"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/unsupported_type.hpp"

namespace carat::ladder::cuda {

namespace {

template <class T>
const void* turn_function() {
    return reinterpret_cast<const void*>(turn_step<T>::kernel());
}

// to(i, j) = from(i, j), on the stream in use.
template <class T>
void turn(matrix<const T> from, matrix<T> to) {
    constexpr int side = turn_step<T>::side;
    const std::int64_t tiles = (to.rows + side - 1) / side * ((to.cols + side - 1) / side);
    void* arguments[] = {&from, &to};
    CARAT_CUDA_CHECK(cudaLaunchKernel(turn_function<T>(), dim3(static_cast<unsigned>(tiles)),
                                      dim3(turn_step<T>::threads), arguments, 0,
                                      carat::cuda::stream_in_use()));
}

// A transposed, or B: K goes down, and what goes across shall lie side by side.
template <class T>
class operand {
  public:
    operand(std::int64_t k, std::int64_t width, core::layout given)
        : given_{nullptr, k, width, given.row_stride, given.col_stride},
          stride_((width + 3) / 4 * 4) {
        if (given.col_stride == 1 || k == 0 || width == 0) return;
        (void)carat::cuda::stream_in_use();
        const std::int64_t elements = core::checked_product(k, stride_, "turned operand");
        memory_ = carat::cuda::allocate(static_cast<std::size_t>(elements) * sizeof(T));
    }

    // Strides of the K x width matrix.
    [[nodiscard]] core::layout layout() const {
        return {memory_ == nullptr ? given_.row_stride : stride_, 1};
    }

    [[nodiscard]] const void* turned(const void* data) {
        if (memory_ == nullptr) return data;
        given_.data = static_cast<const T*>(data);
        const matrix<T> to{static_cast<T*>(memory_.get()), given_.rows, given_.cols, stride_, 1};
        turn(given_, to);
        return memory_.get();
    }

  private:
    matrix<const T> given_;
    std::int64_t stride_;
    carat::cuda::device_memory memory_;
};

template <class T>
class turned_runnable final : public rows::runnable {
  public:
    turned_runnable(const rows::implementation& then, core::problem p, const core::settings& s)
        : a_(p.k, p.m, {p.a_layout.col_stride, p.a_layout.row_stride}),
          b_(p.k, p.n, p.b_layout),
          facts_(carat::cuda::load_kernel("turn", turn_function<T>(), turn_step<T>::threads, 0)) {
        p.a_layout = {1, a_.layout().row_stride};
        p.b_layout = b_.layout();
        product_ = then.prepare(p, s);
    }

    void run(const core::operands& data) override {
        product_->run({a_.turned(data.a), b_.turned(data.b), data.c});
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override {
        std::vector<core::kernel_facts> all = product_->kernels();
        all.insert(all.begin(), facts_);
        return all;
    }

  private:
    operand<T> a_, b_;
    core::kernel_facts facts_;
    std::unique_ptr<rows::runnable> product_;
};

// The product by `then`, from copies of A and B in which the elements of a column of A, and of a
// row of B, lie side by side; an operand that lies so already is not copied.
std::unique_ptr<rows::runnable> prepare_turned(const rows::implementation& then,
                                               const core::problem& p, const core::settings& s) {
    if (size_bytes(p.a_type) == 8) return std::make_unique<turned_runnable<double>>(then, p, s);
    return std::make_unique<turned_runnable<float>>(then, p, s);
}

// A row that turns operands for `Then`.
template <const rows::implementation& Then>
constexpr rows::implementation turned_row(std::string_view name, std::string_view summary,
                                          std::span<const core::signature> signatures) {
    return {.name = name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = signatures,
            .unavailable = carat::cuda::unavailable_in_use,
            .unsupported = [](const core::problem& p,
                              const core::settings& s) { return Then.unsupported(p, s); },
            .prepare = [](const core::problem& p,
                          const core::settings& s) { return prepare_turned(Then, p, s); }};
}

constexpr core::signature f32_alone[] = {{dtype::f32, dtype::f32, dtype::f32, "f32"}};

std::string unsupported_wide(const core::problem& p, const core::settings&) {
    if (std::string why = unsupported_type(p.c_type); !why.empty()) return why;
    const auto chosen = wide_step::choose();
    return unsupported_problem(p, blocks_for(p, chosen.tile_m, chosen.tile_n), 70);
}

std::unique_ptr<rows::runnable> prepare_wide(const core::problem& p, const core::settings&) {
    return prepared(wide_step::name, p, wide_step::choose());
}

constexpr rows::implementation wide_product{.name = {},
                                            .summary = {},
                                            .signatures = {},
                                            .unsupported = unsupported_wide,
                                            .prepare = prepare_wide};

}  // namespace

constinit const rows::implementation turned = turned_row<warp_tiled>(
    "cuda.ladder.turned", "A is turned first, so that every copy brings 16 bytes", plain_types);

constinit const rows::implementation wide = turned_row<wide_product>(
    wide_step::name, "16 x 8 sums a thread: fewer loads for a product", f32_alone);

}  // namespace carat::ladder::cuda
