// A value of each thread, made when it first asks and destroyed when it ends. A thread_local object
// with a destructor ends the process where there is no memory for it; a key's value does not.
#pragma once

#include <memory>
#include <new>
#include <pthread.h>

namespace carat::core {

// Made before main; there are no keys left where a program has taken all 1024.
template <class T>
class per_thread {
  public:
    per_thread() : has_key_(pthread_key_create(&key_, destroy) == 0) {}
    per_thread(const per_thread&) = delete;
    per_thread& operator=(const per_thread&) = delete;

    // The calling thread's; null where there is no memory for it.
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
