#include "lab/judge/worker.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <carat/error.hpp>

#include "files/visible.hpp"
#include "lab/judge/clock.hpp"
#include "lab/judge/processes.hpp"

namespace carat::judge {

namespace {

// What a process prints is kept up to here, so that it can't fill the memory or the terminal.
constexpr std::int64_t output_bytes = 65536;

// Libraries with threads of their own take their number from one of these.
std::vector<std::string> environment_for(int threads) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (text.find("_NUM_THREADS=") == text.npos) all.push_back(text);
    }
    for (const char* name : {"OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB"})
        all.push_back(fmt::format("{}_NUM_THREADS={}", name, threads));
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

struct pipe_ends {
    int read = -1, write = -1;
    pipe_ends() {
        std::array<int, 2> ends = {};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            throw error(error_code::unsupported,
                        fmt::format("judge: no pipe: {}", std::strerror(errno)));
        read = ends[0];
        write = ends[1];
    }
};

}  // namespace

worker::worker(const std::vector<std::string>& arguments, const shared_memory& memory, int threads,
               std::function<bool()> interrupted)
    : interrupted_(std::move(interrupted)) {
    spawn(arguments, memory, threads);
}

void worker::spawn(const std::vector<std::string>& arguments, const shared_memory& memory,
                   int threads) {
    const pipe_ends commands;
    const pipe_ends replies;
    commands_ = commands.write;
    replies_ = replies.read;
    fcntl(replies_, F_SETFL, O_NONBLOCK);
    output_ = memfd_create("carat-judge-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (output_ < 0 || ftruncate(output_, output_bytes) != 0 ||
        fcntl(output_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        throw error(error_code::out_of_memory, "judge: no memory for what the target prints");

    std::vector<std::string> argument_texts = arguments;
    std::vector<std::string> environment = environment_for(threads);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    // By way of high numbers: what lies at 3, 4 or 5 may be one of those to be put there.
    const std::array ends = {output_, output_, memory.file(), commands.read, replies.write};
    int high = 100;
    for (const int end : ends) posix_spawn_file_actions_adddup2(&files, end, high++);
    for (int i = 0; i < 5; ++i) {
        posix_spawn_file_actions_adddup2(&files, 100 + i, 1 + i);
        posix_spawn_file_actions_addclose(&files, 100 + i);
    }
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);  // Ctrl-C is the referee's alone
    const int failure =
        posix_spawn(&process_, argument_texts.front().c_str(), &files, &how,
                    pointers_to(argument_texts).data(), pointers_to(environment).data());
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    close(commands.read);
    close(replies.write);
    if (failure != 0)
        throw error(error_code::unsupported,
                    fmt::format("judge: {} can't be started: {}", arguments.front(),
                                std::strerror(failure)));
    know_child(process_);
}

worker::~worker() {
    if (!ended_) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    for (const int file : {commands_, replies_, output_}) close(file);
}

void worker::resume() const {
    kill(process_, SIGCONT);
}

void worker::stop() {
    if (stopped_) return;
    kill(process_, SIGSTOP);
    int status = 0;
    while (waitpid(process_, &status, WUNTRACED) < 0 && errno == EINTR) {
    }
    if (!WIFSTOPPED(status)) {
        ended_ = true;
        throw foul(how_it_ended(status));
    }
    stopped_ = true;
}

void worker::drain() const {
    std::array<char, 256> rest;
    while (read(replies_, rest.data(), rest.size()) > 0) {
    }
}

void worker::await_reply(char what, double timeout_s) {
    const double until_s = now_s() + timeout_s;
    for (;;) {
        pollfd wanted = {replies_, POLLIN, 0};
        poll(&wanted, 1, 100);
        char reply = 0;
        while (read(replies_, &reply, 1) == 1)
            if (reply == what) return;
        int status = 0;
        if (waitpid(process_, &status, WNOHANG) == process_) {
            ended_ = true;
            throw foul(how_it_ended(status));
        }
        if (interrupted_ && interrupted_()) throw interrupted{};
        if (now_s() > until_s)
            throw hangs(fmt::format("it did not return within {:.0f} s (--timeout)", timeout_s));
    }
}

void worker::ask(char what, std::int32_t calls, double timeout_s) {
    send(what, calls);
    receive(what, timeout_s);
}

void worker::send(char what, std::int32_t calls) {
    drain();
    const command order = {what, {}, calls};
    if (write(commands_, &order, sizeof order) != sizeof order) stop();
    stopped_ = false;
    resume();
}

void worker::receive(char what, double timeout_s) {
    await_reply(what, timeout_s);
    stop();
}

worker::use worker::run(std::int32_t calls, double timeout_s) {
    const double cpu_before_s = cpu_s() + reaped_children_s(process_);
    const thread_times before = times_of_threads(process_);
    const double began_s = now_s();
    ask('g', calls, timeout_s);
    use taken;
    taken.passed_s = now_s() - began_s;
    taken.cpu_s = cpu_s() + reaped_children_s(process_) - cpu_before_s;
    taken.threads = threads_at_work(before, times_of_threads(process_));
    require_no_children();
    return taken;
}

void worker::let_go_on(double time_s) {
    stopped_ = false;
    resume();
    poll(nullptr, 0, static_cast<int>(1e3 * time_s));
    stop();
}

double worker::cpu_s() const {
    clockid_t clock = 0;
    timespec time = {};
    if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<std::string> worker::libraries() const {
    return mapped_code(process_);
}

void worker::require_no_children() const {
    for (const process& other : all_processes())
        if (other.parent == process_ || (other.parent == getpid() && is_orphan(other.id)))
            throw foul("it started another process (" + files::visible(other.name) + ")");
}

std::string worker::last_words() const {
    std::string text(output_bytes, '\0');
    const auto got = pread(output_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    text.resize(std::min(text.size(), text.find('\0')));
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.pop_back();
    const std::size_t line = text.rfind('\n');
    return files::visible(line == text.npos ? text : text.substr(line + 1));
}

std::string worker::how_it_ended(int status) const {
    const std::string words = last_words();
    const std::string said = words.empty() ? "" : ": " + words;
    if (WIFSIGNALED(status)) return fmt::format("crashed: {}{}", strsignal(WTERMSIG(status)), said);
    return fmt::format("it ended its process (exit code {}){}", WEXITSTATUS(status), said);
}

}  // namespace carat::judge
