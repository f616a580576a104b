// seccomp's listener of a target's process: the kernel asks here before the process may start
// another one or become another program. Once it is shut, the kernel refuses by itself.
#pragma once

#include <utility>

namespace carat::judge {

class gate {
  public:
    gate() = default;
    explicit gate(int listener) : listener_(listener) {}  // its own from now on
    gate(gate&& other) noexcept : listener_(std::exchange(other.listener_, -1)) {}
    gate& operator=(gate&& other) noexcept {
        std::swap(listener_, other.listener_);
        return *this;
    }
    ~gate() { shut(); }

    // To be polled for; -1: it is shut, or there never was one.
    [[nodiscard]] int file() const { return listener_; }
    // Lets the one pass who waits. Of POLLIN, or POLLHUP: nobody is left to ask.
    void answer(short events);
    void shut();

  private:
    int listener_ = -1;
};

}  // namespace carat::judge
