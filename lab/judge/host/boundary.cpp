#include "lab/judge/host/boundary.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/judge/protocol.hpp"

namespace carat::judge {

namespace {

bool write_file(const char* path, const std::string& text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(file);
    return done;
}

// Users keep their ids. Root also keeps those of other users, whose files it could read before.
void keep_numbers(unsigned user, unsigned group) {
    const auto line = [](unsigned id) {
        return std::to_string(id) + " " + std::to_string(id) + " 1\n";
    };
    const std::string all = "0 0 4294967295\n";
    if (user != 0 || !write_file("/proc/self/uid_map", all))
        write_file("/proc/self/uid_map", line(user));
    if (user == 0 && write_file("/proc/self/gid_map", all)) return;
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/gid_map", line(group));
}

// Root could read and write the judge's memory; without these rights it cannot.
void give_up_rights() {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED);
    __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> rights = {};
    // Other users' files stay readable where they were.
    rights[0].permitted = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
    std::array<__user_cap_data_struct, 2> held = {};
    if (syscall(SYS_capget, &head, held.data()) == 0) rights[0].permitted &= held[0].permitted;
    rights[0].effective = rights[0].permitted;
    syscall(SYS_capset, &head, rights.data());
}

void end_with_judge() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// Sends the judge a message and, if there is one, a descriptor.
void tell(const void* data, std::size_t size, int descriptor = -1) {
    iovec text = {const_cast<void*>(data), size};
    msghdr message = {};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space = {};
    if (descriptor >= 0) {
        message.msg_control = space.data();
        message.msg_controllen = space.size();
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        *head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    }
    if (sendmsg(birth_fd, &message, MSG_NOSIGNAL) < 0) _exit(1);
}

// The target inherits only the descriptors that protocol.hpp names: not this socket, the listener,
// or what the user's shell had open.
void close_the_rest() {
    close_range(birth_fd, ~0u, 0);
}

// Makes the new process a child of the judge instead of this process.
pid_t fork_beside() {
    return static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
}

// The namespace's first process adopts orphans, and when it ends, all of them end.
[[noreturn]] void live_as_init() {
    end_with_judge();
    std::signal(SIGCHLD, SIG_IGN);
    close_range(0, ~0u, 0);
    for (;;) pause();
}

// Continues in a new process in its own namespaces. Returns 0 if none can be made.
std::uint32_t enter_namespaces() {
    const unsigned user = getuid(), group = getgid();
    birth born = {};
    const int kinds =
        CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS;
    if (unshare(kinds) != 0) {
        tell(&born, sizeof born);
        return 0;
    }
    keep_numbers(user, group);
    mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    born.init = fork_beside();
    if (born.init == 0) live_as_init();
    if (born.init < 0) _exit(1);
    std::array<int, 2> until_told = {};
    if (pipe(until_told.data()) != 0) _exit(1);
    born.target = fork_beside();
    if (born.target == 0) {
        char none = 0;
        close(until_told[1]);
        while (read(until_told[0], &none, 1) > 0) continue;
        return has_namespaces;
    }
    if (born.target < 0) kill(born.init, SIGKILL);
    tell(&born, sizeof born);
    _exit(born.target < 0 ? 1 : 0);
}

// Mounts this namespace's /proc and a folder in memory. Some systems allow users neither.
std::uint32_t mount_own(bool& own_memory) {
    constexpr unsigned long plain = MS_NOSUID | MS_NODEV;
    own_memory = mount("tmpfs", "/dev/shm", "tmpfs", plain, "size=256m") == 0;
    if (own_memory) setenv("TMPDIR", "/dev/shm", 1);
    return mount("proc", "/proc", "proc", plain | MS_NOEXEC, nullptr) == 0
               ? std::uint32_t{has_own_proc}
               : 0;
}

}  // namespace

void enter_boundary() {
    std::uint32_t parts = enter_namespaces();
    bool own_memory = false;
    if (parts != 0) parts |= mount_own(own_memory);
    give_up_rights();
    end_with_judge();
    parts |= restrict_files(own_memory);
    int listener = -1;
    parts |= restrict_calls(listener);
    tell(&parts, sizeof parts, listener);
    close_the_rest();
}

void enter_without_boundary() {
    const birth born = {};
    const std::uint32_t none = 0;
    tell(&born, sizeof born);
    give_up_rights();
    end_with_judge();
    tell(&none, sizeof none);
    close_the_rest();
}

}  // namespace carat::judge
