// A target's process: loads a shared object with a carat_kernel and calls it. It links nothing of
// carat, so the target finds no engine here to call. `--exec PROGRAM ...` runs a program instead
// (Python with host.py) inside the same boundary; `--open` before either omits the boundary.
#include <array>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <vector>

#include <carat/carat_kernel.h>

#include "lab/judge/host/boundary.hpp"
#include "lab/judge/serve.hpp"

namespace {

using namespace carat::judge;

// Functions of the C library that could make a program believe another time.
constexpr std::array clocks = {"clock_gettime", "gettimeofday", "time",   "clock", "times",
                               "getrusage",     "read",         "write",  "poll",  "mmap",
                               "memcmp",        "memcpy",       "malloc", "kill"};

class kernel_service final : public service {
  public:
    explicit kernel_service(const char* path) : path_(path) {}

    void load(header& to) override {
        to.version = 0;
        void* library = dlopen(path_, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return say(to, dlerror());
        kernel_ = static_cast<const carat_kernel*>(dlsym(library, "carat_kernel_v1"));
        if (kernel_ == nullptr)
            return say(to, "it exports no carat_kernel_v1 (see <carat/carat_kernel.h>)");
        if (kernel_->version < 1 || kernel_->version > CARAT_KERNEL_VERSION ||
            kernel_->run == nullptr)
            return say(to, "its carat_kernel_v1 is not of version 1 or 2, or has no run()");
        to.types = kernel_->types;
        const std::uint32_t known =
            kernel_->version == 1 ? CARAT_ALPHA_BETA : CARAT_ALPHA_BETA | CARAT_ON_GPU;
        to.features = kernel_->features & known;
        std::snprintf(to.name, sizeof to.name, "%s", kernel_->name == nullptr ? "" : kernel_->name);
        say(to, replaced(library));
        to.version = kernel_->version;
    }

    bool prepare(const call& row, std::int32_t index, char* memory) override {
        if (static_cast<std::size_t>(index) >= calls_.size())
            calls_.resize(static_cast<std::size_t>(index) + 1);
        carat_gemm& g = calls_[static_cast<std::size_t>(index)];
        g = {row.m,          row.n,
             row.k,          memory + row.a,
             memory + row.b, memory + row.c,
             row.lda,        row.ldb,
             row.ldc,        row.alpha,
             row.beta,       row.type,
             row.threads,    carat_channel_stream()};
        return kernel_->supports == nullptr || kernel_->supports(&g) != 0;
    }

    std::int64_t run(std::int32_t index) override {
        return kernel_->run(&calls_[static_cast<std::size_t>(index)]);
    }

  private:
    static void say(header& to, const char* text) {
        std::snprintf(to.message, sizeof to.message, "%s", text);
    }

    static const char* replaced(void* library) {
        Dl_info own = {};
        dladdr(dlsym(library, "carat_kernel_v1"), &own);
        for (const char* name : clocks) {
            Dl_info found = {};
            void* address = dlsym(library, name);
            if (address != nullptr && dladdr(address, &found) != 0 &&
                found.dli_fbase == own.dli_fbase)
                return name;
        }
        return "";
    }

    const char* path_;
    const carat_kernel* kernel_ = nullptr;
    std::vector<carat_gemm> calls_;
};

}  // namespace

int main(int argc, char** argv) {
    const bool is_open = argc > 1 && std::strcmp(argv[1], open_option) == 0;
    char** const rest = argv + (is_open ? 2 : 1);
    if (*rest == nullptr) {
        std::fprintf(stderr, "judge_host is a part of `carat judge`: start that\n");
        return 2;
    }
    is_open ? enter_without_boundary() : enter_boundary();
    if (std::strcmp(rest[0], "--exec") == 0 && rest[1] != nullptr) {
        execvp(rest[1], rest + 1);
        std::perror(rest[1]);
        return 127;
    }
    kernel_service target(rest[0]);
    return serve(target);
}
