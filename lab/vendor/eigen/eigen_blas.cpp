// Eigen's matrix product behind Fortran's sgemm_ and dgemm_, so that one adapter serves it like any
// BLAS. This file is compiled into a shared library of its own, once per level of x86-64.
#include <Eigen/Core>

#define CARAT_EXPORT extern "C" __attribute__((visibility("default")))
#define CARAT_TEXT(x) #x
#define CARAT_TEXT_OF(x) CARAT_TEXT(x)

namespace {

template <class T>
using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
using outer_stride = Eigen::OuterStride<>;
template <class T>
using const_map = Eigen::Map<const matrix<T>, Eigen::Unaligned, outer_stride>;
template <class T>
using map = Eigen::Map<matrix<T>, Eigen::Unaligned, outer_stride>;

// One product expression for each way the operands may lie.
template <class T, class A>
void add_product(T alpha, const A& a, char b_letter, const T* b, int n, int ldb, map<T>& c) {
    const auto k = a.cols();
    if (b_letter == 'N')
        c.noalias() += alpha * (a * const_map<T>(b, k, n, outer_stride(ldb)));
    else
        c.noalias() += alpha * (a * const_map<T>(b, n, k, outer_stride(ldb)).transpose());
}

template <class T>
void gemm(char a_letter, char b_letter, int m, int n, int k, T alpha, const T* a, int lda,
          const T* b, int ldb, T beta, T* c_data, int ldc) {
    map<T> c(c_data, m, n, outer_stride(ldc));
    if (beta == T(0))
        c.setZero();
    else if (beta != T(1))
        c *= beta;
    if (a_letter == 'N')
        add_product(alpha, const_map<T>(a, m, k, outer_stride(lda)), b_letter, b, n, ldb, c);
    else
        add_product(alpha, const_map<T>(a, k, m, outer_stride(lda)).transpose(), b_letter, b, n,
                    ldb, c);
}

}  // namespace

CARAT_EXPORT void dgemm_(const char* a_letter, const char* b_letter, const int* m, const int* n,
                         const int* k, const double* alpha, const double* a, const int* lda,
                         const double* b, const int* ldb, const double* beta, double* c,
                         const int* ldc) {
    gemm(*a_letter, *b_letter, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

CARAT_EXPORT void sgemm_(const char* a_letter, const char* b_letter, const int* m, const int* n,
                         const int* k, const float* alpha, const float* a, const int* lda,
                         const float* b, const int* ldb, const float* beta, float* c,
                         const int* ldc) {
    gemm(*a_letter, *b_letter, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

CARAT_EXPORT void carat_eigen_set_threads(int threads) {
    Eigen::setNbThreads(threads);
}
CARAT_EXPORT int carat_eigen_threads() {
    return Eigen::nbThreads();
}
CARAT_EXPORT const char* carat_eigen_instructions() {
    return Eigen::SimdInstructionSetsInUse();
}
CARAT_EXPORT const char* carat_eigen_version() {
    return CARAT_TEXT_OF(EIGEN_WORLD_VERSION) "." CARAT_TEXT_OF(
        EIGEN_MAJOR_VERSION) "." CARAT_TEXT_OF(EIGEN_MINOR_VERSION);
}
