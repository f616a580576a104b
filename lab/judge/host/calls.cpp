// The seccomp filter: system calls that no product needs, or that could continue a stopped process.
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>

#include "lab/judge/host/boundary.hpp"
#include "lab/judge/protocol.hpp"

namespace carat::judge {

namespace {

// The calls are named, as older libraries do not know all of them.
constexpr std::array refused = {
    // Reaching other processes and their memory.
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
    "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp", "move_pages", "migrate_pages",
    // Raising signals at chosen times: SIGCONT would continue a stopped process.
    "timer_create", "mq_notify",
    // Having the kernel work while the process is stopped.
    "io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_submit", "userfaultfd",
    "perf_event_open", "bpf", "vmsplice",
    // Getting a higher priority.
    "setpriority", "sched_setscheduler", "sched_setattr", "sched_setparam", "ioprio_set",
    // Leaving the boundary.
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "seccomp",
    "personality", "keyctl", "add_key", "request_key", "socket", "connect", "bind", "listen"};

class filter {
  public:
    filter() : rules_(seccomp_init(SCMP_ACT_ALLOW)) {}
    filter(const filter&) = delete;
    filter& operator=(const filter&) = delete;
    ~filter() {
        if (rules_ != nullptr) seccomp_release(rules_);
    }

    [[nodiscard]] bool refuse_what_helps_nobody() {
        constexpr std::uint32_t denied = SCMP_ACT_ERRNO(EPERM), unknown = SCMP_ACT_ERRNO(ENOSYS);
        if (rules_ == nullptr) return false;
        for (const char* name : refused)
            if (const int number = seccomp_syscall_resolve_name(name); number != __NR_SCMP_ERROR)
                seccomp_rule_add(rules_, denied, number, 0);
        for (const int which : {F_SETSIG, F_SETOWN, F_SETOWN_EX})
            add(denied, SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, static_cast<unsigned>(which)));
        for (const int which : {PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER})
            add(denied, SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, static_cast<unsigned>(which)));
        // Its arguments are in memory, which no filter can read; the C library works without it.
        seccomp_rule_add(rules_, unknown, SCMP_SYS(clone3), 0);
        return true;
    }

    // Asks about each new process and program, but not about threads.
    [[nodiscard]] bool ask_before_processes() {
        for (const int call :
             {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve), SCMP_SYS(execveat)})
            if (seccomp_rule_add(rules_, SCMP_ACT_NOTIFY, call, 0) != 0) return false;
        return add(SCMP_ACT_NOTIFY, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    }

    [[nodiscard]] bool load() { return seccomp_load(rules_) == 0; }
    [[nodiscard]] int listener() const { return seccomp_notify_fd(rules_); }

  private:
    bool add(std::uint32_t action, int call, scmp_arg_cmp when) {
        return seccomp_rule_add(rules_, action, call, 1, when) == 0;
    }

    scmp_filter_ctx rules_;
};

}  // namespace

std::uint32_t restrict_calls(int& listener) {
    filter asking;
    if (asking.refuse_what_helps_nobody() && asking.ask_before_processes() && asking.load()) {
        listener = asking.listener();
        return has_seccomp | has_listener;
    }
    // Older kernels have no listener, and a judge that is itself watched by one cannot have a
    // second.
    filter plain;
    return plain.refuse_what_helps_nobody() && plain.load() ? std::uint32_t{has_seccomp} : 0;
}

}  // namespace carat::judge
