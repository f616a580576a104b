// OpenBLAS, MKL and libxsmm as these measurements call them.
#pragma once

#include <string>
#include <string_view>

#include "benchmarks/cpu_call/cases.hpp"

namespace carat::benchmark {

template <class T>
struct peer {
    using gemm_function = void(int order, int turn_a, int turn_b, int m, int n, int k, T alpha,
                               const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc);
    using batch_function = void(int order, int turn_a, int turn_b, int m, int n, int k, T alpha,
                                const T* a, int lda, int stride_a, const T* b, int ldb,
                                int stride_b, T beta, T* c, int ldc, int stride_c, int count);
    using generated_function = void(const T* a, const T* b, T* c);
    using dispatch_function = generated_function*(int m, int n, int k, const int* lda,
                                                  const int* ldb, const int* ldc, const T* alpha,
                                                  const T* beta, const int* flags,
                                                  const int* prefetch);
    std::string name;
    int threads = 1;
    gemm_function* gemm = nullptr;
    batch_function* batch = nullptr;
    dispatch_function* dispatch = nullptr;
    generated_function* generated = nullptr;  // for the call that was prepared last

    [[nodiscard]] bool takes(bool batches) const {
        return dispatch != nullptr ? batches : batches ? batch != nullptr : gemm != nullptr;
    }
    // Called before calls of this kind; returns false if it has no code for them.
    [[nodiscard]] bool prepare(const call_case& one);
    // Matrix i of an operand lies i * step elements after the first.
    void operator()(const call_case& one, const T* a, int a_step, const T* b, int b_step, T* c,
                    int c_step) const;

  private:
    void loop(const call_case& one, const T* a, std::int64_t a_step, const T* b,
              std::int64_t b_step, T* c, std::int64_t c_step) const;
};

// "openblas", "mkl" or "libxsmm" from CARAT_PEER_PATH or the system; `why` says what is missing if
// there is none.
template <class T>
[[nodiscard]] peer<T> open_peer(std::string_view name, int threads, std::string& why);

}  // namespace carat::benchmark
