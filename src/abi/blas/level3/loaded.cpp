#include "abi/blas/level3/loaded.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <link.h>
#include <string_view>
#include <unistd.h>

namespace carat::blas {

namespace {

int take_name(dl_phdr_info* object, std::size_t, void* files) {
    if (object->dlpi_name != nullptr && *object->dlpi_name != '\0')
        static_cast<std::vector<std::string>*>(files)->emplace_back(object->dlpi_name);
    return 0;
}

std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Recognises a BLAS by its name, as there is no symbol that all of them have.
bool may_be_blas(std::string_view file) {
    constexpr auto names = std::to_array<std::string_view>(
        {"libopenblas", "libscipy_openblas", "libblas", "libcblas", "libblis", "libmkl_rt",
         "libmkl_core", "libflexiblas", "libatlas", "libsatlas", "libtatlas", "libarmpl",
         "libnvpl_blas", "libtorch_cpu"});
    return std::ranges::any_of(
        names, [&](std::string_view name) { return last_part(file).starts_with(name); });
}

// Whether the program's calls to that library's products come here instead.
bool comes_before(void* library) {
    constexpr auto names =
        std::to_array<const char*>({"dgemm_", "dgemm_64_", "scipy_dgemm_", "scipy_dgemm_64_"});
    return std::ranges::any_of(names, [&](const char* name) {
        const void* const theirs = dlsym(library, name);
        const void* const first = dlsym(RTLD_DEFAULT, name);
        return theirs != nullptr && first != nullptr && theirs != first;
    });
}

}  // namespace

std::vector<std::string> loaded_files() {
    std::vector<std::string> files;
    dl_iterate_phdr(take_name, &files);
    return files;
}

void* handle_of(const std::string& file) {
    return dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
}

std::string why_no_calls() {
    std::string reached;
    std::string own;
    for (const std::string& file : loaded_files()) {
        void* const library = may_be_blas(file) ? handle_of(file) : nullptr;
        if (library == nullptr || dlsym(library, "carat_blas_config") != nullptr) continue;
        (comes_before(library) ? reached : own) = last_part(file);
    }
    const std::string who = "carat_blas: 0 calls in process " + std::to_string(getpid());
    if (!own.empty())
        return who + ": this program carries its own BLAS, " + own + ", see docs/blas.md\n";
    if (reached.empty()) return {};
    return who + ": it asked for no product, which carat would take from " + reached + "\n";
}

}  // namespace carat::blas
