#include "lab/judge/start.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <carat/error.hpp>

#include "lab/judge/processes.hpp"
#include "lab/judge/protocol.hpp"
#include "lab/process/program.hpp"

namespace carat::judge {

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw error(error_code::unsupported, "judge: " + what);
}

// Libraries with their own threads read the number from one of these variables.
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

// Both ends of a pipe or a pair of sockets.
struct both_ends {
    int read = -1, write = -1;
    explicit both_ends(bool sockets = false) {
        std::array<int, 2> ends = {};
        const int failed = sockets
                               ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data())
                               : pipe2(ends.data(), O_CLOEXEC);
        if (failed != 0) fail(fmt::format("no pipe: {}", std::strerror(errno)));
        read = ends[0];
        write = ends[1];
    }
};

int memory_for_output() {
    const int file = memfd_create("carat-judge-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, output_bytes) != 0 ||
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        throw error(error_code::out_of_memory, "judge: no memory for what the target prints");
    return file;
}

// `files` become descriptors 1, 2, ...
pid_t spawn(const std::vector<std::string>& arguments, const std::vector<int>& files, int threads) {
    std::vector<std::string> argument_texts = arguments;
    std::vector<std::string> environment = environment_for(threads);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    // Copies to high numbers first: descriptors 3, 4 or 5 may be among those to be moved.
    int high = 100;
    for (const int file : files) posix_spawn_file_actions_adddup2(&actions, file, high++);
    for (int i = 1; i <= static_cast<int>(files.size()); ++i) {
        posix_spawn_file_actions_adddup2(&actions, 99 + i, i);
        posix_spawn_file_actions_addclose(&actions, 99 + i);
    }
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);  // Ctrl-C is the judge's alone
    pid_t process = -1;
    const int failure = posix_spawn(&process, argument_texts.front().c_str(), &actions, &how,
                                    carat::process::pointers_to(argument_texts).data(),
                                    carat::process::pointers_to(environment).data());
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        fail(fmt::format("{} can't be started: {}", arguments.front(), std::strerror(failure)));
    return process;
}

// Receives a message of known size, and the descriptor that comes with it or -1.
int receive(int socket, void* data, std::size_t size) {
    constexpr int most_ms = 30000;
    pollfd wanted = {socket, POLLIN, 0};
    iovec text = {data, size};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space = {};
    msghdr message = {};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    if (poll(&wanted, 1, most_ms) != 1 ||
        recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(size))
        fail("the process of the target can't be started");
    int descriptor = -1;
    const cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (head != nullptr && head->cmsg_type == SCM_RIGHTS)
        std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    return descriptor;
}

// Replaces the process that was started by the target's own, if that is another one.
void hear_of_birth(started& s, int socket) {
    birth born = {};
    receive(socket, &born, sizeof born);
    if (born.target > 0) {
        waitpid(s.process, nullptr, 0);
        s.process = born.target;
        s.init = born.init;
        know_child(s.process);
        know_child(s.init);
    }
    s.processes = gate(receive(socket, &s.boundary, sizeof s.boundary));
}

}  // namespace

started start(const std::vector<std::string>& arguments, int memory, int threads, bool by_host) {
    const both_ends commands, replies, births(true);
    started s;
    s.commands = commands.write;
    s.replies = replies.read;
    fcntl(s.replies, F_SETFL, O_NONBLOCK);
    s.output = memory_for_output();
    std::vector<int> files = {s.output, s.output, memory, commands.read, replies.write};
    if (by_host) files.push_back(births.write);
    s.process = spawn(arguments, files, threads);
    know_child(s.process);
    for (const int theirs : {commands.read, replies.write, births.write}) close(theirs);
    if (by_host) hear_of_birth(s, births.read);
    close(births.read);
    return s;
}

}  // namespace carat::judge
