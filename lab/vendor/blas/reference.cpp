// Netlib's reference BLAS: the Fortran loops that define what a BLAS computes, serial and
// unblocked. Debian and Ubuntu let every BLAS answer to the name libblas.so.3, so the file proves
// by what it does not export that it is the real one.
#include <array>
#include <filesystem>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor {

namespace {

struct mark {
    const char* symbol;
    const char* owner;
};

constexpr std::array others = {mark{"openblas_get_config", "OpenBLAS"},
                               mark{"bli_info_get_version_str", "BLIS"},
                               mark{"MKL_Get_Version", "MKL"}, mark{"ATL_buildinfo", "ATLAS"},
                               mark{"flexiblas_info", "FlexiBLAS"}};

void connect(const shared_library& file, blas_library& library) {
    for (const mark& other : others)
        if (file.exports(other.symbol))
            throw rejected(std::string("is ") + other.owner + " under netlib's name");
    // It has no call that tells its version; the file's name does: libblas.so.3.11.0.
    const std::string name = std::filesystem::path(file.path()).filename();
    const std::size_t suffix = name.find(".so.");
    library.facts.version = suffix == std::string::npos ? "not told" : name.substr(suffix + 4);
    library.facts.kernel = "portable Fortran loops";
}

constexpr std::array<std::string_view, 3> files = {"/usr/lib/" CARAT_LIBRARY_ARCHITECTURE
                                                   "/blas/libblas.so.3",
                                                   "/usr/lib64/libblas.so.3", "libblas.so.3"};

}  // namespace

constexpr blas_vendor reference_vendor = {
    {"reference BLAS", files, "apt install libblas3"}, connect, blas_signatures, false};

constexpr rows::implementation reference_row = blas_row<reference_vendor>(
    "vendor.reference", "netlib's reference BLAS: the loops that define the answer, serial");

}  // namespace carat::vendor
