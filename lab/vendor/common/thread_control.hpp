// How a library is told its number of threads, and how it is believed. Some keep a number of their
// own; others follow the OpenMP runtime of the process, which is everybody's, so there the number
// is set for the length of a call and put back. MKL does both: its bf16 product ignores MKL's
// number.
#pragma once

#include <functional>
#include <string>

#include "lab/vendor/common/shared_library.hpp"

namespace carat::vendor {

struct thread_number {
    std::function<void(int)> set;
    std::function<int()> get;  // the one in force for the calling thread
};

struct thread_control {
    thread_number own;     // the library's; empty when it has none
    thread_number shared;  // the OpenMP runtime's; empty when the library heeds none
    std::function<int(int)>
        confirm;  // asks for a number, returns what would be used; empty: serial
};

// The threads of the OpenMP runtime that `library` itself is bound to, which need not be the one
// this program was built with. Throws rejected when it is bound to none.
[[nodiscard]] thread_control openmp_threads(const shared_library& library);

// The most that the OpenMP runtime of `library` grants when asked for `threads`: fewer when
// OMP_THREAD_LIMIT or OMP_MAX_ACTIVE_LEVELS says so, 0 when OMP_DYNAMIC lets it choose. `threads`
// itself without OpenMP.
[[nodiscard]] int granted_by_openmp(const shared_library& library, int threads);

// The threads that a call would use of so many.
[[nodiscard]] inline int granted(const thread_control& control, int asked) {
    return control.confirm ? control.confirm(asked) : 1;
}

// Why `control` can't give exactly `threads`; empty when it can.
[[nodiscard]] std::string reason_against_threads(const thread_control& control, int threads);

// Holds a library at a number of threads for its own lifetime.
class threads_held {
  public:
    threads_held(const thread_control& control, int threads) : control_(control) {
        if (control.own.set && control.own.get() != threads) control.own.set(threads);
        if (!control.shared.set) return;
        former_ = control.shared.get();
        changed_ = former_ != threads;
        if (changed_) control.shared.set(threads);
    }
    ~threads_held() {
        if (changed_) control_.shared.set(former_);
    }
    threads_held(const threads_held&) = delete;
    threads_held& operator=(const threads_held&) = delete;

  private:
    const thread_control& control_;
    int former_ = 0;
    bool changed_ = false;
};

}  // namespace carat::vendor
