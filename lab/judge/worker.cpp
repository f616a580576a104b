#include "lab/judge/worker.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/visible.hpp"
#include "lab/judge/clock.hpp"
#include "lab/judge/protocol.hpp"

namespace carat::judge {

worker::worker(const std::vector<std::string>& arguments, const shared_memory& memory, int threads,
               bool is_target, std::function<bool()> interrupted)
    : started_(start(arguments, memory.file(), threads, is_target)),
      interrupted_(std::move(interrupted)) {
    if ((started_.boundary & has_namespaces) == 0) return;
    freezer_ = freezer::make();
    if (!freezer_.add(started_.process)) freezer_ = {};
}

worker::~worker() {
    if (!ended_) {
        kill(started_.process, SIGKILL);
        waitpid(started_.process, nullptr, 0);
    }
    if (started_.init > 0) {
        kill(started_.init, SIGKILL);  // and with it whatever else is in its namespace
        waitpid(started_.init, nullptr, 0);
    }
    for (const int file : {started_.commands, started_.replies, started_.output}) close(file);
}

std::vector<std::string> worker::boundary() const {
    std::vector<std::string> all;
    const auto add = [&](std::uint32_t part, const char* name) {
        if ((started_.boundary & part) == part) all.emplace_back(name);
    };
    add(has_namespaces, "namespaces");
    add(has_own_proc, "its own /proc");
    add(has_landlock, "Landlock");
    add(has_seccomp, "seccomp");
    if (freezer_.exists()) all.emplace_back("freezer");
    return all;
}

void worker::resume() {
    freezer_.thaw();
    stopped_ = false;
    kill(started_.process, SIGCONT);
}

void worker::stop() {
    if (stopped_) return;
    kill(started_.process, SIGSTOP);
    int status = 0;
    while (waitpid(started_.process, &status, WUNTRACED) < 0 && errno == EINTR) {
    }
    if (!WIFSTOPPED(status)) {
        ended_ = true;
        throw foul(how_it_ended(status));
    }
    stopped_ = true;
}

void worker::drain() const {
    std::array<char, 256> rest;
    while (read(started_.replies, rest.data(), rest.size()) > 0) {
    }
}

void worker::await_reply(char what, double timeout_s) {
    const double until_s = now_s() + timeout_s;
    for (;;) {
        std::array wanted = {pollfd{started_.replies, POLLIN, 0},
                             pollfd{started_.processes.file(), POLLIN, 0}};
        poll(wanted.data(), wanted.size(), 100);
        started_.processes.answer(wanted[1].revents);
        char reply = 0;
        while (read(started_.replies, &reply, 1) == 1)
            if (reply == what) return;
        int status = 0;
        if (waitpid(started_.process, &status, WNOHANG) == started_.process) {
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
    if (write(started_.commands, &order, sizeof order) != sizeof order) stop();
    resume();
}

void worker::receive(char what, double timeout_s) {
    await_reply(what, timeout_s);
    stop();
    freezer_.freeze();
}

// It is thawed, still stopped, before the clock starts; it is stopped when the clock is read, and
// frozen afterwards.
worker::use worker::run(std::int32_t calls, double timeout_s) {
    const double cpu_before_s = cpu_s() + reaped_children_s(started_.process);
    const thread_times before = times_of_threads(started_.process);
    freezer_.thaw();
    const double began_s = now_s();
    send('g', calls);
    await_reply('g', timeout_s);
    stop();
    use taken;
    taken.passed_s = now_s() - began_s;
    freezer_.freeze();
    taken.cpu_s = cpu_s() + reaped_children_s(started_.process) - cpu_before_s;
    taken.shared = work_between(before, times_of_threads(started_.process));
    require_no_children();
    return taken;
}

void worker::allow_no_more_processes() {
    if (started_.processes.file() < 0) return;
    started_.processes.shut();
    require_no_children();
}

void worker::let_go_on(double time_s) {
    resume();
    poll(nullptr, 0, static_cast<int>(1e3 * time_s));
    stop();
    freezer_.freeze();
}

double worker::cpu_s() const {
    clockid_t clock = 0;
    timespec time = {};
    if (clock_getcpuclockid(started_.process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<std::string> worker::libraries() const {
    return mapped_code(started_.process);
}

void worker::require_no_children() const {
    for (const process& other : all_processes()) {
        const bool own = other.parent == started_.process || other.parent == started_.init;
        if (own || (other.parent == getpid() && is_orphan(other.id)))
            throw foul("it started another process (" + files::visible(other.name) + ")");
    }
}

std::string worker::last_words() const {
    std::string text(output_bytes, '\0');
    const auto got = pread(started_.output, text.data(), text.size(), 0);
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
