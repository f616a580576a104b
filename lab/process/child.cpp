#include "lab/process/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <carat/error.hpp>

#include "lab/process/program.hpp"

extern char** environ;

namespace carat::process {

namespace {

[[noreturn]] void fail(const char* what, int number) {
    throw error(error_code::unsupported, std::string(what) + ": " + std::strerror(number));
}

std::string name_of_signal(int number) {
    const char* name = sigabbrev_np(number);
    return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

std::string words_for(double time_s) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", time_s);
    return text;
}

int wait_for(pid_t id, int options) {
    int status = 0;
    while (waitpid(id, &status, options) < 0)
        if (errno != EINTR) return 0;
    return status;
}

// The C library's file actions and spawn attributes, destroyed at the end.
struct spawn_plan {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;

    spawn_plan() {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
    }
    spawn_plan(const spawn_plan&) = delete;
    spawn_plan& operator=(const spawn_plan&) = delete;
    ~spawn_plan() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
};

// A descriptor with an unused number: dup2() onto one that is still needed would close it.
int moved_up(int descriptor) {
    constexpr int out_of_the_way = 64;
    const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, out_of_the_way);
    if (copy < 0) fail("fcntl", errno);
    return copy;
}

}  // namespace

// Its own group: Ctrl-C is for the process that started it, which ends it in order.
child child::execute(const std::vector<std::string>& command, int memory) {
    auto [ours, theirs] = connected();
    const channel theirs_up(moved_up(theirs.descriptor()));
    const channel memory_up(moved_up(memory));
    spawn_plan plan;
    posix_spawn_file_actions_addopen(&plan.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&plan.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&plan.files, theirs_up.descriptor(), channel_descriptor);
    posix_spawn_file_actions_adddup2(&plan.files, memory_up.descriptor(), memory_descriptor);
    posix_spawn_file_actions_addclosefrom_np(&plan.files, memory_descriptor + 1);
    posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&plan.attributes, 0);
    std::vector<std::string> words = command;
    pid_t id = -1;
    const int failure = posix_spawn(&id, command.front().c_str(), &plan.files, &plan.attributes,
                                    pointers_to(words).data(), environ);
    if (failure != 0) fail(("starting " + command.front()).c_str(), failure);
    return {id, std::move(ours)};
}

child child::fork(const std::function<void(channel)>& body) {
    auto [ours, theirs] = connected();
    const pid_t id = ::fork();
    if (id < 0) fail("fork", errno);
    if (id == 0) {
        end_with_parent();
        setpgid(0, 0);
        { const channel not_mine(std::move(ours)); }
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        body(std::move(theirs));
        _exit(0);
    }
    setpgid(id, id);  // whoever comes first
    return {id, std::move(ours)};
}

child::child(child&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      ours_(std::move(other.ours_)),
      stopped_(other.stopped_),
      status_(other.status_) {}

child::~child() {
    end();
}

// Kills its group, which includes what a library started, and itself, in case it left the group.
void child::signal_all(int number) const {
    kill(-id_, number);
    kill(id_, number);
}

void child::end() {
    if (id_ < 0 || status_) return;
    signal_all(SIGKILL);
    status_ = wait_for(id_, 0);
}

std::string child::how_it_ended() {
    if (!status_) status_ = wait_for(id_, 0);
    if (WIFSIGNALED(*status_)) return "the process ended by " + name_of_signal(WTERMSIG(*status_));
    return "the process exited with status " + std::to_string(WEXITSTATUS(*status_));
}

std::string child::ask(std::string_view message, double limit_s) {
    try {
        if (status_) throw closed("it has ended");
        ours_.send(message);
        if (std::optional<std::string> answer = ours_.receive(limit_s)) return *std::move(answer);
    } catch (const closed&) {
        throw lost(how_it_ended());
    }
    end();
    throw lost("the process gave no answer within " + words_for(limit_s));
}

void child::stop() {
    if (stopped_ || status_) return;
    signal_all(SIGSTOP);
    const int status = wait_for(id_, WUNTRACED);
    if (WIFSTOPPED(status))
        stopped_ = true;
    else
        status_ = status;
}

void child::go_on() {
    if (!stopped_ || status_) return;
    signal_all(SIGCONT);
    stopped_ = false;
}

double child::cpu_s() const {
    clockid_t clock{};
    timespec t{};
    if (status_ || clock_getcpuclockid(id_, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void end_with_parent() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace carat::process
