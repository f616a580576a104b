// Eigen, from the library that lab/vendor/eigen makes of its headers. The loader has picked the
// build for this machine's level of x86-64. For small products Eigen uses fewer threads than set.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor {

namespace {

void connect(const shared_library& file, blas_library& library) {
    auto* const set = file.required<void(int)>("carat_eigen_set_threads");
    auto* const get = file.required<int()>("carat_eigen_threads");
    const auto confirm = [=](int threads) {
        set(threads);
        return std::min(get(), granted_by_openmp(file, threads));
    };
    library.threads = {{set, get}, {}, confirm};
    library.facts.version =
        fmt::format("{}, OpenMP", file.required<const char*()>("carat_eigen_version")());
    library.facts.kernel = file.required<const char*()>("carat_eigen_instructions")();
}

constexpr std::array<std::string_view, 1> files = {"libcarat_eigen.so"};

}  // namespace

constexpr blas_vendor eigen_vendor = {
    {"Eigen", files, "apt install libeigen3-dev (or ./dev peers), then build again"}, connect};

constexpr rows::implementation eigen_row =
    blas_row<eigen_vendor>("vendor.eigen", "Eigen: C++ templates and cache heuristics");

}  // namespace carat::vendor
