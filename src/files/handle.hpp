// A file descriptor that is closed at the end of its scope.
#pragma once

#include <unistd.h>
#include <utility>

namespace carat::files {

class handle {
  public:
    handle() = default;
    explicit handle(int number) : number_(number) {}
    handle(handle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    handle& operator=(handle&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~handle() { close(); }

    explicit operator bool() const { return number_ >= 0; }
    [[nodiscard]] int number() const { return number_; }

    // Whether everything written has reached the disk.
    bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

  private:
    int number_ = -1;
};

}  // namespace carat::files
