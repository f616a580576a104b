// A value of each thread, made at its first use and destroyed with the thread. A thread_local
// object with a destructor ends the process if there is no memory for it; a pthread key does not.
#pragma once

#include <memory>
#include <new>
#include <pthread.h>

namespace carat::core {

// Created before main; there are no keys left if a program has taken all 1024.
template <class T>
class per_thread {
  public:
    per_thread() : has_key_(pthread_key_create(&key_, destroy) == 0) {}
    per_thread(const per_thread&) = delete;
    per_thread& operator=(const per_thread&) = delete;

    // The calling thread's value, or null if there is no memory for it.
    [[nodiscard]] T* get() noexcept {
        T* const own = get_if_made();
        return own != nullptr || !has_key_ ? own : make();
    }
    [[nodiscard]] T* get_if_made() const noexcept {
        return has_key_ ? static_cast<T*>(pthread_getspecific(key_)) : nullptr;
    }

  private:
    T* make() noexcept {
        std::unique_ptr<T> made(new (std::nothrow) T);
        if (made == nullptr || pthread_setspecific(key_, made.get()) != 0) return nullptr;
        return made.release();
    }
    static void destroy(void* own) { delete static_cast<T*>(own); }

    pthread_key_t key_{};
    bool has_key_;
};

}  // namespace carat::core
