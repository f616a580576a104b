#include <vector>

#include "cuda/common/handles.hpp"
#include "ladder/cuda/turned_product.hpp"

namespace carat::ladder::cuda {

namespace {

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

    // The strides of a matrix whose rows are the columns of this one.
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
          facts_(turn_facts<T>()) {
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

}  // namespace

std::unique_ptr<rows::runnable> prepare_turned(const rows::implementation& then,
                                               const core::problem& p, const core::settings& s) {
    if (size_bytes(p.a_type) == 8) return std::make_unique<turned_runnable<double>>(then, p, s);
    return std::make_unique<turned_runnable<float>>(then, p, s);
}

}  // namespace carat::ladder::cuda
