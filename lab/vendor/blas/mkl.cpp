// Intel's MKL through its single dynamic library, which loads the rest of itself: 32-bit integers,
// and the threading layer on GNU's OpenMP, so that the process keeps one OpenMP runtime. Which
// kernels it chose is the name of the file it loaded for them.
#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <link.h>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/common/kernel_note.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor {

namespace {

// mkl_service.h
constexpr int interface_lp64 = 0;
constexpr int threading_gnu = 3;
struct mkl_version {
    int major, minor, update;
    const char *status, *build, *processor, *platform;
};

// MKL's GNU layer expects its caller to have brought the runtime in, where all can see it.
shared_library gnu_openmp() {
    shared_library runtime("libgomp.so.1");
    dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
    return runtime;
}

thread_control threads_of(const shared_library& file, const shared_library& runtime) {
    // Else it may use fewer threads than asked, as it sees fit.
    file.required<void(int)>("MKL_Set_Dynamic")(0);
    auto* const set = file.required<void(int)>("MKL_Set_Num_Threads");
    auto* const get = file.required<int()>("MKL_Get_Max_Threads");
    thread_control control = openmp_threads(runtime);
    control.own = {set, get};
    control.confirm = [=, confirm = control.confirm](int threads) {
        set(threads);
        return std::min(get(), confirm(threads));
    };
    return control;
}

int find_kernel_file(dl_phdr_info* loaded, std::size_t, void* found) {
    static constexpr std::array kernels = {"libmkl_avx10.", "libmkl_avx512.", "libmkl_avx2.",
                                           "libmkl_avx.",   "libmkl_mc3.",    "libmkl_mc.",
                                           "libmkl_def."};
    const std::string name = std::filesystem::path(loaded->dlpi_name).filename();
    if (std::ranges::none_of(kernels, [&](auto* k) { return name.starts_with(k); })) return 0;
    *static_cast<std::string*>(found) = name.substr(0, name.find('.'));
    return 1;
}

// MKL loads its kernels in its first call, so one is made.
std::string kernel_of(const blas_library& library) {
    const int one = 1;
    const double a = 1, b = 1;
    double c = 0;
    library.dgemm("N", "N", &one, &one, &one, &a, &a, &one, &b, &one, &b, &c, &one, 1, 1);
    std::string found;
    dl_iterate_phdr(find_kernel_file, &found);
    return found.empty() ? "not told" : found;
}

std::string note_on(std::string_view kernel) {
    const auto has = [&](const char* part) { return kernel.find(part) != std::string_view::npos; };
    if (kernel == "not told") return {};
    if (has("avx512") || has("avx10"))
        return kernel_note(core::isa::avx512, "MKL_ENABLE_INSTRUCTIONS", {});
    if (has("avx2")) return kernel_note(core::isa::avx2, "MKL_ENABLE_INSTRUCTIONS", "AVX512");
    if (!has("def")) return kernel_note(core::isa::baseline, "MKL_ENABLE_INSTRUCTIONS", {});
    // What this file runs on another maker's AVX2 machine is MKL's secret.
    return "it runs its default kernels, which it gives to CPUs that it does not take for Intel's; "
           "MKL_ENABLE_INSTRUCTIONS does not change that";
}

template <class T>
packing_calls<T> packing_of(const shared_library& file, const std::string& letter) {
    packing_calls<T> calls;
    const auto take = [&](auto& call, const char* rest) {
        call = file.function<std::remove_pointer_t<std::remove_reference_t<decltype(call)>>>(
            (letter + rest).c_str());
    };
    take(calls.size, "gemm_pack_get_size_");
    take(calls.pack, "gemm_pack_");
    take(calls.compute, "gemm_compute_");
    return calls.size == nullptr || calls.compute == nullptr ? packing_calls<T>{} : calls;
}

void connect(const shared_library& file, blas_library& library) {
    const shared_library runtime = gnu_openmp();
    file.required<int(int)>("MKL_Set_Interface_Layer")(interface_lp64);
    const int layer = file.required<int(int)>("MKL_Set_Threading_Layer")(threading_gnu);
    if (layer != threading_gnu)
        throw rejected("would not take its GNU threading layer; unset MKL_THREADING_LAYER");
    library.threads = threads_of(file, runtime);
    mkl_version version{};
    file.required<void(mkl_version*)>("MKL_Get_Version")(&version);
    library.facts.version =
        fmt::format("{}.{}, build {}, GNU OpenMP", version.major, version.update, version.build);
    library.facts.kernel = kernel_of(library);
    library.facts.note = note_on(library.facts.kernel);
    library.sbgemm = file.function<fortran_gemm<bf16, float>>("gemm_bf16bf16f32_");
    library.packing_f64 = packing_of<double>(file, "d");
    library.packing_f32 = packing_of<float>(file, "s");
    library.byte_gemm = file.function<fortran_byte_gemm>("gemm_s8u8s32_");
}

// The pip package brings only the name with the version in it, which changes every few years.
constexpr std::array<std::string_view, 3> files = {"libmkl_rt.so.3", "libmkl_rt.so.2",
                                                   "libmkl_rt.so"};

}  // namespace

constexpr blas_vendor mkl_vendor = {{"MKL", files, "./dev peers (it brings the pip package mkl)"},
                                    connect,
                                    blas_signatures_with_bytes};

constexpr rows::implementation mkl_row =
    blas_row<mkl_vendor>("vendor.mkl", "Intel MKL: tuned per CPU, closed source");

}  // namespace carat::vendor
