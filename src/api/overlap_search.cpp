#include "api/overlap_search.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory_resource>
#include <numeric>

#include "api/floor_division.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;

// The boxes met so far, by their position in a line. Boxes whose lines have passed are removed when
// they are met. Most boxes lie below, right or left of all others and need no order.
class shelf {
  public:
    explicit shelf(const std::vector<box>& all) {
        for (const box& x : all) longest_ = std::max(longest_, x.high - x.low);
    }

    template <class Visit>
    void each_that_meets(const box& x, std::size_t& compared, const Visit& visit) {
        if (x.low >= right_ || x.high <= left_) return;
        if (x.first_line >= bottom_) return clear();
        for (const box* y : unordered_) by_place_.emplace(y->low, y);
        unordered_.clear();
        auto next = by_place_.lower_bound(x.high);
        while (next != by_place_.begin()) {
            const auto at = std::prev(next);
            const box& y = *at->second;
            if (y.low <= x.low - longest_) return;
            ++compared;
            if (y.end_line <= x.first_line) {
                next = by_place_.erase(at);
                continue;
            }
            if (y.high > x.low) visit(y);
            next = at;
        }
    }

    void add(const box& x) {
        unordered_.push_back(&x);
        left_ = std::min(left_, x.low);
        right_ = std::max(right_, x.high);
        bottom_ = std::max(bottom_, x.end_line);
    }

  private:
    static constexpr auto least = std::numeric_limits<std::int64_t>::min();
    static constexpr auto most = std::numeric_limits<std::int64_t>::max();

    void clear() {
        by_place_.clear();
        unordered_.clear();
        left_ = most;
        right_ = bottom_ = least;
    }

    // Each box becomes a node at most once, so memory need not be released before the end.
    // (libstdc++'s pools swallow a failed allocation and then read a missing chunk.)
    std::pmr::monotonic_buffer_resource memory_;
    std::pmr::multimap<std::int64_t, const box*> by_place_{&memory_};
    std::vector<const box*> unordered_;
    std::int64_t longest_ = 0;
    std::int64_t left_ = most;  // of all that are there
    std::int64_t right_ = least;
    std::int64_t bottom_ = least;
};

void bring_in_order(std::vector<box>& all) {
    if (!std::ranges::is_sorted(all, {}, &box::first_line))
        std::ranges::stable_sort(all, {}, &box::first_line);
}

}  // namespace

footprint::footprint(const erased_matrix& m, const byte_span& span, const lines_of_memory& in)
    : in_(in), span_(span), width_(static_cast<std::int64_t>(size_bytes(m.type))) {
    for (const axis& a : {down(m), across(m)}) {
        if (a.bytes % in.bytes == 0)
            lines_ += std::abs(a.bytes / in.bytes) * a.count;
        else
            width_ += std::abs(a.bytes) * a.count;
    }
}

double footprint::area() const {
    if (width_ > in_.bytes) return static_cast<double>(span_.high) - static_cast<double>(span_.low);
    return (static_cast<double>(lines_) + 1) * static_cast<double>(width_);
}

void footprint::add_at(const void* data, std::size_t index, std::vector<box>& to) const {
    const auto at = reinterpret_cast<std::intptr_t>(data) - in_.origin;
    const std::int64_t line = floor_of(at + span_.low, in_.bytes);
    if (width_ > in_.bytes) {
        to.push_back({line, floor_of(at + span_.high - 1, in_.bytes) + 1, 0, in_.bytes, index});
        return;
    }
    const std::int64_t low = at + span_.low - line * in_.bytes;
    const std::int64_t high = low + width_;
    const std::int64_t end = line + lines_ + 1;
    to.push_back({line, end, low, std::min(high, in_.bytes), index});
    if (high > in_.bytes) to.push_back({line + 1, end + 1, 0, high - in_.bytes, index});
}

std::vector<std::int64_t> lengths_of_lines(const erased_matrix& like) {
    if (like.rows == 0 || like.cols == 0) return {1};
    const std::int64_t along_rows = std::abs(across(like).bytes);
    const std::int64_t along_columns = std::abs(down(like).bytes);
    std::vector<std::int64_t> all;
    for (const std::int64_t bytes :
         {std::max(along_rows, along_columns), std::min(along_rows, along_columns),
          std::gcd(along_rows, along_columns), static_cast<std::int64_t>(size_bytes(like.type))})
        if (bytes != 0 && std::ranges::find(all, bytes) == all.end()) all.push_back(bytes);
    return all;
}

std::size_t for_each_overlap(std::vector<box>& all, std::vector<box>* others, std::size_t most,
                             const std::function<void(std::size_t, std::size_t)>& meets) {
    bring_in_order(all);
    if (others != nullptr) bring_in_order(*others);
    std::size_t compared = 0;
    shelf own(all);
    if (others == nullptr) {
        for (const box& x : all) {
            own.each_that_meets(x, compared, [&](const box& y) { meets(y.index, x.index); });
            if (compared > most) break;
            own.add(x);
        }
        return compared;
    }
    shelf theirs(*others);
    auto next = others->begin();
    for (auto x = all.begin(); x != all.end() || next != others->end();) {
        if (x == all.end() || (next != others->end() && next->first_line < x->first_line)) {
            const box& y = *next++;
            own.each_that_meets(y, compared, [&](const box& z) { meets(z.index, y.index); });
            theirs.add(y);
        } else {
            theirs.each_that_meets(*x, compared, [&](const box& y) { meets(x->index, y.index); });
            own.add(*x++);
        }
        if (compared > most) break;
    }
    return compared;
}

}  // namespace carat::api
