#include "api/batch_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/checks.hpp"
#include "api/overlap.hpp"
#include "api/overlap_search.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;

[[noreturn]] void fail(error_code code, const std::string& what) {
    throw error(code, "matrix_products: " + what);
}

std::size_t matrices(const erased_batch& b) {
    return std::max<std::size_t>(b.count, 1);
}

bool is_strided(const erased_batch& b) {
    return b.pointers == nullptr && b.at == nullptr;
}

// This is the same for every product, so the first one shows it.
void check_counts(const erased_batch& x, const erased_batch& c, const std::string& name) {
    if (!x.for_all && x.count != c.count)
        fail(error_code::size_mismatch, name + " has " + std::to_string(x.count) +
                                            " matrices and C has " + std::to_string(c.count) +
                                            "; give one for each product, or one matrix for all");
}

// The lowest and highest byte of all matrices of a batch, as addresses.
struct hull {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
};

// The matrices of a batch, whose spans are known to fit in addresses.
class group_of_matrices {
  public:
    group_of_matrices(const erased_batch& b, const char* name) : batch_(b), name_(name) {
        if (b.first.prepared != nullptr) return;  // in memory of its own
        if (is_strided(b)) {
            add_ends();
            return;
        }
        each([&](std::size_t, const void* data, const erased_matrix&, const byte_span& span) {
            const auto at = reinterpret_cast<std::intptr_t>(data);
            hull_.low = std::min(hull_.low, at + span.low);
            hull_.high = std::max(hull_.high, at + span.high);
        });
    }

    [[nodiscard]] const erased_batch& batch() const { return batch_; }
    [[nodiscard]] const hull& bytes() const { return hull_; }

    // `once`: a matrix that is repeated counts once.
    [[nodiscard]] std::vector<box> boxes(const lines_of_memory& in, bool once) const {
        std::vector<box> all;
        all.reserve(matrices(batch_));
        std::optional<footprint> known;
        const void* last = nullptr;
        each([&](std::size_t i, const void* data, const erased_matrix& m, const byte_span& span) {
            const bool is_list = batch_.at != nullptr;
            if (once && data == last && !is_list) return;
            last = data;
            if (!known || is_list) known.emplace(m, span, in);
            known->add_at(data, i, all);
        });
        return all;
    }

    // The area of all boxes.
    [[nodiscard]] double area(const lines_of_memory& in) const {
        if (batch_.at == nullptr)
            return static_cast<double>(matrices(batch_)) *
                   footprint(batch_.first, span_of(batch_.first, name_), in).area();
        double all = 0;
        each([&](std::size_t, const void*, const erased_matrix& m, const byte_span& span) {
            all += footprint(m, span, in).area();
        });
        return all;
    }

    // A line length for which boxes have both rows and columns, if there is one.
    [[nodiscard]] erased_matrix typical() const {
        std::size_t i = 0;
        while (batch_.at != nullptr && i + 1 < matrices(batch_) && !is_typical(item(batch_, i)))
            ++i;
        return item(batch_, i);
    }

    // Whether matrices at one stride end before the next begins; then the others need no look.
    [[nodiscard]] bool are_in_a_row() const {
        if (!is_strided(batch_)) return false;
        const byte_span span = span_of(batch_.first, name_);
        const auto bytes = static_cast<std::int64_t>(size_bytes(batch_.first.type));
        return batch_.count < 2 || std::abs(batch_.stride * bytes) >= span.high - span.low;
    }

  private:
    // Adds the first and the last of the matrices at a stride.
    void add_ends() {
        const byte_span span = span_of(batch_.first, name_);
        for (const std::size_t i : {std::size_t{0}, matrices(batch_) - 1}) {
            const auto at = reinterpret_cast<std::intptr_t>(address_in(batch_, i));
            hull_.low = std::min(hull_.low, at + span.low);
            hull_.high = std::max(hull_.high, at + span.high);
        }
    }

    static bool is_typical(const erased_matrix& m) { return m.rows > 1 && m.cols > 1; }

    // Calls visit(number, data, matrix, span). Matrices of a list may differ in size; elsewhere all
    // are like the first.
    template <class Visit>
    void each(const Visit& visit) const {
        const erased_matrix& first = batch_.first;
        const byte_span span = batch_.at == nullptr ? span_of(first, name_) : byte_span{};
        for (std::size_t i = 0; i < matrices(batch_); ++i) {
            if (batch_.at == nullptr) {
                visit(i, address_in(batch_, i), first, span);
                continue;
            }
            const erased_matrix m = item(batch_, i);
            if (m.rows != 0 && m.cols != 0) visit(i, m.data, m, span_of(m, name_));
        }
    }

    const erased_batch& batch_;
    const char* name_;
    hull hull_;
};

[[noreturn]] void fail_overlap(std::size_t i, const std::string& name, std::size_t j, bool one) {
    fail(error_code::aliasing, "C of product " + std::to_string(i) + " overlaps " + name +
                                   (one ? " of all" : " of product " + std::to_string(j)) +
                                   "; write to matrices of their own and copy");
}

// The C of all products. The checks throw, or return how many pairs they compared.
class targets {
  public:
    explicit targets(const erased_batch& c)
        : all_(c, "C"), lengths_(lengths_of_lines(all_.typical())) {
        const auto useless = [&](std::int64_t bytes) { return !have_room_in_lines(bytes); };
        if (!std::ranges::all_of(lengths_, useless)) std::erase_if(lengths_, useless);
    }

    // No matrix of `x` may share an element with a C, except its own product's if `own` is set.
    [[nodiscard]] std::size_t check(const erased_batch& x, const char* name, bool own) const {
        const group_of_matrices others(x, name);
        if (others.bytes().high <= all_.bytes().low || all_.bytes().high <= others.bytes().low)
            return 0;
        if (own && is_same(x)) return 0;  // its matrices were told apart
        return search(&others, !own, [&](std::size_t i, std::size_t j) {
            const erased_matrix m = item(x, j);
            const erased_matrix target = item(all_.batch(), i);
            const bool same = own && (x.count == 0 ? all_.batch().count == 1 : i == j) &&
                              same_elements(m, target);
            if (!same && share_bytes(m, target)) fail_overlap(i, name, j, x.count == 0);
        });
    }

    [[nodiscard]] std::size_t check_each_other() const {
        if (all_.are_in_a_row()) return 0;
        return search(nullptr, false, [&](std::size_t i, std::size_t j) {
            if (i != j && share_bytes(item(all_.batch(), i), item(all_.batch(), j)))
                fail_overlap(std::max(i, j), "C", std::min(i, j), false);
        });
    }

  private:
    [[nodiscard]] bool is_same(const erased_batch& x) const {
        const erased_batch& c = all_.batch();
        if (x.count != c.count || x.at != nullptr || c.at != nullptr) return false;
        if (!same_strides(x.first, c.first)) return false;
        if (is_strided(x) && is_strided(c))
            return x.stride == c.stride && x.first.data == c.first.data;
        for (std::size_t i = 0; i < c.count; ++i)
            if (address_in(x, i) != address_in(c, i)) return false;
        return true;
    }

    // Boxes that do not touch fit between the first byte and the last.
    [[nodiscard]] bool have_room_in_lines(std::int64_t bytes) const {
        const double there = static_cast<double>(all_.bytes().high) -
                             static_cast<double>(all_.bytes().low) + static_cast<double>(bytes);
        return all_.area({all_.bytes().low, bytes}) <= there;
    }

    // Uses lines in which few boxes meet; if there are none, compares pairs in any lines.
    template <class Meets>
    [[nodiscard]] std::size_t search(const group_of_matrices* others, bool once,
                                     const Meets& meets) const {
        constexpr std::size_t few = 8;
        std::size_t compared = 0;
        for (std::size_t tried = 0; tried <= lengths_.size(); ++tried) {
            const lines_of_memory in{all_.bytes().low, lengths_[tried % lengths_.size()]};
            std::vector<box> own = all_.boxes(in, false);
            std::vector<box> theirs;
            if (others != nullptr) theirs = others->boxes(in, once);
            const std::size_t most = tried == lengths_.size()
                                         ? std::numeric_limits<std::size_t>::max()
                                         : few * (1 + own.size() + theirs.size());
            const std::size_t now =
                for_each_overlap(own, others == nullptr ? nullptr : &theirs, most, meets);
            compared += now;
            if (now <= most) break;
        }
        return compared;
    }

    group_of_matrices all_;
    std::vector<std::int64_t> lengths_;
};

core::problem checked_product(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                              const erased_batch& c, const detail::epilogue_steps* steps,
                              std::size_t i) {
    return as_product(i, [&] {
        const erased_matrix added = e == nullptr ? erased_matrix{} : item(*e, i);
        return checked_problem(item(a, i), item(b, i), e == nullptr ? nullptr : &added, item(c, i),
                               steps);
    });
}

// Everything except single products.
void check_arguments(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                     const erased_batch& c) {
    check_number(c.count);
    check_counts(a, c, "A");
    check_counts(b, c, "B");
    if (e != nullptr) check_counts(*e, c, "E");
    check_stride(a, "A");
    check_stride(b, "B");
    if (e != nullptr) check_stride(*e, "E");
    check_stride(c, "C");
}

erased_matrix item_of_list(const erased_batch& b, std::size_t i) {
    erased_matrix m = b.at(b.list, i);
    if (b.turned) {
        std::swap(m.rows, m.cols);
        std::swap(m.row_stride, m.col_stride);
    }
    m.factor = b.first.factor;
    return m;
}

void check_values(const detail::epilogue_steps& steps, const erased_batch& a, const erased_batch& b,
                  const erased_batch* e, const erased_batch& c) {
    for (std::size_t i = 0; i < c.count; ++i)
        as_product(i, [&] {
            const erased_matrix added = e == nullptr ? erased_matrix{} : item(*e, i);
            check_epilogue(steps, item(a, i), item(b, i), e == nullptr ? nullptr : &added,
                           item(c, i));
        });
}

}  // namespace

void check_number(std::size_t products) {
    constexpr std::size_t most = std::size_t{1} << 40;
    if (products > most)
        fail(error_code::overflow, "there are " + std::to_string(products) +
                                       " products: a call takes up to 2^40; give as many as C has "
                                       "matrices");
}

void check_stride(const erased_batch& b, const std::string& name) {
    std::int64_t reach = 0;
    const auto bytes = static_cast<std::int64_t>(size_bytes(b.first.type));
    const bool fits = b.count < 2 || (!__builtin_mul_overflow(b.count - 1, b.stride, &reach) &&
                                      !__builtin_mul_overflow(reach, 2 * bytes, &reach));
    if (!fits)
        fail(error_code::overflow, name + " has " + std::to_string(b.count) + " matrices " +
                                       std::to_string(b.stride) +
                                       " elements apart, which does not fit in 64-bit addresses");
    if (b.count != 0 && b.first.rows != 0 && b.first.cols != 0 && b.pointers == nullptr &&
        b.first.data == nullptr)
        fail(error_code::invalid_argument, name + " is a batch whose data is null");
}

std::size_t check_places(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                         const erased_batch& c) {
    const targets written(c);
    std::size_t compared = written.check_each_other();
    compared += written.check(a, "A", false);
    compared += written.check(b, "B", false);
    if (e != nullptr) compared += written.check(*e, "E", true);
    return compared;
}

erased_matrix item(const erased_batch& b, std::size_t i) {
    if (b.at != nullptr) return item_of_list(b, i);
    erased_matrix m = b.first;
    m.data = address_in(b, i);
    return m;
}

core::problem checked_batch(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                            const erased_batch& c, const detail::epilogue_steps* steps) {
    check_arguments(a, b, e, c);
    if (c.count == 0) return {};
    const core::problem p = checked_product(a, b, e, c, steps, 0);
    // The first of matrices at a stride decides for all; pointers may be null one by one.
    const bool pointed = a.pointers != nullptr || b.pointers != nullptr || c.pointers != nullptr ||
                         (e != nullptr && e->pointers != nullptr);
    for (std::size_t i = 1; pointed && i < c.count; ++i)
        (void)checked_product(a, b, e, c, steps, i);
    if (steps != nullptr) check_values(*steps, a, b, e, c);
    if (p.m == 0 || p.n == 0) return p;
    (void)check_places(a, b, e, c);
    return p;
}

bool is_group(const erased_batch& a, const erased_batch& b, const erased_batch* e,
              const erased_batch& c) {
    return a.at != nullptr || b.at != nullptr || c.at != nullptr ||
           (e != nullptr && e->at != nullptr);
}

std::vector<core::problem> checked_group(const erased_batch& a, const erased_batch& b,
                                         const erased_batch* e, const erased_batch& c,
                                         const detail::epilogue_steps* steps) {
    check_arguments(a, b, e, c);
    std::vector<core::problem> all;
    all.reserve(c.count);
    for (std::size_t i = 0; i < c.count; ++i) all.push_back(checked_product(a, b, e, c, steps, i));
    if (steps != nullptr) check_values(*steps, a, b, e, c);
    if (c.count > 0) (void)check_places(a, b, e, c);
    return all;
}

}  // namespace carat::api
