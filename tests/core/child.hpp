// Work in forked children, for tests of what survives a fork.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace carat::test {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CARAT_THREAD_SANITIZER 1
#endif
#endif
#if defined(CARAT_THREAD_SANITIZER)
inline constexpr bool threads_start_in_children = false;
#else
inline constexpr bool threads_start_in_children = true;
#endif
inline constexpr const char* no_threads_in_children =
    "ThreadSanitizer can't start threads in a child of a program that has several";

// Runs `work` in a child: 0 when it was true, 1 when false, -1 when it did not end within a minute.
template <class Work>
int in_child(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);  // the default action ends a child that hangs
        _exit(work() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace carat::test
