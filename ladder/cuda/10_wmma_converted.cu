// Step 10: f32 or f64 matrices on the f16 tensor cores. A and B are first rounded to f16, in a
// kernel of its own, then step 9 multiplies them.
//
//     A (f32) --round--> A (f16) --+
//                                  +--> C (f32), with f16's precision and f16's range
//     B (f32) --round--> B (f16) --+
//
// The rounding is part of every run, as it would be in a program whose data are f32: the difference
// from step 9's time is what it costs. The row says that it computes in f16, whatever C's type is;
// calling such a figure "double precision" is a known mistake. Values beyond 65504 become infinite.
#include "ladder/cuda/half_product.hpp"
#include "ladder/cuda/step.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int block = 256;  // threads
constexpr std::int64_t most_blocks = 65536;

// to(i, j) = from(i, j), where `to` is row-major.
template <class T>
__global__ void __launch_bounds__(block) to_half_kernel(matrix<const T> from, matrix<__half> to) {
    const std::int64_t step = std::int64_t{gridDim.x} * block;
    for (std::int64_t e = std::int64_t{blockIdx.x} * block + threadIdx.x; e < from.rows * from.cols;
         e += step)
        to(e / from.cols, e % from.cols) = static_cast<__half>(from(e / from.cols, e % from.cols));
}

template <class T>
class converted final : public rows::runnable {
  public:
    explicit converted(const core::problem& p)
        : problem_(p),
          a_(half_matrix(p.m, p.k)),
          b_(half_matrix(p.k, p.n)),
          conversion_(carat::cuda::load_kernel(
              "to_half", reinterpret_cast<const void*>(&to_half_kernel<T>), block, 0)),
          product_(prepare_half_product(half_problem(p))) {}

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
        for (auto& facts : product_->kernels()) all.push_back(facts);
        return all;
    }

  private:
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
        const std::int64_t blocks = (from.rows * from.cols + block - 1) / block;
        if (blocks == 0) return;
        const auto grid = static_cast<unsigned>(std::min(blocks, most_blocks));
        to_half_kernel<T><<<grid, block, 0, carat::cuda::stream_in_use()>>>(
            from, {to, from.rows, from.cols, padded(from.cols), 1});
        CARAT_CUDA_CHECK(cudaGetLastError());
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
