#include "operand.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "numbers.hpp"

namespace carat::fuzz {

namespace {

constexpr std::size_t canary_bytes = 96;

template <class Visit>
void each_element(const matrix_place& m, const Visit& visit) {
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t j = 0; j < m.cols; ++j) visit(i, j);
}

// The lowest element number and one past the highest, with first = 0.
struct extent {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
};
extent extent_of(const matrix_place& m) {
    if (m.size() == 0) return {};
    const std::ptrdiff_t down = static_cast<std::ptrdiff_t>(m.rows - 1) * m.row_stride;
    const std::ptrdiff_t across = static_cast<std::ptrdiff_t>(m.cols - 1) * m.col_stride;
    return {std::min<std::ptrdiff_t>(down, 0) + std::min<std::ptrdiff_t>(across, 0),
            std::max<std::ptrdiff_t>(down, 0) + std::max<std::ptrdiff_t>(across, 0) + 1};
}

// Draws strides for this many matrices side by side, and returns the distance from one to the next.
std::ptrdiff_t draw_strides(random_numbers& random, matrix_place& m, bool written,
                            std::size_t side_by_side) {
    const bool by_rows = random.below(5) < 3;
    const std::size_t inner = by_rows ? m.cols : m.rows;
    const std::size_t kind = random.below(12);
    const std::ptrdiff_t step = kind == 0 ? random.between(2, 5) : 1;
    std::ptrdiff_t outer = static_cast<std::ptrdiff_t>(inner * side_by_side) * step;
    if (kind > 5) outer += random.between(1, kind > 10 ? 90 : 9);
    outer = std::max<std::ptrdiff_t>(outer, 1);
    m.row_stride = by_rows ? outer : step;
    m.col_stride = by_rows ? step : outer;
    if (random.chance(12)) m.row_stride = -m.row_stride;
    if (random.chance(12)) m.col_stride = -m.col_stride;
    // The stride of an axis of one element means nothing.
    const auto any = [&] {
        constexpr std::int64_t far = std::int64_t{1} << 40;
        return random.chance(4) ? random.between(-far, far) : random.between(-1000, 1000);
    };
    if (m.rows == 1 && random.chance(3)) m.row_stride = any();
    if (m.cols == 1 && random.chance(3)) m.col_stride = any();
    if (!written && random.chance(25)) (random.chance(2) ? m.row_stride : m.col_stride) = 0;
    return static_cast<std::ptrdiff_t>(inner) * step;
}

std::ptrdiff_t to_16(std::ptrdiff_t count) {
    return (count + 15) / 16 * 16;
}

void lay_out_tidily(matrix_place& m, bool by_rows) {
    const std::ptrdiff_t line = to_16(static_cast<std::ptrdiff_t>(by_rows ? m.cols : m.rows));
    m.row_stride = by_rows ? std::max<std::ptrdiff_t>(line, 16) : 1;
    m.col_stride = by_rows ? 1 : std::max<std::ptrdiff_t>(line, 16);
}

}  // namespace

void operand::lay_out(random_numbers& random, grouping how, std::span<const shape> shapes,
                      bool written) {
    all.clear();
    std::size_t start = 0;
    // Heads: matrices of a batch side by side in one matrix.
    const bool heads = how == grouping::strided && !for_all && random.chance(2) && !tidy;
    std::ptrdiff_t next = 0;
    std::ptrdiff_t head = 0;
    const bool tidy_by_rows = tidy && random.below(5) < 3;
    for (std::size_t p = 0; p < (for_all ? 1 : shapes.size()); ++p) {
        matrix_place m = {shapes[p].rows, shapes[p].cols};
        m.start = start;
        start += m.size();
        if (tidy) {
            lay_out_tidily(m, tidy_by_rows);
        } else if (p == 0 || how == grouping::listed) {
            head = draw_strides(random, m, written, heads ? shapes.size() : 1);
        } else {
            m.row_stride = all[0].row_stride;
            m.col_stride = all[0].col_stride;
        }
        const extent e = extent_of(m);
        if (how == grouping::strided) {
            if (p == 0) {
                stride = heads ? head : e.high - e.low + random.between(0, 7);
                if (!written && random.chance(20)) stride = 0;
                if (random.chance(10)) stride = -stride;
            }
            m.first = static_cast<std::ptrdiff_t>(p) * stride;
        } else {
            m.first = next - e.low;
            next += e.high - e.low + random.between(0, 9);
            if (tidy) next = to_16(next);
        }
        all.push_back(m);
    }
    // Addresses of a batch in random order.
    if (how == grouping::pointers || how == grouping::listed)
        for (std::size_t p = all.size(); how == grouping::pointers && p > 1; --p)
            std::swap(all[p - 1].first, all[random.below(p)].first);
    values.assign(start, 0);
    measure();
}

void operand::measure() {
    low_ = high_ = 0;
    bool any = false;
    for (const matrix_place& m : all) {
        if (m.size() == 0) continue;
        const extent e = extent_of(m);
        low_ = any ? std::min(low_, m.first + e.low) : m.first + e.low;
        high_ = any ? std::max(high_, m.first + e.high) : m.first + e.high;
        any = true;
    }
}

void operand::cut_into(std::vector<matrix_place> parts, bool known) {
    all = std::move(parts);
    std::vector<double> of_all;
    for (matrix_place& m : all) {
        m.start = of_all.size();
        const std::vector<double> own = known ? read(m) : std::vector<double>(m.size());
        of_all.insert(of_all.end(), own.begin(), own.end());
    }
    values = std::move(of_all);
}

std::size_t operand::span_bytes() const {
    return static_cast<std::size_t>(high_ - low_) * size_bytes(type);
}

void operand::place(random_numbers& random, std::size_t around_bytes) {
    to_copy_ = 0;
    const std::size_t bytes = size_bytes(type);
    const flush side = tidy || random.chance(2) ? flush::front : flush::back;
    // Vector alignments and odd ones.
    const std::size_t offset = tidy || random.chance(2) ? 0 : random.below(70);
    std::byte* const first =
        memory_.place(span_bytes() + 2 * around_bytes, side, offset * bytes) + around_bytes;
    origin_ = first - low_bytes();
    const auto room = [&](std::byte* from, std::byte* to) {
        return std::min(canary_bytes + around_bytes, static_cast<std::size_t>(to - from));
    };
    remembered_ = first - room(memory_.begin(), first);
    std::byte* const last = first + span_bytes();
    const std::size_t all_bytes =
        static_cast<std::size_t>(last - remembered_) + room(last, memory_.end());
    // NaN in every format; the largest number or -1 in integers.
    std::memset(remembered_, random.chance(2) ? 0xff : 0x7f, all_bytes);
    before_.resize(all_bytes);
    remember();
}

void operand::remember() {
    if (!before_.empty()) std::memcpy(before_.data(), remembered_, before_.size());
}

void operand::restore() {
    if (!before_.empty()) std::memcpy(remembered_, before_.data(), before_.size());
}

void operand::write_values() {
    for (const matrix_place& m : all)
        each_element(m, [&](std::size_t i, std::size_t j) {
            store(type, values[m.start + i * m.cols + j], element(m, i, j));
        });
    // The stored values: rounded, and the last one if several share an address.
    for (const matrix_place& m : all) {
        const std::vector<double> now = read(m);
        std::ranges::copy(now, values.begin() + static_cast<std::ptrdiff_t>(m.start));
    }
    remember();
}

std::vector<double> operand::read(const matrix_place& m) const {
    std::vector<double> now(m.size());
    const auto bytes = static_cast<std::ptrdiff_t>(size_bytes(type));
    for (std::size_t i = 0; i < m.rows && m.cols != 0; ++i)
        widen_line(type, element(m, i, 0), m.col_stride * bytes, m.cols, now.data() + i * m.cols);
    return now;
}

std::vector<std::byte> operand::bits() const {
    const std::size_t bytes = size_bytes(type);
    std::vector<std::byte> result(values.size() * bytes);
    std::byte* to = result.data();
    for (const matrix_place& m : all)
        each_element(m, [&](std::size_t i, std::size_t j) {
            std::memcpy(to, element(m, i, j), bytes);
            to += bytes;
        });
    return result;
}

void operand::restore_elements() {
    const std::size_t bytes = size_bytes(type);
    for (const matrix_place& m : all)
        each_element(m, [&](std::size_t i, std::size_t j) {
            std::byte* const at = element(m, i, j);
            std::memcpy(at, before_.data() + (at - remembered_), bytes);
        });
}

std::string operand::changed() const {
    if (before_.empty() || std::memcmp(before_.data(), remembered_, before_.size()) == 0) return {};
    const std::byte* at = remembered_;
    while (*at == before_[static_cast<std::size_t>(at - remembered_)]) ++at;
    return "byte " + std::to_string(at - element(low_)) + " of its memory of " +
           std::to_string(span_bytes()) + " was changed";
}

std::byte* operand::some_pad(random_numbers& random) const {
    for (int tries = 0; tries < 64 && !before_.empty(); ++tries) {
        std::byte* const at = remembered_ + random.below(before_.size());
        bool is_element = false;
        const auto bytes = static_cast<std::ptrdiff_t>(size_bytes(type));
        for (const matrix_place& m : all)
            each_element(m, [&](std::size_t i, std::size_t j) {
                const std::ptrdiff_t distance = at - element(m, i, j);
                is_element = is_element || (distance >= 0 && distance < bytes);
            });
        if (!is_element) return at;
    }
    return nullptr;
}

}  // namespace carat::fuzz
