// One end of a message channel between two processes of one machine: whole messages, in order,
// until the other end closes (a socket of the kind SOCK_SEQPACKET).
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace carat::process {

// The other end was closed.
struct closed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class channel {
  public:
    channel() = default;
    explicit channel(int descriptor) : descriptor_(descriptor) {}  // its own from now on
    channel(channel&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    channel& operator=(channel&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~channel();

    // Throws closed, and carat::error if the message is longer than the system sends at once, some
    // 100 KiB.
    void send(std::string_view message) const;

    // Returns the next message, or nothing after `limit_s`. Throws closed.
    [[nodiscard]] std::optional<std::string> receive(double limit_s) const;

    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    int descriptor_ = -1;
};

inline constexpr double forever_s = 1e9;

// Both ends, not inherited by programs that this process starts. Throws carat::error.
[[nodiscard]] std::pair<channel, channel> connected();

}  // namespace carat::process
