#include "gpu_worker.hpp"
#include "naive.hpp"

namespace carat::fuzz {

namespace {

struct dense {
    const double* a;
    const double* b;
    unsigned long long m;
    unsigned long long n;
    unsigned long long k;
    double least_a;
    double least_b;
};

__device__ double magnitude_of(double x, double least) {
    return x == 0 || !isfinite(x) ? 0 : fmax(fabs(x), least);
}

__global__ void sum_up(dense of, double* high, double* low, double* magnitude) {
    const unsigned long long at = blockIdx.x * 256ull + threadIdx.x;
    if (at >= of.m * of.n) return;
    const unsigned long long i = at / of.n;
    const unsigned long long j = at % of.n;
    double sum = 0;
    double lost = 0;
    double size = 0;
    for (unsigned long long p = 0; p < of.k; ++p) {
        const double x = of.a[i * of.k + p];
        const double y = of.b[p * of.n + j];
        const double product = __dmul_rn(x, y);
        const double rest = __fma_rn(x, y, -product);
        const double next = __dadd_rn(sum, product);
        const double back = __dsub_rn(next, sum);
        lost += (sum - (next - back)) + (product - back) + rest;
        sum = next;
        size += magnitude_of(x, of.least_a) * magnitude_of(y, of.least_b);
    }
    high[at] = sum;
    low[at] = isfinite(lost) ? lost : 0;  // of an infinite sum nothing is lost
    magnitude[at] = size;
}

}  // namespace

bool load_naive_sums() {
    cudaFuncAttributes unused{};
    return cudaFuncGetAttributes(&unused, sum_up) == cudaSuccess;
}

void naive_sums(const product_size& s, std::span<const double> a, std::span<const double> b,
                const least_sizes& least, product_sums& to) {
    gpu_worker& own = own_worker();
    device_bytes& in_a = own.oracle_a;
    device_bytes& in_b = own.oracle_b;
    device_bytes& out = own.oracle_sums;
    const std::size_t entries = s.m * s.n;
    const cudaStream_t stream = own.of_oracle;
    in_a.upload(a.data(), a.size_bytes(), stream);
    in_b.upload(b.data(), b.size_bytes(), stream);
    auto* const results = reinterpret_cast<double*>(out.reserve(3 * entries * sizeof(double)));
    const dense of = {reinterpret_cast<const double*>(in_a.data()),
                      reinterpret_cast<const double*>(in_b.data()),
                      s.m,
                      s.n,
                      s.k,
                      least.a,
                      least.b};
    sum_up<<<static_cast<unsigned>((entries + 255) / 256), 256, 0, stream>>>(
        of, results, results + entries, results + 2 * entries);
    must(cudaGetLastError(), "the oracle's kernel");
    std::vector<double> all(3 * entries);
    out.download(all.data(), all.size() * sizeof(double), stream);
    for (std::size_t i = 0; i < entries; ++i) {
        to.sum[i] = static_cast<long double>(all[i]) + all[entries + i];
        to.magnitude[i] = all[2 * entries + i];
    }
}

}  // namespace carat::fuzz
