// BLIS, through its BLAS interface. It keeps a thread count of its own and starts an OpenMP team of
// exactly that size in each call. It picks kernels by the CPU's family and model, and one that it
// doesn't know gets the generic ones, several times slower; BLIS_ARCH_TYPE then helps, but takes
// BLIS's internal number of an architecture, which differs between versions.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/common/kernel_note.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor {

namespace {

core::isa level_of(std::string_view architecture) {
    static constexpr std::array avx512 = {"skx", "knl", "zen4", "zen5"};
    static constexpr std::array avx2 = {"haswell", "zen", "zen2", "zen3"};
    if (std::ranges::find(avx512, architecture) != avx512.end()) return core::isa::avx512;
    if (std::ranges::find(avx2, architecture) != avx2.end()) return core::isa::avx2;
    return core::isa::baseline;
}

using name_of_architecture = const char*(int);

// The number that BLIS_ARCH_TYPE takes for `architecture`; empty when this BLIS knows no such one.
// Every number up to the one in use names something.
std::string number_of(std::string_view architecture, name_of_architecture* name, int in_use) {
    for (int number = 0; number <= in_use; ++number)
        if (architecture == name(number)) return std::to_string(number);
    return {};
}

// BLIS aborts the whole process over kernels that it was not built with: a child finds out.
bool starts(const shared_library& file) {
    auto* const start = file.required<void()>("bli_init");
    const pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);  // what it says there is said better by its row
        std::signal(SIGABRT, [](int) { _exit(1); });
        start();
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void check_override(const shared_library& file, std::string_view version) {
    const char* set = std::getenv("BLIS_ARCH_TYPE");
    if (set == nullptr) return;
    const std::string_view value = set;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (version.starts_with("0.") && (value.empty() || !std::ranges::all_of(value, is_digit)))
        throw rejected(fmt::format("BLIS_ARCH_TYPE={}: BLIS {} takes a number", set, version));
    if (!starts(file))
        throw rejected(
            fmt::format("BLIS_ARCH_TYPE={}: BLIS {} has no such kernels; unset it", set, version));
}

// These fix the threads of its loops, whatever number it is told.
void check_loops() {
    for (const char* name : {"BLIS_JC_NT", "BLIS_PC_NT", "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT"})
        if (const char* set = std::getenv(name); set != nullptr)
            throw rejected(
                fmt::format("{}={} fixes the threads of its loops, whatever is asked for; unset it",
                            name, set));
}

// BLIS counts in an integer of its own width: 64 bits are read rightly as 32, too.
thread_control threads_of(const shared_library& file) {
    const auto built_with = [&](const char* symbol) {
        auto* const enabled = file.function<std::int64_t()>(symbol);
        return enabled != nullptr && static_cast<int>(enabled()) != 0;
    };
    if (!built_with("bli_info_get_enable_threading")) return {};
    auto* const set = file.required<void(std::int64_t)>("bli_thread_set_num_threads");
    auto* const get = file.required<std::int64_t()>("bli_thread_get_num_threads");
    const auto current = [=] { return static_cast<int>(get()); };
    const auto confirm = [=](int threads) {
        set(threads);
        // It aborts when OpenMP grants fewer threads than it counts on.
        return std::min(current(), granted_by_openmp(file, threads));
    };
    return {{set, current}, {}, confirm};
}

std::string_view flavour_of(const shared_library& file) {
    auto* const openmp = file.function<std::int64_t()>("bli_info_get_enable_openmp");
    if (openmp != nullptr && static_cast<int>(openmp()) != 0) return "OpenMP";
    auto* const pthreads = file.function<std::int64_t()>("bli_info_get_enable_pthreads");
    return pthreads != nullptr && static_cast<int>(pthreads()) != 0 ? "pthread" : "serial";
}

void connect(const shared_library& file, blas_library& library) {
    const std::string version = file.required<const char*()>("bli_info_get_version_str")();
    auto* const integer_bits = file.function<std::int64_t()>("bli_info_get_blas_int_type_size");
    if (integer_bits != nullptr && static_cast<int>(integer_bits()) == 64)
        throw rejected(wide_integers);
    check_override(file, version);
    check_loops();
    // Asked before this call, BLIS aborts over any BLIS_ARCH_TYPE: it knows no architectures.
    file.required<void()>("bli_init")();
    const int in_use = file.required<int()>("bli_arch_query_id")();
    auto* const name = file.required<name_of_architecture>("bli_arch_string");
    const char* const wanted = core::has(core::isa::avx512) ? "skx" : "haswell";
    library.threads = threads_of(file);
    library.facts.version = fmt::format("{}, {}", version, flavour_of(file));
    library.facts.kernel = name(in_use);
    library.facts.note = kernel_note(level_of(library.facts.kernel), "BLIS_ARCH_TYPE",
                                     number_of(wanted, name, in_use));
}

#define CARAT_BLIS_FOLDER(flavour) \
    "/usr/lib/" CARAT_LIBRARY_ARCHITECTURE "/blis-" flavour "/libblis.so.4"

constexpr std::array<std::string_view, 5> files = {CARAT_BLIS_FOLDER("openmp"),
                                                   CARAT_BLIS_FOLDER("pthread"), "libblis.so.5",
                                                   "libblis.so.4", "libblis.so"};

}  // namespace

constexpr blas_vendor blis_vendor = {{"BLIS", files, "apt install libblis4-openmp, or ./dev peers"},
                                     connect};

constexpr rows::implementation blis_row =
    blas_row<blis_vendor>("vendor.blis", "BLIS: one micro-kernel under portable loops");

}  // namespace carat::vendor
