#include "lab/process/channel.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <carat/error.hpp>

namespace carat::process {

namespace {

using clock = std::chrono::steady_clock;

bool readable(int descriptor, double limit_s) {
    constexpr double slice_s = 1e5;  // what poll() takes at once
    const auto start = clock::now();
    for (;;) {
        const double passed_s = std::chrono::duration<double>(clock::now() - start).count();
        const double left_s = std::clamp(limit_s - passed_s, 0.0, slice_s);
        pollfd one{descriptor, POLLIN, 0};
        const int found = poll(&one, 1, static_cast<int>(std::min(left_s * 1e3 + 1, 1e8)));
        if (found > 0) return true;
        if (found == 0 && passed_s >= limit_s) return false;
        if (found < 0 && errno != EINTR)
            throw error(error_code::unsupported, std::string("poll: ") + std::strerror(errno));
    }
}

}  // namespace

channel::~channel() {
    if (descriptor_ >= 0) close(descriptor_);
}

void channel::send(std::string_view message) const {
    for (;;) {
        if (::send(descriptor_, message.data(), message.size(), MSG_NOSIGNAL) >= 0) return;
        if (errno == EINTR) continue;
        if (errno == EMSGSIZE)
            throw error(error_code::invalid_argument,
                        "a message of " + std::to_string(message.size()) + " bytes is too long");
        throw closed(std::strerror(errno));
    }
}

std::optional<std::string> channel::receive(double limit_s) const {
    if (!readable(descriptor_, limit_s)) return std::nullopt;
    char first = 0;
    const ssize_t size = recv(descriptor_, &first, 1, MSG_PEEK | MSG_TRUNC);
    if (size <= 0) throw closed("the other end is gone");
    std::string message(static_cast<std::size_t>(size), '\0');
    if (recv(descriptor_, message.data(), message.size(), 0) != size)
        throw closed("the other end is gone");
    return message;
}

std::pair<channel, channel> connected() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        throw error(error_code::unsupported, std::string("socketpair: ") + std::strerror(errno));
    return {channel(ends[0]), channel(ends[1])};
}

}  // namespace carat::process
