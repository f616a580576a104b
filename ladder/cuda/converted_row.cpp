// The row of step 10: the rounding of A and B, then a product of step 9.
#include <algorithm>
#include <memory>
#include <vector>

#include "cuda/common/handles.hpp"
#include "ladder/cuda/rows.hpp"
#include "ladder/cuda/step_runnable.hpp"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/unsupported_type.hpp"
#include "ladder/cuda/wmma_shared_plan.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr std::int64_t most_blocks = 65536;

template <class T>
class converted final : public rows::runnable {
    using step = to_half_step<T>;

  public:
    explicit converted(const core::problem& p)
        : problem_(p),
          a_(half_matrix(p.m, p.k)),
          b_(half_matrix(p.k, p.n)),
          conversion_(carat::cuda::load_kernel("to_half", function(), step::threads, 0)),
          product_(prepared(wmma_shared_step::name, half_problem(p),
                            wmma_shared_plan_that_fits<__half, T, float>(false))) {}

    void run(const core::operands& data) override {
        round(data);
        multiply(data);
    }

    [[nodiscard]] std::vector<rows::stage> stages() override {
        return {{"convert", [this](const core::operands& data) { round(data); }},
                {"compute", [this](const core::operands& data) { multiply(data); }}};
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override {
        std::vector<core::kernel_facts> all{conversion_};
        for (const auto& facts : product_->kernels()) all.push_back(facts);
        return all;
    }

  private:
    [[nodiscard]] static const void* function() {
        return reinterpret_cast<const void*>(step::kernel());
    }

    void round(const core::operands& data) const {
        const auto p = make_product<T, T, T>(plain(problem_), data);
        convert(p.a, static_cast<__half*>(a_.get()));
        convert(p.b, static_cast<__half*>(b_.get()));
    }

    void multiply(const core::operands& data) const { product_->run({a_.get(), b_.get(), data.c}); }

    // Rows of a multiple of 16 bytes, so that step 9 can copy them in chunks.
    static std::int64_t padded(std::int64_t cols) { return (cols + 7) / 8 * 8; }

    static carat::cuda::device_memory half_matrix(std::int64_t rows, std::int64_t cols) {
        (void)carat::cuda::stream_in_use();
        const std::int64_t elements = core::checked_product(rows, padded(cols), "workspace");
        return carat::cuda::allocate(static_cast<std::size_t>(elements) * sizeof(__half));
    }

    static core::problem half_problem(core::problem p) {
        p.a_type = p.b_type = dtype::f16;
        p.a_layout = core::row_major(padded(p.k));
        p.b_layout = core::row_major(padded(p.n));
        return p;
    }

    // The same A and B, untransposed whatever C's layout is.
    static core::problem plain(core::problem p) {
        p.c_layout = core::row_major(p.n);
        return p;
    }

    static void convert(const matrix<const T>& from, __half* to) {
        const std::int64_t blocks = (from.rows * from.cols + step::threads - 1) / step::threads;
        if (blocks == 0) return;
        const auto grid = static_cast<unsigned>(std::min(blocks, most_blocks));
        matrix<const T> source = from;
        matrix<__half> rounded{to, from.rows, from.cols, padded(from.cols), 1};
        void* arguments[] = {&source, &rounded};
        CARAT_CUDA_CHECK(cudaLaunchKernel(function(), dim3(grid), dim3(step::threads), arguments, 0,
                                          carat::cuda::stream_in_use()));
    }

    core::problem problem_;
    carat::cuda::device_memory a_;
    carat::cuda::device_memory b_;
    core::kernel_facts conversion_;
    std::unique_ptr<rows::runnable> product_;
};

constexpr core::signature types[] = {{dtype::f32, dtype::f32, dtype::f32, "f16"},
                                     {dtype::f64, dtype::f64, dtype::f64, "f16"}};

std::string unsupported(const core::problem& p, const core::settings&) {
    if (std::string why = unsupported_type(p.c_type); !why.empty()) return why;
    return unsupported_problem(p, blocks_for(p, 128, 128), 70);
}

std::unique_ptr<rows::runnable> prepare(const core::problem& p, const core::settings&) {
    if (p.c_type == dtype::f64) return std::make_unique<converted<double>>(p);
    return std::make_unique<converted<float>>(p);
}

}  // namespace

constinit const rows::implementation wmma_converted{
    .name = "cuda.ladder.wmma_converted",
    .summary = "A and B rounded to f16 first, then tensor cores: f16's precision for f32 and f64",
    .where = rows::device::cuda,
    .signatures = types,
    .unavailable = carat::cuda::unavailable_in_use,
    .unsupported = unsupported,
    .prepare = prepare};

}  // namespace carat::ladder::cuda
