#include "lab/vendor/common/shared_library.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <sstream>

#if defined(__SANITIZE_ADDRESS__)
// GCC's leak check crashes at exit over thread-local data of libraries opened at run time, unless
// it leaves the look-up of such data alone.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
    return "intercept_tls_get_addr=0";
}
#endif

namespace carat::vendor {

shared_library::shared_library(const std::string& name, std::string_view prefix)
    : prefix_(prefix), handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw rejected(dlerror());
}

void* shared_library::find(const char* symbol) const {
    void* const found = dlsym(handle_, symbol);
    return found != nullptr || prefix_.empty() ? found : dlsym(handle_, (prefix_ + symbol).c_str());
}

std::string shared_library::path() const {
    link_map* entry = nullptr;
    if (dlinfo(handle_, RTLD_DI_LINKMAP, &entry) != 0 || entry == nullptr) return {};
    std::error_code failed;
    const auto resolved = std::filesystem::canonical(entry->l_name, failed);
    return failed ? entry->l_name : resolved.string();
}

std::vector<std::string> candidates(const library_search& search) {
    std::vector<std::string> found;
    const char* peers = std::getenv("CARAT_PEER_PATH");
    std::istringstream folders(peers == nullptr ? "" : peers);
    for (std::string folder; std::getline(folders, folder, ':');)
        for (const std::string_view file : search.files)
            if (!folder.empty() && file.find('/') == std::string_view::npos)
                found.push_back(fmt::format("{}/{}", folder, file));
    found.insert(found.end(), search.files.begin(), search.files.end());
    return found;
}

std::string open_first(const library_search& search,
                       const std::function<void(const shared_library&)>& connect) {
    std::string objections;
    for (const std::string& file : candidates(search)) {
        try {
            connect(shared_library(file, search.prefix));
            return {};
        } catch (const rejected& why) {
            const std::string_view reason = why.what();
            // A file that isn't there is no news; one that is there and won't do is, be it for
            // want of another.
            if (!reason.starts_with(file + ":") ||
                reason.find("No such file") == std::string_view::npos)
                objections += fmt::format("; {}: {}", file, reason);
        }
    }
    return fmt::format("no {} to use: tried {}{}{}; remedy: {}", search.title,
                       fmt::join(search.files, ", "),
                       std::getenv("CARAT_PEER_PATH") == nullptr ? "" : " and CARAT_PEER_PATH",
                       objections, search.remedy);
}

}  // namespace carat::vendor
