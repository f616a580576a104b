// The cost of a BLAS before it multiplies: the processor time of /bin/true with each library
// preloaded, and the times of a process's first and second call (dgemm of 8 x 8 x 8).
//
//   carat_benchmark_startup [--rounds N] NAME=libcarat_blas.so [NAME=libopenblas.so.0] ...
//
// Libraries, and a run without any, take turns. Prints JSON: median, 5th and 95th percentile in
// milliseconds. Only differences from "plain" within one run are meaningful.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <spawn.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

using gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const double*,
                      const double*, const int*, const double*, const int*, const double*, double*,
                      const int*);

struct library {
    std::string name, file;  // no file: plain
    std::vector<double> true_ms, first_ms, second_ms;
};

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "carat_benchmark_startup: %s\n", why.c_str());
    std::exit(2);
}

// Processor time of a program that has `file` preloaded.
double cpu_ms(const std::string& file, std::vector<std::string> words,
              posix_spawn_file_actions_t* actions = nullptr) {
    if (file.empty())
        unsetenv("LD_PRELOAD");
    else
        setenv("LD_PRELOAD", file.c_str(), 1);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawn(&child, arguments[0], actions, nullptr, arguments.data(), environ) != 0)
        fail(words[0] + " can't be run");
    int status = 0;
    rusage use{};
    if (wait4(child, &status, 0, &use) != child || status != 0)
        fail(words[0] + " failed with " + file);
    const auto ms = [](const timeval& t) {
        return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
    };
    return ms(use.ru_utime) + ms(use.ru_stime);
}

// Runs in its own process, which writes the times of its first two calls.
int make_calls() {
    // Not a cast: ISO C++ knows none from an object to a function.
    void* const found = dlsym(RTLD_DEFAULT, "dgemm_");
    if (found == nullptr) return 3;
    gemm multiply = nullptr;
    std::memcpy(&multiply, &found, sizeof multiply);
    constexpr int n = 8;
    constexpr double one = 1, zero = 0;
    std::array<double, n * n> a{}, b{}, c{};
    std::array<double, 2> ms{};
    for (double& taken : ms) {
        const auto before = std::chrono::steady_clock::now();
        multiply("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
        const auto after = std::chrono::steady_clock::now();
        taken = std::chrono::duration<double, std::milli>(after - before).count();
    }
    return write(STDOUT_FILENO, ms.data(), sizeof ms) == sizeof ms ? 0 : 4;
}

void take_calls(library& of) {
    int ends[2];
    if (pipe(ends) != 0) fail("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    cpu_ms(of.file, {"/proc/self/exe", "--calls"}, &actions);
    posix_spawn_file_actions_destroy(&actions);
    std::array<double, 2> ms{};
    if (read(ends[0], ms.data(), sizeof ms) != sizeof ms) fail("no times of " + of.file);
    close(ends[0]);
    close(ends[1]);
    of.first_ms.push_back(ms[0]);
    of.second_ms.push_back(ms[1]);
}

void print(const char* what, std::vector<double> ms, const char* end) {
    std::ranges::sort(ms);
    const auto at = [&](double share) {
        return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
    };
    std::printf("\"%s\": {\"median\": %.4f, \"p5\": %.4f, \"p95\": %.4f}%s", what, at(0.5),
                at(0.05), at(0.95), end);
}

void print(const library& of, const char* end) {
    std::printf("  {\"name\": \"%s\", ", of.name.c_str());
    print("true_cpu_ms", of.true_ms, of.file.empty() ? "" : ", ");
    if (!of.file.empty()) {
        print("first_call_ms", of.first_ms, ", ");
        print("second_call_ms", of.second_ms, "");
    }
    std::printf("}%s\n", end);
}

}  // namespace

int main(int count, char** words) {
    int rounds = 200;
    std::vector<library> libraries = {{"plain", "", {}, {}, {}}};
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--calls") return make_calls();
        const std::size_t equals = word.find('=');
        if (word == "--rounds" && i + 1 < count)
            rounds = std::max(1, std::atoi(words[++i]));
        else if (equals == std::string::npos)
            fail("'" + word + "' is no NAME=LIBRARY");
        else
            libraries.push_back({word.substr(0, equals), word.substr(equals + 1), {}, {}, {}});
    }
    for (int round = 0; round < rounds; ++round)
        for (library& of : libraries) {
            of.true_ms.push_back(cpu_ms(of.file, {"/bin/true"}));
            if (!of.file.empty()) take_calls(of);
        }
    std::printf("[\n");
    for (const library& of : libraries) print(of, &of == &libraries.back() ? "" : ",");
    std::printf("]\n");
}
