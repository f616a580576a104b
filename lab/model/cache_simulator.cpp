#include "lab/model/cache_simulator.hpp"

#include <algorithm>
#include <string>

#include <carat/error.hpp>

namespace carat::model {

namespace {

constexpr std::uint64_t page_bytes = 4096;

[[noreturn]] void refuse(const std::string& why) {
    throw error(error_code::invalid_argument, why);
}

struct laid_out {
    std::uint64_t base = 0;
    std::uint64_t stride_bytes = 0;
};

// Places a matrix at the first page from `free` on, and moves `free` behind it.
laid_out lay_out(std::int64_t rows, std::int64_t cols, std::int64_t stride, int element_bytes,
                 std::uint64_t& free) {
    if (stride != 0 && stride < cols)
        refuse("stride " + std::to_string(stride) + " is less than the " + std::to_string(cols) +
               " elements of a row");
    const std::int64_t step = (stride == 0 ? cols : stride) * element_bytes;
    const laid_out placed{free, static_cast<std::uint64_t>(step)};
    const auto end = free + static_cast<std::uint64_t>(rows * step);
    free = (end + page_bytes - 1) / page_bytes * page_bytes;
    return placed;
}

std::int64_t& of(operand_counts& counts, operand which) {
    return which == operand::a ? counts.a : which == operand::b ? counts.b : counts.c;
}

}  // namespace

cache::cache(const geometry& shape)
    : line_bytes_(static_cast<std::uint64_t>(std::max(shape.line_bytes, 1))) {
    const std::int64_t lines = shape.line_bytes > 0 ? shape.lines() : 0;
    if (lines < 1 || shape.ways < 0 || (shape.ways > 0 && lines % shape.ways != 0))
        refuse("a cache of " + std::to_string(shape.size_bytes) + " bytes in lines of " +
               std::to_string(shape.line_bytes) + " has no whole number of sets of " +
               std::to_string(shape.ways) + " ways");
    ways_ = static_cast<std::size_t>(shape.ways == 0 ? lines : shape.ways);
    sets_.resize(static_cast<std::size_t>(shape.sets()));
}

bool cache::access(std::uint64_t address) {
    const std::uint64_t line = address / line_bytes_;
    std::vector<std::uint64_t>& set = sets_[line % sets_.size()];
    const auto found = std::ranges::find(set, line);
    const bool hit = found != set.end();
    if (hit) {
        std::rotate(set.begin(), found, found + 1);
        return true;
    }
    if (set.size() == ways_) set.pop_back();
    set.insert(set.begin(), line);
    return false;
}

simulation simulate(const schedule& s, const sizes& all, const placement& where,
                    const std::vector<geometry>& levels) {
    std::vector<cache> caches(levels.begin(), levels.end());
    simulation counted;
    counted.misses.resize(levels.size());
    std::uint64_t free = page_bytes;
    const int bytes = where.element_bytes;
    const laid_out placed[] = {lay_out(all.m, all.k, where.a_stride, bytes, free),
                               lay_out(all.k, all.n, where.b_stride, bytes, free),
                               lay_out(all.m, all.n, where.c_stride, bytes, free)};
    for_each_access(s, all, [&](operand which, std::int64_t row, std::int64_t col, bool) {
        ++of(counted.accesses, which);
        const laid_out& matrix = placed[static_cast<int>(which)];
        const std::uint64_t address =
            matrix.base + static_cast<std::uint64_t>(row) * matrix.stride_bytes +
            static_cast<std::uint64_t>(col) * static_cast<std::uint64_t>(bytes);
        for (std::size_t level = 0; level < caches.size(); ++level) {
            if (caches[level].access(address)) break;
            ++of(counted.misses[level], which);
        }
    });
    return counted;
}

}  // namespace carat::model
