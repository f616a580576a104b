#include "blocks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <malloc.h>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "child.hpp"
#include "crash.hpp"

namespace carat::fuzz {

namespace {

constexpr std::array<const char*, isa_count> isas = {"baseline", "avx2", "avx512", "amx"};

constexpr int gpu_lost = 3;
constexpr std::uint64_t none = ~std::uint64_t{0};

// What a child's thread tells its parent, even if it ends in the middle of a case.
struct slot {
    tally count;
    std::uint64_t current = none;
    clock::rep since = 0;
    std::array<char, 400> description = {};
};
struct shared {
    std::atomic<std::uint64_t> next;  // no thread has begun it yet
    std::atomic<std::uint64_t> findings;
    std::array<slot, most_threads> of_threads;
};

// The system's names for the processor's features.
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

// Maps a file in memory, or none if `file` is -1.
void* map_shared(std::size_t bytes, int file) {
    const int flags = MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0);
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    return mapped;
}

// Memory that a child keeps when it executes another program.
class told {
  public:
    told() : file_(memfd_create("carat_fuzz", 0)) {
        if (file_ < 0 || ftruncate(file_, sizeof(shared)) != 0) throw std::bad_alloc();
        at_ = ::new (map_shared(sizeof(shared), file_)) shared{};
    }
    told(const told&) = delete;
    told& operator=(const told&) = delete;
    ~told() {
        munmap(at_, sizeof(shared));
        close(file_);
    }
    [[nodiscard]] int file() const { return file_; }
    [[nodiscard]] shared& operator*() const { return *at_; }
    [[nodiscard]] shared* operator->() const { return at_; }

  private:
    int file_;
    shared* at_ = nullptr;
};

std::string case_name(const family& of, std::uint64_t number) {
    return of.name.empty() ? std::to_string(number) : of.name + ":" + std::to_string(number);
}

void tell(const family& of, const options& o, std::uint64_t number, const std::string& what) {
    std::printf("FINDING %s: %s\n    ./dev fuzz --seed %llu --only %s\n",
                case_name(of, number).c_str(), what.c_str(),
                static_cast<unsigned long long>(o.seed), case_name(of, number).c_str());
    std::fflush(stdout);
}

// The library detects its instruction set when it is loaded, or before the first fork.
[[noreturn]] void start_again(const family& of, const options& o, std::uint64_t first,
                              std::uint64_t last, int file) {
    if (!of.on_gpu) setenv("CARAT_FORCE_ISA", isa_of(first), 1);
    const std::string seed = std::to_string(o.seed);
    const std::string jobs = std::to_string(o.jobs);
    const std::string threads = std::to_string(o.threads);
    const std::string block = std::to_string(file) + " " + std::to_string(first) + " " +
                              std::to_string(last) + " " +
                              std::to_string(o.until.time_since_epoch().count()) + " " + of.name;
    const std::string most = std::to_string(o.most_seconds);
    execl("/proc/self/exe", "carat_fuzz", "--seed", seed.c_str(), "--jobs", jobs.c_str(),
          "--threads", threads.c_str(), "--kernels", o.kernels.c_str(), "--most-seconds",
          most.c_str(), "--block", block.c_str(), nullptr);
    std::fprintf(stderr, "carat_fuzz: can't be started again: %s\n", std::strerror(errno));
    _exit(2);
}

surroundings surroundings_of(const options& o, std::uint64_t first, std::size_t thread, slot& to) {
    const std::string isa = isa_of(first);
    const bool wide = isa == "avx512" || isa == "amx";
    return {.flushes = wide,
            .has_f16_sums = wide && has_flag("avx512_fp16"),
            .thread = thread,
            .is_watched = o.here,
            .shares_gpu = o.jobs > 1,
            .description = to.description};
}

// Runs cases that no thread has begun, until none or no time is left.
void run_some(const family& of, const options& o, std::uint64_t first, std::uint64_t last,
              std::size_t thread, shared& to) {
    slot& own = to.of_threads[thread];
    const surroundings in = surroundings_of(o, first, thread, own);
    while (clock::now() < o.until) {
        const std::uint64_t number = to.next.fetch_add(1);
        if (number >= last || to.findings >= most_findings) break;
        own.since = clock::now().time_since_epoch().count();
        own.current = number;
        const std::string wrong = of.run(o.seed, number, in, own.count);
        const bool lost = !wrong.empty() && of.is_lost != nullptr && of.is_lost();
        if (lost && o.threads > 1) _exit(gpu_lost);  // by which case is seen when each runs alone
        own.current = none;
        if (wrong.empty()) continue;
        ++to.findings;
        tell(of, o, number, wrong);
        if (lost) return;
    }
}

// Ends the process if a case takes too long, after printing where its threads are.
void watch(const shared& from, std::chrono::seconds most) {
    for (bool told = false;; sleep(1)) {
        const clock::rep now = clock::now().time_since_epoch().count();
        for (const slot& one : from.of_threads) {
            if (one.current == none || now - one.since <= clock::duration(most).count()) continue;
            if (!std::exchange(told, true)) tell_of_all_threads();
            std::raise(SIGALRM);
        }
    }
}

// Changes with each case that begins or ends.
std::uint64_t progress_of(const shared& of) {
    std::uint64_t all = of.next;
    for (const slot& one : of.of_threads)
        all = all * 31 + static_cast<std::uint64_t>(one.since) + (one.current == none ? 1 : 0);
    return all;
}

// The parent's limit for a child without progress.
std::chrono::seconds most_without_progress(const options& o) {
    return std::chrono::seconds(o.most_seconds + (o.most_seconds + 1) / 2);
}

// Keeps freed memory, which the next case would otherwise request page by page.
void keep_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

// A signal ends the child; its parent then reports the case.
void run_cases(const family& of, const options& o, std::uint64_t first, std::uint64_t last,
               shared& to) {
    tell_of_crashes();
    keep_memory();
    std::thread([&] { watch(to, std::chrono::seconds(o.most_seconds)); }).detach();
    std::vector<std::thread> others;
    for (std::size_t thread = 1; thread < o.threads; ++thread)
        others.emplace_back([&, thread] {
            const crash_stack here;
            run_some(of, o, first, last, thread, to);
        });
    run_some(of, o, first, last, 0, to);
    for (std::thread& other : others) other.join();
    if (of.ends != nullptr) of.ends(o.kernels);
}

std::string how_it_ended(const options& o, const ending& e) {
    const auto seconds = [](std::uint64_t s) { return std::to_string(s) + " s"; };
    if (!e.in_time)
        return "did not end: its process was killed after " +
               seconds(static_cast<std::uint64_t>(most_without_progress(o).count())) +
               " without progress" + (e.is_there ? ", and is there still" : "");
    const int status = e.status;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == SIGALRM) return "did not end within " + seconds(o.most_seconds);
    if (signal != 0) return std::string("ended the process: ") + strsignal(signal);
    return "left with " + std::to_string(WEXITSTATUS(status));
}

std::uint64_t last_begun(const shared& from, std::uint64_t last) {
    return std::max<std::uint64_t>(std::min<std::uint64_t>(from.next, last), 1) - 1;
}

// Finds which of the cases that ran when a multi-threaded process ended fails alone.
void find_culprit(const family& of, const options& o, const shared& from, std::uint64_t last,
                  const ending& e, report& to) {
    options alone = o;
    alone.threads = 1;
    alone.until = clock::time_point::max();
    const std::uint64_t before = to.findings;
    std::string all;
    std::uint64_t some = last_begun(from, last);
    for (const slot& one : from.of_threads) {
        if (one.current == none) continue;
        some = one.current;
        all += " " + case_name(of, some);
        run_block(of, alone, some, some + 1, to);
    }
    if (to.findings != before) return;
    ++to.findings;
    tell(of, o, some, how_it_ended(o, e) + " while these ran, of which none does it alone:" + all);
}

}  // namespace

const char* isa_of(std::uint64_t number) {
    return isas[number / cases_in_a_block % isas.size()];
}

// Asks the library in its own process, since the system or the caller may hide what the processor
// has.
bool machine_has(const std::string& isa) {
    static std::map<std::string, bool> known;
    const auto [at, is_new] = known.try_emplace(isa, false);
    if (!is_new) return at->second;
    const pid_t child = fork();
    if (child == 0) {
        setenv("CARAT_FORCE_ISA", isa.c_str(), 1);
        execl("/proc/self/exe", "carat_fuzz", "--answers", nullptr);
        _exit(2);
    }
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return at->second = status == 0;
}

std::span<report> shared_reports(std::size_t count) {
    auto* const all = static_cast<report*>(map_shared(count * sizeof(report), -1));
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
    constexpr std::chrono::seconds most(120);
    const ending e = end_of_child([&] { _exit(work() ? 0 : 1); }, most, [] { return 0; });
    if (!e.in_time) std::fprintf(stderr, "carat_fuzz: no answer within %d s\n", int{most.count()});
    return e.in_time && WIFEXITED(e.status) && WEXITSTATUS(e.status) == 0;
}

void run_given_block(const options& o, std::span<const family> all) {
    int file = -1;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    clock::rep until = 0;
    std::string name;
    std::istringstream(o.block) >> file >> first >> last >> until >> name;
    auto& to = *static_cast<shared*>(map_shared(sizeof(shared), file));
    options within = o;
    within.until = clock::time_point(clock::duration(until));
    for (const family& of : all)
        if (of.name == name) run_cases(of, within, first, last, to);
    std::fflush(stdout);
    _exit(0);
}

report run_here(const family& of, const options& o, std::uint64_t first, std::uint64_t last) {
    auto& to = *static_cast<shared*>(map_shared(sizeof(shared), -1));
    to.next = first;
    for (slot& one : to.of_threads) one.current = none;
    run_cases(of, o, first, last, to);
    report all;
    for (const slot& one : to.of_threads) all.all.add(one.count);
    all.findings = to.findings;
    return all;
}

void run_block(const family& of, const options& o, std::uint64_t first, std::uint64_t last,
               report& to) {
    while (first < last && to.findings < most_findings && clock::now() < o.until) {
        const told by_child;
        by_child->next = first;
        const ending e =
            end_of_child([&] { start_again(of, o, first, last, by_child.file()); },
                         most_without_progress(o), [&] { return progress_of(*by_child); });
        for (const slot& one : by_child->of_threads) to.all.add(one.count);
        to.findings += by_child->findings;
        const std::uint64_t next = std::max(first + 1, by_child->next.load());
        if (e.in_time && WIFEXITED(e.status) && WEXITSTATUS(e.status) == 0) {
            first = next;
            continue;
        }
        const slot& only = by_child->of_threads[0];
        if (o.threads > 1) {
            find_culprit(of, o, *by_child, last, e, to);
        } else {
            ++to.findings;
            tell(of, o, only.current == none ? last_begun(*by_child, last) : only.current,
                 only.description.data() + (": " + how_it_ended(o, e)));
        }
        first = next;
    }
}

}  // namespace carat::fuzz
