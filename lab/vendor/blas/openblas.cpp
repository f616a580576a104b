// OpenBLAS. A system may have several: the OpenMP one comes first, as it shares the process's team
// of threads, whereas the pthread one keeps a pool of its own that spins after each call, into the
// next library's trial where both are in one process (docs/adr/0020). The newest there is, SciPy's
// wheel of the pthread one, has a prefix before all its names.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/common/kernel_note.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor {

namespace {

enum flavour { serial = 0, pthread = 1, openmp = 2 };  // openblas_get_parallel

core::isa level_of(std::string_view core) {
#if defined(__aarch64__)
    return core::vectors_of(core::best_isa());  // it looks at feature bits there, as carat does
#endif
    static constexpr std::array avx512 = {"SkylakeX", "Cooperlake", "SapphireRapids"};
    static constexpr std::array avx2 = {"Haswell", "Zen", "Excavator"};
    if (std::ranges::find(avx512, core) != avx512.end()) return core::isa::avx512;
    if (std::ranges::find(avx2, core) != avx2.end()) return core::isa::avx2;
    return core::isa::baseline;
}

thread_control openmp_flavour(const shared_library& file) {
    auto* const set = file.required<void(int)>("openblas_set_num_threads");
    auto* const get = file.required<int()>("openblas_get_num_threads");
    thread_control control = openmp_threads(file);
    // Each call follows omp_get_max_threads; asking OpenBLAS itself shows its built-in limit.
    control.confirm = [=, shared = control.shared, confirm = control.confirm](int threads) {
        const int former = shared.get();
        set(threads);
        const int granted = std::min(get(), confirm(threads));
        shared.set(former);
        return granted;
    };
    return control;
}

thread_control pthread_flavour(const shared_library& file) {
    auto* const set = file.required<void(int)>("openblas_set_num_threads");
    auto* const get = file.required<int()>("openblas_get_num_threads");
    const auto confirm = [=](int threads) {
        set(threads);
        return get();
    };
    return {{set, get}, {}, confirm};
}

void connect(const shared_library& file, blas_library& library) {
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": the second word is the version.
    const std::string told = file.required<const char*()>("openblas_get_config")();
    if (told.find("USE64BITINT") != std::string::npos) throw rejected(wide_integers);
    std::istringstream config(told);
    std::string version;
    config >> version >> version;
    const std::string core = file.required<const char*()>("openblas_get_corename")();
    const int parallel = file.required<int()>("openblas_get_parallel")();
    if (parallel == openmp) library.threads = openmp_flavour(file);
    if (parallel == pthread) library.threads = pthread_flavour(file);
    static constexpr std::array names = {"serial", "pthread", "OpenMP"};
    library.facts.version =
        fmt::format("{}, {}", version, names.at(static_cast<std::size_t>(parallel)));
    library.facts.kernel = core;
    library.facts.note = kernel_note(level_of(core), "OPENBLAS_CORETYPE",
                                     core::has(core::isa::avx512) ? "SkylakeX" : "Haswell");
    library.loops = true;
    library.sbgemm = file.function<fortran_gemm<bf16, float>>("sbgemm_");
}

#define CARAT_OPENBLAS_FOLDER(flavour) \
    "/usr/lib/" CARAT_LIBRARY_ARCHITECTURE "/openblas-" flavour "/libopenblas.so.0"

constexpr std::array<std::string_view, 5> files = {
    CARAT_OPENBLAS_FOLDER("openmp"), CARAT_OPENBLAS_FOLDER("pthread"), "libopenblas.so.0",
    "libopenblas.so", "libscipy_openblas.so"};

}  // namespace

constexpr blas_vendor openblas_vendor = {
    {"OpenBLAS", files, "./dev peers, or apt install libopenblas0-openmp", "scipy_"},
    connect,
    blas_signatures_with_bf16};

constexpr rows::implementation openblas_row =
    blas_row<openblas_vendor>("vendor.openblas", "OpenBLAS: assembly kernels per CPU core type");

}  // namespace carat::vendor
