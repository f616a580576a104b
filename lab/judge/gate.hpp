// The seccomp listener of a target's process. The kernel asks here before the process starts
// another process or program; once the gate is shut, the kernel refuses by itself.
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

    // The descriptor to poll, or -1 if the gate is shut or never existed.
    [[nodiscard]] int file() const { return listener_; }
    // Lets one waiting process pass. `events` are poll()'s: with POLLHUP nobody is left to ask.
    void answer(short events);
    void shut();

  private:
    int listener_ = -1;
};

}  // namespace carat::judge
