#include "lab/vendor/cublas/library.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <glob.h>
#include <map>
#include <optional>
#include <system_error>
#include <vector>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "lab/vendor/common/shared_library.hpp"

namespace carat::vendor::cublas {

namespace {

std::vector<std::string> matches(const std::string& pattern) {
    glob_t found{};
    std::vector<std::string> paths;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
        paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    return paths;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Folders beyond the loader's own; those that don't exist match nothing.
std::vector<std::string> folders() {
    std::vector<std::string> all;
    const auto add = [&](const std::string& pattern) {
        for (std::string& path : matches(pattern)) all.push_back(std::move(path));
    };
    for (const std::string& home : {variable("CUDA_HOME"), variable("CUDA_PATH")})
        if (!home.empty()) add(home + "/lib*");
    add("/usr/local/cuda*/lib*");
    std::vector<std::string> python = {"/usr/lib/python3", "/usr/local/lib/python3*"};
    if (const auto home = variable("HOME"); !home.empty())
        python.push_back(home + "/.local/lib/python3*");
    if (const auto venv = variable("VIRTUAL_ENV"); !venv.empty())
        python.push_back(venv + "/lib/python3*");
    for (const std::string& base : python)
        for (const char* kind : {"site", "dist"}) add(base + "/" + kind + "-packages/nvidia/*/lib");
    return all;
}

std::vector<std::string> files_named(const std::string& stem) {
    std::vector<std::string> all;
    for (const char* major : {"13", "12"}) all.push_back(stem + ".so." + major);
    const std::vector<std::string> names = all;
    std::error_code unreadable;
    for (const std::string& folder : folders())
        for (const std::string& name : names)
            if (const auto path = std::filesystem::path(folder) / name;
                std::filesystem::exists(path, unreadable))
                all.push_back(path);
    return all;
}

struct opened {
    std::string why_not;
    functions call;
    std::string cublas_path;
    std::string lt_path;
};

void connect_lt(const shared_library& lt, functions& call) {
#define CARAT_CUBLAS_TAKE(member, symbol) \
    call.member = lt.required<std::remove_pointer_t<decltype(call.member)>>(symbol)
    CARAT_CUBLAS_TAKE(lt_create, "cublasLtCreate");
    CARAT_CUBLAS_TAKE(lt_version, "cublasLtGetVersion");
    CARAT_CUBLAS_TAKE(lt_matmul, "cublasLtMatmul");
    CARAT_CUBLAS_TAKE(lt_heuristic, "cublasLtMatmulAlgoGetHeuristic");
    CARAT_CUBLAS_TAKE(lt_operation_create, "cublasLtMatmulDescCreate");
    CARAT_CUBLAS_TAKE(lt_operation_destroy, "cublasLtMatmulDescDestroy");
    CARAT_CUBLAS_TAKE(lt_operation_set, "cublasLtMatmulDescSetAttribute");
    CARAT_CUBLAS_TAKE(lt_layout_create, "cublasLtMatrixLayoutCreate");
    CARAT_CUBLAS_TAKE(lt_layout_destroy, "cublasLtMatrixLayoutDestroy");
    CARAT_CUBLAS_TAKE(lt_layout_set, "cublasLtMatrixLayoutSetAttribute");
    CARAT_CUBLAS_TAKE(lt_preference_create, "cublasLtMatmulPreferenceCreate");
    CARAT_CUBLAS_TAKE(lt_preference_destroy, "cublasLtMatmulPreferenceDestroy");
    CARAT_CUBLAS_TAKE(lt_preference_set, "cublasLtMatmulPreferenceSetAttribute");
#undef CARAT_CUBLAS_TAKE
}

void connect_cublas(const shared_library& cublas, functions& call) {
#define CARAT_CUBLAS_TAKE(member, symbol) \
    call.member = cublas.required<std::remove_pointer_t<decltype(call.member)>>(symbol)
    CARAT_CUBLAS_TAKE(create, "cublasCreate_v2");
    CARAT_CUBLAS_TAKE(set_stream, "cublasSetStream_v2");
    CARAT_CUBLAS_TAKE(set_workspace, "cublasSetWorkspace_v2");
    CARAT_CUBLAS_TAKE(set_math_mode, "cublasSetMathMode");
    CARAT_CUBLAS_TAKE(gemm, "cublasGemmEx_64");
    CARAT_CUBLAS_TAKE(gemm_batch, "cublasGemmStridedBatchedEx_64");
    CARAT_CUBLAS_TAKE(gemm_anywhere, "cublasGemmBatchedEx_64");
    CARAT_CUBLAS_TAKE(status_text, "cublasGetStatusString");
    call.gemm_grouped = cublas.function<grouped_function>("cublasGemmGroupedBatchedEx_64");
#undef CARAT_CUBLAS_TAKE
}

std::string open(const std::string& stem, std::vector<std::string> files,
                 const std::function<void(const shared_library&)>& connect) {
    const std::vector<std::string_view> views(files.begin(), files.end());
    return open_first({stem, views, "install CUDA's libraries, or pip install nvidia-cublas"},
                      connect);
}

// cuBLASLt first: cuBLAS needs the one of its own folder, and finds it loaded by then.
opened open_both() {
    opened all;
    all.why_not = open("cuBLASLt", files_named("libcublasLt"), [&](const shared_library& lt) {
        connect_lt(lt, all.call);
        all.lt_path = lt.path();
    });
    if (!all.why_not.empty()) return all;
    auto files = files_named("libcublas");
    const std::filesystem::path lt = all.lt_path;
    std::string beside = lt.filename().string();
    beside.replace(0, std::string_view("libcublasLt").size(), "libcublas");
    files.insert(files.begin(), (lt.parent_path() / beside).string());
    all.why_not = open("cuBLAS", files, [&](const shared_library& cublas) {
        connect_cublas(cublas, all.call);
        all.cublas_path = cublas.path();
    });
    return all;
}

const opened& libraries() {
    static const opened all = open_both();
    return all;
}

// The system's is open before: a load of libcublasLt.so.13 by name gets the one opened first.
opened open_newest() {
    opened all;
    const std::string system = libraries().lt_path;
    static constexpr std::string_view files[] = {"libcublasLt.newest.so"};
    all.why_not = open_first({"newer cuBLASLt", files, "./dev peers (it brings nvidia-cublas)"},
                             [&](const shared_library& lt) {
                                 if (lt.path() == system) throw rejected("is the system's, too");
                                 connect_lt(lt, all.call);
                                 all.lt_path = lt.path();
                             });
    all.call.status_text = libraries().call.status_text;
    return all;
}

const opened& newest() {
    static const opened all = open_newest();
    return all;
}

struct handles {
    cublasHandle_t cublas = nullptr;
    cublasLtHandle_t lt = nullptr;
    cublasLtHandle_t newest_lt = nullptr;  // once asked for
    carat::cuda::device_memory workspace;
};

// Kept until the process ends and then left to the driver, like the device's space.
handles& on_device_in_use() {
    static auto& all = *new std::map<int, handles>;
    const cudaStream_t stream = carat::cuda::stream_in_use();
    handles& own = all[carat::cuda::device_in_use()];
    if (own.cublas != nullptr) return own;
    const functions& call = library();
    own.workspace = carat::cuda::allocate(workspace_bytes);
    check(call.lt_create(&own.lt), "cublasLtCreate");
    check(call.create(&own.cublas), "cublasCreate");
    check(call.set_stream(own.cublas, stream), "cublasSetStream");
    check(call.set_workspace(own.cublas, own.workspace.get(), workspace_bytes),
          "cublasSetWorkspace");
    // Partial sums of f16 products stay in f32.
    constexpr auto math = static_cast<cublasMath_t>(
        int{CUBLAS_DEFAULT_MATH} | int{CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION});
    check(call.set_math_mode(own.cublas, math), "cublasSetMathMode");
    return own;
}

rows::library_facts facts(const char* name, const std::string& path, origin from = origin::system) {
    const std::size_t v = library(from).lt_version();
    const auto version = fmt::format("{}.{}.{}", v / 10000, v / 100 % 100, v % 100);
    return {.name = name, .version = version, .path = path, .kernel = {}, .note = {}};
}

}  // namespace

std::string unavailable() {
    if (std::string why = carat::cuda::unavailable_in_use(); !why.empty()) return why;
    return libraries().why_not;
}

std::string unavailable_newest() {
    if (std::string why = unavailable(); !why.empty()) return why;
    return newest().why_not;
}

const functions& library(origin from) {
    return from == origin::system ? libraries().call : newest().call;
}

rows::library_facts cublas_facts() {
    return facts("cuBLAS", libraries().cublas_path);
}

rows::library_facts cublaslt_facts() {
    return facts("cuBLASLt", libraries().lt_path);
}

rows::library_facts newest_facts() {
    return facts("cuBLASLt", newest().lt_path, origin::newest);
}

cublasHandle_t handle() {
    return on_device_in_use().cublas;
}

cublasLtHandle_t lt_handle(origin from) {
    handles& own = on_device_in_use();
    if (from == origin::system) return own.lt;
    if (own.newest_lt == nullptr) check(library(from).lt_create(&own.newest_lt), "cublasLtCreate");
    return own.newest_lt;
}

void* workspace() {
    return on_device_in_use().workspace.get();
}

void check(cublasStatus_t status, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw error(error_code::unsupported,
                fmt::format("cuBLAS: {} failed: {}", call, library().status_text(status)));
}

}  // namespace carat::vendor::cublas
