// Reads memory as fast as this level can: whole vectors into eight sums, which hide the latency of
// the addition; integer additions are the cheapest way to use what was loaded.
#include "lab/machine/isa/vector_shape.hpp"
#include "lab/machine/kernels.hpp"

namespace carat::machine::CARAT_ISA {

std::uint64_t read(const void* data, std::int64_t bytes, std::int64_t passes) {
    using vector [[gnu::vector_size(vector_bytes), gnu::may_alias]] = std::uint64_t;
    constexpr int sums = 8;
    const auto* const begin = static_cast<const vector*>(data);
    const auto* const end = begin + bytes / vector_bytes;
    vector sum[sums] = {};
    for (; passes > 0; --passes) {
        for (const vector* p = begin; p != end; p += sums) {
#pragma GCC unroll 8
            for (int i = 0; i < sums; ++i) sum[i] += p[i];
        }
        asm volatile("" ::: "memory");  // the next pass must read again
    }
    std::uint64_t total = 0;
    for (const vector& lanes : sum)
        for (int lane = 0; lane < vector_bytes / 8; ++lane) total += lanes[lane];
    return total;
}

}  // namespace carat::machine::CARAT_ISA
