#include "benchmarks/gpu_call/groups.hpp"

#include <array>
#include <cublas_v2.h>
#include <string_view>

#include "benchmarks/gpu_call/measuring.hpp"
#include "lab/vendor/common/shared_library.hpp"

namespace carat::benchmark {

namespace {

using batched_function = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                        int, int, const void*, const void* const*, cudaDataType,
                                        int, const void* const*, cudaDataType, int, const void*,
                                        void* const*, cudaDataType, int, int, cublasComputeType_t,
                                        cublasGemmAlgo_t);

using grouped_function = cublasStatus_t(cublasHandle_t, const cublasOperation_t*,
                                        const cublasOperation_t*, const int*, const int*,
                                        const int*, const void*, const void* const*, cudaDataType_t,
                                        const int*, const void* const*, cudaDataType_t, const int*,
                                        const void*, void* const*, cudaDataType_t, const int*, int,
                                        const int*, cublasComputeType_t);

// The cuBLAS function, or null if there is none or an older version.
struct peer {
    decltype(&cublasCreate_v2) create = nullptr;
    decltype(&cublasSetStream_v2) set_stream = nullptr;
    batched_function* batched = nullptr;
    grouped_function* grouped = nullptr;
    cublasHandle_t handle = nullptr;

    peer() {
        static constexpr std::string_view files[] = {"libcublas.so.13", "libcublas.so.12",
                                                     "/usr/local/cuda/lib64/libcublas.so.13",
                                                     "/usr/local/cuda/lib64/libcublas.so.12"};
        const std::string why_not = vendor::open_first(
            {"cuBLAS", files, "install the CUDA toolkit"},
            [&](const vendor::shared_library& found) {
                create = found.required<cublasStatus_t(cublasHandle_t*)>("cublasCreate_v2");
                set_stream = found.required<cublasStatus_t(cublasHandle_t, cudaStream_t)>(
                    "cublasSetStream_v2");
                batched = found.required<batched_function>("cublasGemmBatchedEx");
                grouped = found.function<grouped_function>("cublasGemmGroupedBatchedEx");
            });
        if (!why_not.empty()) {
            std::fprintf(stderr, "%s\n", why_not.c_str());
            return;
        }
        succeed(create(&handle));
        succeed(set_stream(handle, the_stream()));
    }

    static void succeed(cublasStatus_t status) {
        if (status == CUBLAS_STATUS_SUCCESS) return;
        std::fprintf(stderr, "carat_benchmark_gpu_call: cuBLAS status %d\n",
                     static_cast<int>(status));
        std::exit(2);
    }
};

const peer& cublas() {
    static const peer found;
    return found;
}

struct products {
    std::vector<matrix_view<bf16>> a;
    std::vector<matrix_view<bf16>> b;
    std::vector<matrix_view<bf16>> c;
};

void loop(const products& of) {
    for (std::size_t i = 0; i < of.c.size(); ++i)
        matrix_product(there(), of.a[i], of.b[i], of.c[i]);
}

// cuBLAS needs the addresses in the GPU's memory, so a program would have to copy them.
struct addresses {
    const void** a;
    const void** b;
    void** c;

    explicit addresses(const products& of)
        : a(there_of<const void*>(of.a)),
          b(there_of<const void*>(of.b)),
          c(there_of<void*>(of.c)) {}

  private:
    template <class P>
    static P* there_of(const std::vector<matrix_view<bf16>>& views) {
        std::vector<P> here;
        for (const auto& v : views) here.push_back(v.data());
        void* memory = nullptr;  // until the end
        must(cudaMalloc(&memory, here.size() * sizeof(P)));
        must(cudaMemcpy(memory, here.data(), here.size() * sizeof(P), cudaMemcpyHostToDevice));
        return static_cast<P*>(memory);
    }
};

int as_int(std::size_t x) {
    return static_cast<int>(x);
}

// BLAS computes C^T = B^T A^T, as C is row-major.
candidate batched_by_cublas(const products& of, const addresses& at) {
    return {"cublas", [&of, at] {
                const float one = 1;
                const float zero = 0;
                const int m = as_int(of.c[0].rows());
                const int n = as_int(of.c[0].cols());
                const int k = as_int(of.a[0].cols());
                peer::succeed(cublas().batched(cublas().handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                                               &one, at.b, CUDA_R_16BF, n, at.a, CUDA_R_16BF, k,
                                               &zero, at.c, CUDA_R_16BF, n, as_int(of.c.size()),
                                               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
            }};
}

candidate grouped_by_cublas(const products& of, const addresses& at) {
    const std::size_t count = of.c.size();
    std::vector<int> m, n, k;
    for (std::size_t i = 0; i < count; ++i) {
        m.push_back(as_int(of.c[i].rows()));
        n.push_back(as_int(of.c[i].cols()));
        k.push_back(as_int(of.a[i].cols()));
    }
    return {
        "cublas", [at, m, n, k, as_they_lie = std::vector<cublasOperation_t>(count, CUBLAS_OP_N),
                   one = std::vector<float>(count, 1), zero = std::vector<float>(count, 0),
                   size = std::vector<int>(count, 1)] {
            peer::succeed(cublas().grouped(cublas().handle, as_they_lie.data(), as_they_lie.data(),
                                           n.data(), m.data(), k.data(), one.data(), at.b,
                                           CUDA_R_16BF, n.data(), at.a, CUDA_R_16BF, k.data(),
                                           zero.data(), at.c, CUDA_R_16BF, n.data(),
                                           as_int(size.size()), size.data(), CUBLAS_COMPUTE_32F));
        }};
}

// Measures calls by the GPU's clock, and the host's part alone.
void measure_both(const std::string& what, const std::vector<candidate>& candidates) {
    measure(what + ", \"clock\": \"gpu\"", candidates, gpu_seconds, 10);
    measure(what + ", \"clock\": \"host\"", candidates, host_seconds, 3);
}

// Products of one size in an order without a stride.
void measure_pointers(std::size_t m, std::size_t n, std::size_t k, std::size_t count) {
    const auto a = on_gpu<bf16>(count * m, k);
    const auto b = on_gpu<bf16>(count * k, n);
    const auto c = on_gpu<bf16>(count * m, n);
    products all;
    std::vector<bf16*> as, bs, cs;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i * 7 % count;  // no count is a multiple of 7, or one more
        all.a.push_back(a.block(at * m, 0, m, k));
        all.b.push_back(b.block(at * k, 0, k, n));
        all.c.push_back(c.block(at * m, 0, m, n));
        as.push_back(all.a.back().data());
        bs.push_back(all.b.back().data());
        cs.push_back(all.c.back().data());
    }
    std::vector<candidate> candidates = {
        {"loop", [&] { loop(all); }}, {"pointers", [&] {
                                           matrix_products(there(), pointers(as, m, k),
                                                           pointers(bs, k, n), pointers(cs, m, n));
                                       }}};
    if (cublas().batched != nullptr) candidates.push_back(batched_by_cublas(all, addresses(all)));
    measure_both(described("pointers", m, n, k) + ", \"count\": " + std::to_string(count),
                 candidates);
}

void measure_list(const std::string& what, const products& all) {
    std::vector<candidate> candidates = {
        {"loop", [&] { loop(all); }},
        {"group", [&] { matrix_products(there(), listed(all.a), listed(all.b), listed(all.c)); }}};
    if (cublas().grouped != nullptr) candidates.push_back(grouped_by_cublas(all, addresses(all)));
    measure_both(what, candidates);
}

// A mixture of experts with `rows` in all: a few experts with many, most with few.
void measure_experts(std::size_t experts, std::size_t rows, std::size_t n, std::size_t k) {
    const auto x = on_gpu<bf16>(rows, k);
    const auto w = on_gpu<bf16>(experts * k, n);
    const auto y = on_gpu<bf16>(rows, n);
    std::mt19937 random(7);
    std::vector<std::size_t> counts(experts);
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t some = random() % experts;
        ++counts[i % 3 == 0 ? some % (experts / 4) : some];
    }
    products all;
    std::size_t first = 0;
    for (std::size_t i = 0; i < experts; ++i) {
        if (counts[i] > 0) {
            all.a.push_back(x.block(first, 0, counts[i], k));
            all.b.push_back(w.block(i * k, 0, k, n));
            all.c.push_back(y.block(first, 0, counts[i], n));
        }
        first += counts[i];
    }
    measure_list(described("experts", rows, n, k) + ", \"count\": " + std::to_string(experts), all);
}

// Sizes from 16 to 256, all three different.
void measure_ragged(std::size_t count) {
    products all;
    std::mt19937 random(9);
    const auto some = [&] { return 16 + random() % 31 * 8; };
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t m = some();
        const std::size_t n = some();
        const std::size_t k = some();
        all.a.push_back(on_gpu<bf16>(m, k));
        all.b.push_back(on_gpu<bf16>(k, n));
        all.c.push_back(on_gpu<bf16>(m, n));
    }
    measure_list(described("ragged", 256, 256, 256) + ", \"count\": " + std::to_string(count), all);
}

}  // namespace

void measure_groups() {
    for (const auto& [m, n, k, count] : {std::array<std::size_t, 4>{64, 64, 64, 4},
                                         {64, 64, 64, 32},
                                         {64, 64, 64, 128},
                                         {128, 128, 64, 96},
                                         {16, 512, 512, 64},
                                         {256, 256, 256, 32},
                                         {512, 512, 512, 16}})
        measure_pointers(m, n, k, count);
    for (const auto& [experts, rows, n, k] : {std::array<std::size_t, 4>{8, 16, 3584, 4096},
                                              {8, 256, 3584, 4096},
                                              {8, 4096, 3584, 4096},
                                              {64, 64, 1408, 2048},
                                              {64, 1024, 1408, 2048},
                                              {64, 8192, 1408, 2048}})
        measure_experts(experts, rows, n, k);
    measure_ragged(16);
    measure_ragged(128);
}

}  // namespace carat::benchmark
