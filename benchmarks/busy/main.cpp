// The effect of a busy machine on products on all cores: the given libcarat_blas.so files take
// turns, once on an idle machine and once with a busy process on each processor.
//
//   carat_benchmark_busy [--threads N] [--sizes A,B,..] [--busy N] NAME=libcarat_blas.so ...
//
// Each library has its own process, which is stopped during another's turn. Prints JSON: the
// median, 5th and 95th percentile of the turns' mean times for every size, library and load, on one
// thread and on all. Only ratios within one run are meaningful.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const double*,
                      const double*, const int*, const double*, const int*, const double*, double*,
                      const int*);

constexpr int turns = 21;
constexpr double least_turn_s = 0.03;

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "carat_benchmark_busy: %s\n", why.c_str());
    std::exit(2);
}

double now_s() {
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

// A child that multiplies for one turn whenever it receives a size.
class worker {
  public:
    worker(const std::string& library, int threads) {
        if (pipe(to_) != 0 || pipe(from_) != 0) fail("no pipes");
        child_ = fork();
        if (child_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            setenv("CARAT_NUM_THREADS", std::to_string(threads).c_str(), 1);
            setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
            execl("/proc/self/exe", "carat_benchmark_busy", "--turns-of", library.c_str(),
                  std::to_string(to_[0]).c_str(), std::to_string(from_[1]).c_str(), nullptr);
            _exit(127);
        }
    }

    // Seconds for one product, the mean of a turn.
    double turn(int size) const {
        double seconds = 0;
        kill(child_, SIGCONT);
        if (write(to_[1], &size, sizeof size) != sizeof size ||
            read(from_[0], &seconds, sizeof seconds) != sizeof seconds)
            fail("a library's process ended");
        kill(child_, SIGSTOP);
        return seconds;
    }

  private:
    int to_[2] = {};
    int from_[2] = {};
    pid_t child_ = 0;
};

int run_turns(const char* library, int in, int out) {
    void* const opened = dlopen(library, RTLD_NOW);
    if (opened == nullptr) fail(dlerror());
    gemm multiply = nullptr;
    void* const found = dlsym(opened, "dgemm_");
    std::memcpy(&multiply, &found, sizeof found);
    if (multiply == nullptr) fail(std::string(library) + " has no dgemm_");
    std::vector<double> a, b, c;
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int n = 0; read(in, &n, sizeof n) == sizeof n;) {
        const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        if (a.size() != elements) {
            for (auto* x : {&a, &b, &c}) x->assign(elements, 0);
            for (auto* x : {&a, &b})
                std::generate(x->begin(), x->end(), [&] { return uniform(engine); });
        }
        const double one = 1, zero = 0;
        const auto product = [&] {
            multiply("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
        };
        product();
        int products = 0;
        const double start = now_s();
        double spent = 0;
        for (; spent < least_turn_s; spent = now_s() - start, ++products) product();
        const double mean = spent / products;
        if (write(out, &mean, sizeof mean) != sizeof mean) return 1;
    }
    return 0;
}

// Endless loops, each on its own processor.
std::vector<pid_t> start_busy_processes(int count) {
    std::vector<pid_t> started;
    for (int i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            cpu_set_t here;
            CPU_ZERO(&here);
            CPU_SET(static_cast<std::size_t>(i), &here);
            sched_setaffinity(0, sizeof here, &here);
            for (;;) asm volatile("");
        }
        started.push_back(child);
    }
    return started;
}

struct named_library {
    std::string name;
    std::string file;
};

struct request {
    std::vector<named_library> libraries;
    std::vector<int> sizes = {64, 96, 128, 192, 256, 512, 1024, 2048};
    int threads = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    int busy = threads;
};

std::vector<int> numbers(const std::string& text) {
    std::vector<int> all;
    for (std::size_t at = 0; at < text.size(); at = text.find(',', at) + 1) {
        all.push_back(std::atoi(text.c_str() + at));
        if (text.find(',', at) == std::string::npos) break;
    }
    return all;
}

request parse(int count, char** words) {
    request r;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        const auto value = [&] {
            if (++i == count) fail(word + " needs a value");
            return words[i];
        };
        const std::size_t equals = word.find('=');
        if (word == "--threads")
            r.threads = r.busy = std::atoi(value());
        else if (word == "--busy")
            r.busy = std::atoi(value());
        else if (word == "--sizes")
            r.sizes = numbers(value());
        else if (equals != std::string::npos)
            r.libraries.push_back({word.substr(0, equals), word.substr(equals + 1)});
        else
            fail(word + " is neither an option nor NAME=FILE");
    }
    if (r.libraries.empty()) fail("name at least one library, as NAME=libcarat_blas.so");
    return r;
}

void print(const char* load, int size, const std::string& name, int threads,
           std::vector<double> seconds) {
    static bool first = true;
    std::ranges::sort(seconds);
    const auto at = [&](double share) {
        return 1e6 *
               seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
    };
    std::printf(
        "%s\n  {\"load\": \"%s\", \"n\": %d, \"library\": \"%s\", \"threads\": %d, "
        "\"median_us\": %.2f, \"p5_us\": %.2f, \"p95_us\": %.2f}",
        first ? "" : ",", load, size, name.c_str(), threads, at(0.5), at(0.05), at(0.95));
    std::fflush(stdout);
    first = false;
}

void measure(const request& r, const char* load) {
    struct candidate {
        std::string name;
        int threads;
        worker process;
        std::vector<double> seconds = {};
    };
    std::vector<candidate> all;
    for (const named_library& library : r.libraries)
        for (const int threads : {1, r.threads})
            all.push_back({library.name, threads, worker(library.file, threads)});
    for (const int size : r.sizes) {
        for (candidate& c : all) c.seconds.clear();
        for (candidate& c : all) (void)c.process.turn(size);
        for (int turn = 0; turn < turns; ++turn)
            for (candidate& c : all) c.seconds.push_back(c.process.turn(size));
        for (const candidate& c : all) print(load, size, c.name, c.threads, c.seconds);
    }
}

}  // namespace

int main(int count, char** words) {
    if (count == 5 && std::strcmp(words[1], "--turns-of") == 0)
        return run_turns(words[2], std::atoi(words[3]), std::atoi(words[4]));
    const request r = parse(count, words);
    std::printf("{\"threads\": %d, \"busy_processes\": %d, \"turns\": %d, \"results\": [",
                r.threads, r.busy, turns);
    measure(r, "idle");
    const std::vector<pid_t> busy = start_busy_processes(r.busy);
    measure(r, "busy");
    for (const pid_t process : busy) kill(process, SIGKILL);
    std::printf("\n]}\n");
    return 0;
}
