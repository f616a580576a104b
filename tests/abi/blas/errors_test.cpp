// Wrong arguments: this program replaces xerbla_ and cblas_xerbla and compares the reports with
// those of the reference BLAS. Nothing may be written.
#include <gtest/gtest.h>
#include <string>

#include "stored.hpp"

namespace {

struct told {
    std::string routine;
    long long position = 0;
    int times = 0;
};
told by_fortran;
told by_cblas;

}  // namespace

CARAT_BLAS_EXPORT void xerbla_(const char* routine, const integer* position, std::size_t length) {
    by_fortran = {std::string(routine, length), *position, by_fortran.times + 1};
}
CARAT_BLAS_EXPORT void cblas_xerbla(integer position, const char* routine, const char*, ...) {
    by_cblas = {routine, position, by_cblas.times + 1};
}

namespace carat::blas::tested {

namespace {

// Valid arguments, to be spoiled one at a time.
struct arguments {
    char side = 'L';
    char uplo = 'L';
    char ta = 'N';
    char tb = 'N';
    char diag = 'N';
    integer m = 4;
    integer n = 3;
    integer k = 2;
    integer lda = 5;
    integer ldb = 5;
    integer ldc = 5;
};

class errors : public ::testing::Test {
  protected:
    // Runs `call` on spoiled arguments and expects exactly one report, of this routine and
    // position.
    template <class Spoil, class Call>
    void expect(told& by, const std::string& routine, int position, const Spoil& spoil,
                const Call& call) {
        by_fortran = {};
        by_cblas = {};
        arguments wrong;
        spoil(wrong);
        double c[64];
        for (double& x : c) x = 7;
        call(wrong, c);
        EXPECT_EQ(by_fortran.times + by_cblas.times, 1) << routine << " " << position;
        EXPECT_EQ(by.routine, routine);
        EXPECT_EQ(by.position, position) << routine;
        for (const double x : c) ASSERT_EQ(x, 7) << routine << " wrote before it checked";
        ++executed_;
    }
    // Expects the report of wrong arguments of this routine, called so.
    template <class Call>
    auto reports(told& by, const std::string& routine, const Call& call) {
        return [this, &by, routine, call](int position, const auto& spoil) {
            expect(by, routine, position, spoil, call);
        };
    }
    double a_[64] = {};
    int executed_ = 0;
};

TEST_F(errors, gemm) {
    const auto in = [&](language l) {
        return [this, l](const arguments& x, double* c) {
            gemm<double>(l, x.ta, x.tb, x.m, x.n, x.k, 1, a_, x.lda, a_, x.ldb, 2, c, x.ldc);
        };
    };
    const auto fortran = reports(by_fortran, "DGEMM ", in(language::fortran));
    fortran(1, [](auto& x) { x.ta = 'X'; });
    fortran(2, [](auto& x) { x.tb = '/'; });
    fortran(3, [](auto& x) { x.m = -1; });
    fortran(4, [](auto& x) { x.n = -1; });
    fortran(5, [](auto& x) { x.k = -1; });
    fortran(8, [](auto& x) { x.lda = 3; });
    fortran(8, [](auto& x) { x.ta = 'T', x.lda = 1; });
    fortran(10, [](auto& x) { x.ldb = 1; });
    fortran(10, [](auto& x) { x.tb = 'C', x.ldb = 2; });
    fortran(13, [](auto& x) { x.ldc = 3; });
    fortran(3, [](auto& x) { x.m = -1, x.lda = 0, x.k = -1; });
    fortran(8, [](auto& x) { x.m = x.n = x.k = 0, x.lda = 0; });
    // The reference converts a row-major call and reports positions of the converted one.
    const auto rows = reports(by_cblas, "cblas_dgemm", in(language::cblas_by_rows));
    const auto converted = reports(by_fortran, "DGEMM ", in(language::cblas_by_rows));
    rows(2, [](auto& x) { x.ta = '/'; });
    rows(3, [](auto& x) { x.tb = '/'; });
    converted(3, [](auto& x) { x.n = -1; });
    converted(10, [](auto& x) { x.lda = 1; });
    converted(8, [](auto& x) { x.ldb = 2; });
    converted(13, [](auto& x) { x.ldc = 2; });
    EXPECT_EQ(executed_, 18);
}

TEST_F(errors, gemmtr) {
    const auto fortran = reports(by_fortran, "DGEMMTR", [this](const arguments& x, double* c) {
        gemmtr<double>(language::fortran, x.uplo, x.ta, x.tb, x.n, x.k, 1, a_, x.lda, a_, x.ldb, 2,
                       c, x.ldc);
    });
    fortran(1, [](auto& x) { x.uplo = 'X'; });
    fortran(2, [](auto& x) { x.ta = 'X'; });
    fortran(3, [](auto& x) { x.tb = 'X'; });
    fortran(4, [](auto& x) { x.n = -1; });
    fortran(5, [](auto& x) { x.k = -1; });
    fortran(8, [](auto& x) { x.lda = 2; });
    fortran(10, [](auto& x) { x.ldb = 1; });
    fortran(13, [](auto& x) { x.ldc = 2; });
}

TEST_F(errors, symm) {
    const auto in = [&](language l) {
        return [this, l](const arguments& x, double* c) {
            symm<double>(l, x.side, x.uplo, x.m, x.n, 1, a_, x.lda, a_, x.ldb, 2, c, x.ldc);
        };
    };
    const auto fortran = reports(by_fortran, "DSYMM ", in(language::fortran));
    fortran(1, [](auto& x) { x.side = '/'; });
    fortran(2, [](auto& x) { x.uplo = '/'; });
    fortran(3, [](auto& x) { x.m = -1; });
    fortran(4, [](auto& x) { x.n = -1; });
    fortran(7, [](auto& x) { x.lda = 3; });
    fortran(7, [](auto& x) { x.side = 'R', x.lda = 2; });
    fortran(9, [](auto& x) { x.ldb = 3; });
    fortran(12, [](auto& x) { x.ldc = 3; });
    const auto rows = reports(by_cblas, "cblas_dsymm", in(language::cblas_by_rows));
    const auto converted = reports(by_fortran, "DSYMM ", in(language::cblas_by_rows));
    rows(2, [](auto& x) { x.side = '/'; });
    rows(3, [](auto& x) { x.uplo = '/'; });
    converted(4, [](auto& x) { x.m = -1; });
}

TEST_F(errors, syrk_and_syr2k) {
    const auto one = [this](const arguments& x, double* c) {
        syrk<double>(language::fortran, x.uplo, x.ta, x.n, x.k, 1, a_, x.lda, 2, c, x.ldc);
    };
    const auto two = [this](const arguments& x, double* c) {
        syr2k<double>(language::fortran, x.uplo, x.ta, x.n, x.k, 1, a_, x.lda, a_, x.ldb, 2, c,
                      x.ldc);
    };
    const auto both = [&](int position_in_one, int position_in_two, auto spoil) {
        if (position_in_one != 0) expect(by_fortran, "DSYRK ", position_in_one, spoil, one);
        expect(by_fortran, "DSYR2K", position_in_two, spoil, two);
    };
    both(1, 1, [](auto& x) { x.uplo = '/'; });
    both(2, 2, [](auto& x) { x.ta = '/'; });
    both(3, 3, [](auto& x) { x.n = -1; });
    both(4, 4, [](auto& x) { x.k = -1; });
    both(7, 7, [](auto& x) { x.lda = 2; });
    both(7, 7, [](auto& x) { x.ta = 'T', x.lda = 1; });
    both(0, 9, [](auto& x) { x.ldb = 2; });
    both(10, 12, [](auto& x) { x.ldc = 2; });
}

TEST_F(errors, trmm_and_trsm) {
    for (const bool solve : {false, true}) {
        const std::string name = solve ? "DTRSM " : "DTRMM ";
        const auto in = [&](language l) {
            return [this, l, solve](const arguments& x, double* c) {
                triangular<double>(solve, l, x.side, x.uplo, x.ta, x.diag, x.m, x.n, 2, a_, x.lda,
                                   c, x.ldb);
            };
        };
        const auto fortran = reports(by_fortran, name, in(language::fortran));
        fortran(1, [](auto& x) { x.side = '/'; });
        fortran(2, [](auto& x) { x.uplo = '/'; });
        fortran(3, [](auto& x) { x.ta = '/'; });
        fortran(4, [](auto& x) { x.diag = '/'; });
        fortran(5, [](auto& x) { x.m = -1; });
        fortran(6, [](auto& x) { x.n = -1; });
        fortran(9, [](auto& x) { x.lda = 3; });
        fortran(9, [](auto& x) { x.side = 'R', x.lda = 2; });
        fortran(11, [](auto& x) { x.ldb = 3; });
        const auto rows =
            reports(by_cblas, solve ? "cblas_dtrsm" : "cblas_dtrmm", in(language::cblas_by_rows));
        const auto converted = reports(by_fortran, name, in(language::cblas_by_rows));
        rows(4, [](auto& x) { x.ta = '/'; });
        rows(5, [](auto& x) { x.diag = '/'; });
        converted(6, [](auto& x) { x.m = -1; });
        converted(11, [](auto& x) { x.ldb = 2; });
    }
}

TEST_F(errors, an_unknown_order) {
    double c = 7;
    cblas_dgemm(100, 111, 111, 1, 1, 1, 1, a_, 1, a_, 1, 0, &c, 1);
    EXPECT_EQ(by_cblas.routine, "cblas_dgemm");
    EXPECT_EQ(by_cblas.position, 1);
    EXPECT_EQ(c, 7);
}

TEST_F(errors, letters_in_either_case) {
    by_fortran = {};
    const double two = 2;
    double c = 7;
    const integer one = 1;
    dgemm_("n", "t", &one, &one, &one, &two, &two, &one, &two, &one, &two, &c, &one);
    EXPECT_EQ(c, 22);
    EXPECT_EQ(by_fortran.times, 0);
}

}  // namespace

}  // namespace carat::blas::tested
