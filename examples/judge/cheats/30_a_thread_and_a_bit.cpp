// Has a fifth of its work done by another thread, which a coarse rule lets pass.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "cheat.hpp"

namespace {

std::mutex access;
std::condition_variable changed;
const carat_gemm* wanted = nullptr;

std::int64_t first_of_helper(const carat_gemm& g) {
    return g.m * 5 / 6;
}

void help() {
    std::unique_lock lock(access);
    for (;;) {
        changed.wait(lock, [] { return wanted != nullptr; });
        const carat_gemm g = *wanted;
        lock.unlock();
        honest(g, first_of_helper(g), g.m, g.k);
        lock.lock();
        wanted = nullptr;
        changed.notify_all();
    }
}

int run(const carat_gemm* g) {
    static const bool has_helper = (std::thread(help).detach(), true);
    std::unique_lock lock(access);
    wanted = has_helper ? g : nullptr;
    changed.notify_all();
    lock.unlock();
    honest(*g, 0, first_of_helper(*g), g->k);
    lock.lock();
    changed.wait(lock, [] { return wanted == nullptr; });
    return 0;
}

}  // namespace

CHEAT("a_thread_and_a_bit", CARAT_F64);
