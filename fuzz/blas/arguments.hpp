// The arguments of a level-3 routine, and the call.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "library.hpp"

namespace carat::fuzz {

enum class routine { gemm, symm, syrk, syr2k, trmm, trsm, gemmtr };
inline constexpr std::array routine_names = {"gemm", "symm", "syrk",  "syr2k",
                                             "trmm", "trsm", "gemmtr"};

// CBLAS column-major, CBLAS row-major, or Fortran's call.
enum class blas_call { fortran, by_columns, by_rows };

template <class T>
struct blas_arguments {
    routine which = routine::gemm;
    blas_call how = blas_call::fortran;
    char side = 'L';
    char uplo = 'U';
    char trans_a = 'N';
    char trans_b = 'N';
    char diag = 'N';
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t lda = 1;
    std::int64_t ldb = 1;
    std::int64_t ldc = 1;
    double alpha = 1;
    double beta = 0;
    std::vector<T> a;
    std::vector<T> b;
    std::vector<T> c;  // what is written; B of trmm and trsm
};

inline int option_number(char option) {
    switch (option) {
        case 'N':
            return 111;
        case 'T':
            return 112;
        case 'C':
            return 113;
        case 'U':
            return 121;
        case 'L':
            return 122;
        default:
            return 7;
    }
}

// Integers of type I; their addresses may differ from those of the vectors.
template <class T, class I>
class blas_caller {
  public:
    blas_caller(const blas_library& in, const blas_arguments<T>& of) : in_(in), of_(of) {}

    void operator()(const T* a, const T* b, T* c) const {
        if (of_.which == routine::gemmtr && in_.find(name()) == nullptr) return by_gemm(a, b, c);
        of_.how == blas_call::fortran ? fortran(a, b, c) : cblas(a, b, c);
    }

  private:
    [[nodiscard]] std::string name() const {
        const std::string stem = routine_names[static_cast<std::size_t>(of_.which)];
        const char letter = std::is_same_v<T, float> ? 's' : 'd';
        if (of_.how == blas_call::fortran) return letter + stem + "_";
        return std::string("cblas_") + letter + stem;
    }

    // References before 3.12 lack gemmtr, so this takes the triangle of a gemm.
    void by_gemm(const T* a, const T* b, T* c) const {
        blas_arguments<T> whole = of_;
        whole.which = routine::gemm;
        whole.m = of_.n;
        std::copy_n(c, whole.c.size(), whole.c.begin());
        blas_caller<T, I>(in_, whole)(a, b, whole.c.data());
        for (std::int64_t i = 0; i < of_.n; ++i)
            for (std::int64_t j = 0; j < of_.n; ++j) {
                const bool by_rows = of_.how == blas_call::by_rows;
                const auto at =
                    static_cast<std::size_t>(by_rows ? i * of_.ldc + j : i + j * of_.ldc);
                if (of_.uplo == 'U' ? i <= j : i >= j) c[at] = whole.c[at];
            }
    }

    template <class... Arguments>
    void call(Arguments... all) const {
        reinterpret_cast<void (*)(Arguments...)>(in_.find(name()))(all...);
    }

    void fortran(const T* a, const T* b, T* c) const {
        const I m = static_cast<I>(of_.m), n = static_cast<I>(of_.n), k = static_cast<I>(of_.k);
        const I lda = static_cast<I>(of_.lda), ldb = static_cast<I>(of_.ldb);
        const I ldc = static_cast<I>(of_.ldc);
        const T alpha = static_cast<T>(of_.alpha), beta = static_cast<T>(of_.beta);
        switch (of_.which) {
            case routine::gemm:
                return call(&of_.trans_a, &of_.trans_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta,
                            c, &ldc);
            case routine::gemmtr:
                return call(&of_.uplo, &of_.trans_a, &of_.trans_b, &n, &k, &alpha, a, &lda, b, &ldb,
                            &beta, c, &ldc);
            case routine::symm:
                return call(&of_.side, &of_.uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
            case routine::syrk:
                return call(&of_.uplo, &of_.trans_a, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
            case routine::syr2k:
                return call(&of_.uplo, &of_.trans_a, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c,
                            &ldc);
            default:
                return call(&of_.side, &of_.uplo, &of_.trans_a, &of_.diag, &m, &n, &alpha, a, &lda,
                            c, &ldc);
        }
    }

    void cblas(const T* a, const T* b, T* c) const {
        const int order = of_.how == blas_call::by_rows ? 101 : 102;
        const int side = of_.side == 'L' ? 141 : of_.side == 'R' ? 142 : 7;
        const int diag = of_.diag == 'N' ? 131 : of_.diag == 'U' ? 132 : 7;
        const int uplo = option_number(of_.uplo);
        const int ta = option_number(of_.trans_a), tb = option_number(of_.trans_b);
        const I m = static_cast<I>(of_.m), n = static_cast<I>(of_.n), k = static_cast<I>(of_.k);
        const I lda = static_cast<I>(of_.lda), ldb = static_cast<I>(of_.ldb);
        const I ldc = static_cast<I>(of_.ldc);
        const T alpha = static_cast<T>(of_.alpha), beta = static_cast<T>(of_.beta);
        switch (of_.which) {
            case routine::gemm:
                return call(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
            case routine::gemmtr:
                return call(order, uplo, ta, tb, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
            case routine::symm:
                return call(order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
            case routine::syrk:
                return call(order, uplo, ta, n, k, alpha, a, lda, beta, c, ldc);
            case routine::syr2k:
                return call(order, uplo, ta, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
            default:
                return call(order, side, uplo, ta, diag, m, n, alpha, a, lda, c, ldc);
        }
    }

    const blas_library& in_;
    const blas_arguments<T>& of_;
};

}  // namespace carat::fuzz
