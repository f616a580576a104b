#include "blocks.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crash.hpp"

namespace carat::fuzz {

namespace {

bool in_case = false;                   // this process runs cases
constexpr unsigned most_seconds = 300;  // of a case
constexpr std::array<const char*, isa_count> isas = {"baseline", "avx2", "avx512", "amx"};

// What a child tells its parent, also when it ends in the middle of a case.
struct shared {
    tally count;
    std::uint64_t current;
    std::uint64_t findings;
    std::array<char, 400> description;
};

// As the system names what the processor has.
bool has_flag(const char* name) {
    static const std::string flags = [] {
        std::ifstream file("/proc/cpuinfo");
        std::string line;
        while (std::getline(file, line))
            if (line.starts_with("flags")) return line + " ";
        return std::string();
    }();
    return flags.find(" " + std::string(name) + " ") != std::string::npos;
}

void* map_shared(std::size_t bytes) {
    void* const mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    return mapped;
}

// A job's own, once it has forked from the others.
shared& memory() {
    static shared* at = nullptr;
    static pid_t owner = 0;
    if (in_case) return *at;
    if (owner != getpid()) {
        owner = getpid();
        at = ::new (map_shared(sizeof(shared))) shared{};
    }
    return *at;
}

std::string case_name(const family& of, std::uint64_t number) {
    return of.name.empty() ? std::to_string(number) : of.name + ":" + std::to_string(number);
}

void tell(const family& of, const options& o, std::uint64_t number, const std::string& what) {
    std::printf("FINDING %s: %s\n    ./dev fuzz --seed %llu --only %s\n",
                case_name(of, number).c_str(), what.c_str(),
                static_cast<unsigned long long>(o.seed), case_name(of, number).c_str());
    std::fflush(stdout);
}

int status_of_child(const std::function<void()>& work) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) work();  // which ends it
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        std::fprintf(stderr, "carat_fuzz: no process could be started\n");
        std::exit(2);
    }
    return status;
}

// A signal ends the child, after which its parent says which case it was.
void be_a_child(const family& of, const options& o, std::uint64_t first, std::uint64_t last) {
    in_case = true;
    tell_of_crashes();
    if (of.name != "gpu") setenv("CARAT_FORCE_ISA", isa_of(first), 1);
    const surroundings in = {.flushes = std::strcmp(isa_of(first), "avx512") == 0 ||
                                        std::strcmp(isa_of(first), "amx") == 0,
                             .has_f16_sums = std::strcmp(isa_of(first), "avx2") != 0 &&
                                             std::strcmp(isa_of(first), "baseline") != 0 &&
                                             has_flag("avx512_fp16"),
                             .shares_gpu = o.jobs > 1,
                             .description = memory().description};
    for (std::uint64_t number = first; number < last; ++number) {
        memory().current = number;
        alarm(most_seconds);
        const std::string wrong = of.run(o.seed, number, in, memory().count);
        if (wrong.empty()) continue;
        ++memory().findings;
        tell(of, o, number, wrong);
    }
    _exit(0);
}

}  // namespace

const char* isa_of(std::uint64_t number) {
    return isas[number / cases_in_a_block % isas.size()];
}

bool machine_has(const std::string& isa) {
    const auto has_all = [](std::initializer_list<const char*> names) {
        return std::ranges::all_of(names, has_flag);
    };
    if (isa == "baseline") return true;
    if (isa == "avx2") return has_all({"avx2", "fma"});
    if (isa == "avx512") return has_all({"avx512f", "avx512bw", "avx512vl", "avx512dq"});
    return has_all({"avx512f", "amx_tile", "amx_int8", "amx_bf16"});
}

std::span<report> shared_reports(std::size_t count) {
    auto* const all = static_cast<report*>(map_shared(count * sizeof(report)));
    std::uninitialized_value_construct_n(all, count);
    return {all, count};
}

void in_children(std::uint64_t jobs, const std::function<void(std::uint64_t)>& run_job) {
    std::fflush(stdout);
    for (std::uint64_t job = 0; job < jobs; ++job)
        if (const pid_t child = fork(); child == 0) {
            run_job(job);
            std::fflush(stdout);
            _exit(0);
        } else if (child < 0) {
            std::fprintf(stderr, "carat_fuzz: no process could be started\n");
        }
    while (wait(nullptr) > 0) {
    }
}

bool in_a_child(bool (*work)()) {
    const int status = status_of_child([&] { _exit(work() ? 0 : 1); });
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void run_block(const family& of, const options& o, std::uint64_t first, std::uint64_t last,
               report& to) {
    while (first < last && to.findings < most_findings) {
        memory() = shared{};
        memory().current = first;
        const int status = status_of_child([&] { be_a_child(of, o, first, last); });
        to.all.add(memory().count);
        to.findings += memory().findings;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
        ++to.findings;
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        tell(of, o, memory().current,
             std::string(memory().description.data()) + ": " +
                 (signal == SIGALRM ? "took more than " + std::to_string(most_seconds) + " s"
                  : signal != 0     ? std::string("ended the process: ") + strsignal(signal)
                                    : "left with " + std::to_string(WEXITSTATUS(status))));
        first = memory().current + 1;
    }
}

}  // namespace carat::fuzz
