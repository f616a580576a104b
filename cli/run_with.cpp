// carat run-with: a program on carat's BLAS instead of its own, and what it asked of it.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "files/read.hpp"
#include "lab/process/program.hpp"

namespace carat::cli {

namespace {

namespace fs = std::filesystem;

struct run_with_options {
    std::string library;
    std::vector<std::string> command;
};

[[noreturn]] void refuse_run(const std::string& why) {
    throw error(error_code::invalid_argument, "run-with: " + why);
}

// Looks where it is installed, then where it is built.
fs::path library_beside_command() {
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
    for (const char* place : {CARAT_BLAS_INSTALLED, CARAT_BLAS_BUILT})
        if (fs::path file = (folder / place).lexically_normal(); fs::exists(file)) return file;
    const fs::path build = folder.parent_path();
    const std::string remedy = fs::exists(build / "CMakeCache.txt")
                                   ? "run cmake --build " + build.string()
                                   : "install carat with its BLAS";
    refuse_run("libcarat_blas.so.0 is not beside this command; " + remedy +
               ", or name its file with --library");
}

fs::path library_of(const run_with_options& o) {
    const fs::path file = o.library.empty() ? library_beside_command() : fs::absolute(o.library);
    if (!fs::is_regular_file(file))
        refuse_run("--library '" + o.library + "' is no file; name a libcarat_blas.so.0");
    if (file.string().find_first_of(" :") != std::string::npos)
        refuse_run("LD_PRELOAD can't have a path with a blank or a colon, as '" + file.string() +
                   "' has; copy the library elsewhere and name it with --library");
    return file;
}

std::vector<std::string> environment_with(const fs::path& library, const fs::path& profile) {
    std::vector<std::string> all;
    std::string preload = "LD_PRELOAD=" + library.string();
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with("LD_PRELOAD="))
            preload += ":" + std::string(text.substr(text.find('=') + 1));
        else if (!text.starts_with("CARAT_PROFILE="))
            all.emplace_back(text);
    }
    all.push_back(preload);
    all.push_back("CARAT_PROFILE=" + profile.string());
    return all;
}

volatile std::sig_atomic_t program = 0;  // to which requests to end are passed on; 0: none runs

extern "C" void pass_on(int signal) {
    if (program != 0) kill(static_cast<pid_t>(program), signal);
}

// While it lives none of these arrives: each comes at its end, when what it is for is known.
class held_signals {
  public:
    held_signals() {
        sigset_t all;
        sigemptyset(&all);
        for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGQUIT}) sigaddset(&all, signal);
        sigprocmask(SIG_BLOCK, &all, &before_);
    }
    held_signals(const held_signals&) = delete;
    held_signals& operator=(const held_signals&) = delete;
    ~held_signals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    [[nodiscard]] const sigset_t& before() const { return before_; }

  private:
    sigset_t before_{};
};

// The program gets the signals as they were before they were held.
pid_t start(std::vector<std::string> command, std::vector<std::string> environment,
            const held_signals& held) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &held.before());
    pid_t started = 0;
    const int failed = posix_spawnp(&started, command.front().c_str(), nullptr, &attributes,
                                    process::pointers_to(command).data(),
                                    process::pointers_to(environment).data());
    posix_spawnattr_destroy(&attributes);
    if (failed != 0)
        refuse_run("'" + command.front() + "' can't be started: " + std::strerror(failed) +
                   "; give a PROGRAM and its arguments");
    return started;
}

// This command lives on to show what was done until then and to leave nothing behind. Ctrl-C the
// terminal sends to the program, too; SIGTERM and SIGHUP may have been meant for us alone, and are
// passed on, unless they were ignored already, as under nohup.
void outlive_requests_to_end() {
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGQUIT, SIG_IGN);
    for (const int signal : {SIGTERM, SIGHUP})
        if (std::signal(signal, pass_on) == SIG_IGN) std::signal(signal, SIG_IGN);
}

int status_of(std::vector<std::string> command, std::vector<std::string> environment) {
    pid_t started = 0;
    {
        const held_signals held;
        started = start(std::move(command), std::move(environment), held);
        program = started;
        outlive_requests_to_end();
    }
    siginfo_t ended = {};  // its number stays taken until nothing is passed on to it
    while (waitid(P_PID, static_cast<id_t>(started), &ended, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    program = 0;
    int status = 0;
    waitpid(started, &status, 0);
    constexpr int by_signal = 128;  // as shells count
    return WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
}

// Prints to standard error, because standard output is the program's.
void show_profiles(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files)
        fmt::print(stderr, "{}{}", file == files.front() ? "" : "\n", files::read(file));
    if (files.empty())
        fmt::print(stderr,
                   "carat: 0 calls: no process of this program loaded a shared BLAS and exited "
                   "normally; see docs/blas.md\n");
}

int run(const run_with_options& o) {
    const fs::path library = library_of(o);
    const process::scratch_folder scratch;  // of the profiles of the program's processes
    const int status = status_of(o.command, environment_with(library, scratch.path() / "profile"));
    show_profiles(scratch.path());
    return status;
}

}  // namespace

void add_run_with(CLI::App& app, action& chosen) {
    CLI::App* sub =
        app.add_subcommand("run-with", "run a program on carat's BLAS, and list its calls");
    auto o = std::make_shared<run_with_options>();
    sub->add_option("--library", o->library, "the libcarat_blas.so.0 to preload")
        ->check(file_name());
    sub->prefix_command();
    sub->footer(
        "PROGRAM [ARGUMENTS] come last. The table of calls goes to standard error. The exit\n"
        "code is the program's, or 128 + N if signal N ended it. SIGTERM and SIGHUP are\n"
        "passed on to it.\n\n"
        "Examples:\n"
        "  carat run-with python3 program.py\n"
        "  OMP_NUM_THREADS=1 carat run-with Rscript program.R");
    sub->callback([sub, o, &chosen] {
        o->command = sub->remaining();
        if (!o->command.empty() && o->command.front() == "--") o->command.erase(o->command.begin());
        if (o->command.empty()) refuse_run("no program given; carat run-with PROGRAM ARGUMENTS");
        if (o->command.front().starts_with('-'))
            refuse_run("unknown option '" + o->command.front() + "'; carat run-with --help");
        chosen = [o] { return run(*o); };
    });
}

}  // namespace carat::cli
