#include "lab/ranks/scalapack.hpp"

#include <array>
#include <iterator>
#include <string_view>

#include <carat/error.hpp>

#include "lab/vendor/common/shared_library.hpp"

namespace carat::lab_ranks {

template <class T>
using pgemm_function = void(const char*, const char*, const int*, const int*, const int*, const T*,
                            const T*, const int*, const int*, const int*, const T*, const int*,
                            const int*, const int*, const T*, T*, const int*, const int*,
                            const int*);

struct scalapack::functions {
    void (*get)(int, int, int*);
    void (*grid_init)(int*, const char*, int, int);
    void (*grid_exit)(int);
    pgemm_function<double>* pdgemm;
    pgemm_function<float>* psgemm;
};

namespace {

constexpr std::string_view system_files[] = {"libscalapack-openmpi.so.2.2",
                                             "libscalapack-openmpi.so.2.1", "libscalapack.so"};
constexpr std::string_view mkl_files[] = {"libmkl_pgemm.so"};
constexpr std::string_view cosma_files[] = {"libcosma_prefixed_pxgemm.so"};

struct source {
    vendor::library_search search;
    const char* pdgemm;
    const char* psgemm;
};

// The order is that of scalapack_of. COSMA takes the grid and the descriptors of the ScaLAPACK that
// it was linked to.
constexpr source searches[] = {
    {{"ScaLAPACK", system_files, "apt install libscalapack-openmpi-dev"}, "pdgemm_", "psgemm_"},
    {{"MKL's ScaLAPACK", mkl_files, "scripts/mkl_pgemm.sh makes it"}, "pdgemm_", "psgemm_"},
    {{"COSMA", cosma_files,
      "build COSMA with BUILD_SHARED_LIBS and COSMA_SCALAPACK, and set CARAT_PEER_PATH to its "
      "folder"},
     "cosma_pdgemm_",
     "cosma_psgemm_"}};

template <class T>
void call_pgemm(pgemm_function<T>* gemm, int m, int n, int k, const std::array<int, 9>& da,
                const void* a, const std::array<int, 9>& db, const void* b,
                const std::array<int, 9>& dc, void* c) {
    const T one = 1, zero = 0;
    const int first = 1;
    gemm("N", "N", &m, &n, &k, &one, static_cast<const T*>(a), &first, &first, da.data(),
         static_cast<const T*>(b), &first, &first, db.data(), &zero, static_cast<T*>(c), &first,
         &first, dc.data());
}

}  // namespace

scalapack::scalapack(scalapack_of which, int rows, int cols) {
    static functions opened[std::size(searches)]{};
    functions& call = opened[static_cast<std::size_t>(which)];
    const source& from = searches[static_cast<std::size_t>(which)];
    const std::string why_not =
        vendor::open_first(from.search, [&](const vendor::shared_library& found) {
            call.get = found.required<void(int, int, int*)>("Cblacs_get");
            call.grid_init = found.required<void(int*, const char*, int, int)>("Cblacs_gridinit");
            call.grid_exit = found.required<void(int)>("Cblacs_gridexit");
            call.pdgemm = found.required<pgemm_function<double>>(from.pdgemm);
            call.psgemm = found.required<pgemm_function<float>>(from.psgemm);
            path_ = found.path();
        });
    if (!why_not.empty()) throw error(error_code::unsupported, why_not);
    call_ = &call;
    call_->get(-1, 0, &context_);
    call_->grid_init(&context_, "Row", rows, cols);
}

scalapack::~scalapack() {
    call_->grid_exit(context_);
}

void scalapack::multiply(bool is_double, int m, int n, int k, int block, const void* a, int lda,
                         const void* b, int ldb, void* c, int ldc) const {
    const auto described = [&](int rows, int cols, int leading) {
        return std::array<int, 9>{1, context_, rows, cols, block, block, 0, 0, leading};
    };
    const auto da = described(m, k, lda), db = described(k, n, ldb), dc = described(m, n, ldc);
    if (is_double)
        call_pgemm<double>(call_->pdgemm, m, n, k, da, a, db, b, dc, c);
    else
        call_pgemm<float>(call_->psgemm, m, n, k, da, a, db, b, dc, c);
}

}  // namespace carat::lab_ranks
