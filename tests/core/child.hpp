// Runs work in forked children, for tests of forks, and counts threads.
#pragma once

#include <atomic>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

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

#if defined(__clang__)
inline constexpr bool workers_can_be_counted = false;
#else
inline constexpr bool workers_can_be_counted = true;
#endif
inline constexpr const char* no_workers_counted =
    "LLVM's OpenMP starts threads beside those of its teams";

// The threads that this process has now.
inline int threads_of_process() {
    int count = 0;
    for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
        ++count;
    return count;
}

// The same where nothing can be allocated: 1 when this thread is the only one.
inline int threads_of_process_without_memory() {
    struct stat tasks {};  // a folder's links: itself, its parent, its folders
    return stat("/proc/self/task", &tasks) == 0 ? static_cast<int>(tasks.st_nlink) - 2 : -1;
}

// Runs `work` in a child. Returns 0 if it was true, 1 if false, -1 if it did not end within a
// minute.
template <class Work>
int in_child(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);              // the default action ends a child that hangs
        _exit(work() ? 0 : 1);  // or `work` ends it with a number of its own
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whether `work` is true in each of several children that are forked while four threads of the
// parent do the same. The first may come in the middle of a library's first call.
template <class Work>
bool children_are_right_beside_busy_threads(const Work& work, int children) {
    std::vector<std::thread> busy;
    std::atomic<bool> stop = false;
    for (int i = 0; i < 4; ++i)
        busy.emplace_back([&] {
            while (!stop) (void)work();
        });
    int right = 0;
    for (int i = 0; i < children; ++i) right += in_child(work) == 0 ? 1 : 0;
    stop = true;
    for (std::thread& thread : busy) thread.join();
    return right == children;
}

}  // namespace carat::test
