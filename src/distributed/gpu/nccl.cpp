#include "distributed/gpu/nccl.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

#include <carat/error.hpp>

namespace carat::distributed::gpu {

namespace {

struct opened {
    nccl call{};
    std::string path;
    std::string why_not;
};

opened open() {
    opened all;
    const char* named = std::getenv("CARAT_NCCL");
    const std::string file = named != nullptr && *named != '\0' ? named : "libnccl.so.2";
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        all.why_not = std::string("no NCCL here: ") + dlerror() +
                      "; install libnccl2, or name the file in CARAT_NCCL";
        return all;
    }
    const auto take = [&](auto*& function, const char* symbol) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
        if (function == nullptr && all.why_not.empty())
            all.why_not = file + " exports no " + symbol + ": install a newer NCCL";
    };
    nccl& f = all.call;
    take(f.version, "ncclGetVersion");
    take(f.get_unique_id, "ncclGetUniqueId");
    take(f.init_rank, "ncclCommInitRankConfig");
    take(f.destroy, "ncclCommDestroy");
    take(f.abort, "ncclCommAbort");
    take(f.async_error, "ncclCommGetAsyncError");
    take(f.count, "ncclCommCount");
    take(f.rank, "ncclCommUserRank");
    take(f.group_start, "ncclGroupStart");
    take(f.group_end, "ncclGroupEnd");
    take(f.send, "ncclSend");
    take(f.receive, "ncclRecv");
    take(f.all_gather, "ncclAllGather");
    take(f.error_text, "ncclGetErrorString");
    take(f.last_error, "ncclGetLastError");
    link_map* entry = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &entry) == 0 && entry != nullptr) all.path = entry->l_name;
    return all;
}

const opened& library() {
    static const opened all = open();
    if (!all.why_not.empty())
        throw error(error_code::unsupported, "distributed product: " + all.why_not);
    return all;
}

}  // namespace

const nccl& nccl_library() {
    return library().call;
}

std::string nccl_version() {
    int v = 0;
    check_nccl(nccl_library().version(&v), "ncclGetVersion");
    return "NCCL " + std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100) + " (" + library().path + ")";
}

void check_nccl(int result, const char* call) {
    if (result == 0) return;
    const char* more = nccl_library().last_error(nullptr);
    throw error(error_code::device_failed,
                std::string("distributed product: ") + call +
                    " failed: " + nccl_library().error_text(result) +
                    (more != nullptr && *more != '\0' ? std::string("; ") + more : ""));
}

}  // namespace carat::distributed::gpu
