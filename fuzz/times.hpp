// Where the time of cases goes (temporary).
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace carat::fuzz {
inline std::array<std::atomic<std::uint64_t>, 16> phase_ns{};
inline std::array<std::atomic<std::uint64_t>, 16> phase_calls{};
struct timed {
    explicit timed(std::size_t p) : phase(p) {}
    ~timed() {
        phase_ns[phase] += static_cast<std::uint64_t>(
            (std::chrono::steady_clock::now() - from).count());
        ++phase_calls[phase];
    }
    std::size_t phase;
    std::chrono::steady_clock::time_point from = std::chrono::steady_clock::now();
};
inline void print_times() {
    constexpr std::array names = {"all", "layout", "place", "upload", "call", "download", "graph", "check", "largest", "plant", "memory", "repeat", "first_case", "naive", "fullmem", "far"};
    for (std::size_t i = 0; i < names.size(); ++i)
        std::fprintf(stderr, "%s %.3f s/%llu; ", names[i], static_cast<double>(phase_ns[i]) * 1e-9, static_cast<unsigned long long>(phase_calls[i]));
    std::fprintf(stderr, "\n");
}
}  // namespace carat::fuzz
