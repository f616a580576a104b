// OpenBLAS and MKL as these measurements call them: through CBLAS, on one thread.
#pragma once

#include <string>

#include "benchmarks/cpu_call/cases.hpp"

namespace carat::benchmark {

template <class T>
struct peer {
    using gemm_function = void(int order, int turn_a, int turn_b, int m, int n, int k, T alpha,
                               const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc);
    using batch_function = void(int order, int turn_a, int turn_b, int m, int n, int k, T alpha,
                                const T* a, int lda, int stride_a, const T* b, int ldb,
                                int stride_b, T beta, T* c, int ldc, int stride_c, int count);
    std::string name;
    gemm_function* gemm = nullptr;
    batch_function* batch = nullptr;

    // Matrix i of an operand lies i * step elements after the first.
    void operator()(const call_case& one, const T* a, int a_step, const T* b, int b_step, T* c,
                    int c_step) const;
};

// The first of OpenBLAS, or MKL, that CARAT_PEER_PATH or the system has; `why` says what is
// missing where there is none.
template <class T>
[[nodiscard]] peer<T> openblas(std::string& why);
template <class T>
[[nodiscard]] peer<T> mkl(std::string& why);

}  // namespace carat::benchmark
