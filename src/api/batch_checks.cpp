#include "api/batch_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/checks.hpp"
#include "api/overlap.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;

[[noreturn]] void fail(error_code code, const std::string& what) {
    throw error(code, "matrix_products: " + what);
}

std::size_t matrices(const erased_batch& b) {
    return std::max<std::size_t>(b.count, 1);
}

// The same for every product, so seen from the first.
void check_counts(const erased_batch& x, const erased_batch& c, const std::string& name) {
    if (!x.for_all && x.count != c.count)
        fail(error_code::size_mismatch, name + " has " + std::to_string(x.count) +
                                            " matrices and C has " + std::to_string(c.count) +
                                            "; give one for each product, or one matrix for all");
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

// The bytes of one matrix of a batch, as addresses.
struct place {
    std::int64_t low;
    std::int64_t high;
    std::size_t index;
};

std::vector<place> places_of(const erased_batch& b, const char* name) {
    std::vector<place> places;
    if (b.first.prepared != nullptr) return places;
    byte_span span = b.at == nullptr ? span_of(b.first, name) : byte_span{};
    places.reserve(matrices(b));
    for (std::size_t i = 0; i < matrices(b); ++i) {
        const erased_matrix m = item(b, i);
        if (b.at != nullptr) span = span_of(m, name);
        const auto at = reinterpret_cast<std::intptr_t>(m.data);
        places.push_back({at + span.low, at + span.high, i});
    }
    return places;
}

place hull_of(const std::vector<place>& places) {
    place hull = places.front();
    for (const place& p : places) {
        hull.low = std::min(hull.low, p.low);
        hull.high = std::max(hull.high, p.high);
    }
    return hull;
}

[[noreturn]] void fail_overlap(std::size_t i, const std::string& name, std::size_t j, bool one) {
    fail(error_code::aliasing, "C of product " + std::to_string(i) + " overlaps " + name +
                                   (one ? " of all" : " of product " + std::to_string(j)) +
                                   "; write to matrices of their own and copy");
}

// The C of all products, in the order of memory.
class targets {
  public:
    explicit targets(const erased_batch& c) : c_(c), places_(places_of(c, "C")) {
        std::ranges::sort(places_, {}, &place::low);
        hull_ = hull_of(places_);
        for (const place& p : places_) longest_ = std::max(longest_, p.high - p.low);
    }

    // No matrix of `x` may share an element with a C, except one that is its own product's where
    // `own` says so. Only those whose bytes mingle are compared.
    void check(const erased_batch& x, const char* name, bool own) const {
        const std::vector<place> others = places_of(x, name);
        if (others.empty()) return;
        const place hull = hull_of(others);
        if (hull.high <= hull_.low || hull_.high <= hull.low) return;
        for (const place& p : others) check_one(x, p, name, own);
    }

    void check_each_other() const {
        for (std::size_t i = 1; i < places_.size(); ++i)
            for (std::size_t j = i; j-- > 0 && places_[i].low < places_[j].low + longest_;)
                if (may_overlap(item(c_, places_[i].index), item(c_, places_[j].index)))
                    fail_overlap(std::max(places_[i].index, places_[j].index), "C",
                                 std::min(places_[i].index, places_[j].index), false);
    }

  private:
    void check_one(const erased_batch& x, const place& p, const char* name, bool own) const {
        const erased_matrix m = item(x, p.index);
        auto c = std::ranges::lower_bound(places_, p.low - longest_, {}, &place::low);
        for (; c != places_.end() && c->low < p.high; ++c) {
            const erased_matrix target = item(c_, c->index);
            const bool same = own && (x.count == 0 ? c_.count == 1 : c->index == p.index) &&
                              same_elements(m, target);
            if (!same && may_overlap(m, target))
                fail_overlap(c->index, name, p.index, x.count == 0);
        }
    }

    const erased_batch& c_;
    std::vector<place> places_;
    place hull_{};
    std::int64_t longest_ = 0;
};

core::problem checked_product(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                              const erased_batch& c, const detail::finish_steps* steps,
                              std::size_t i) {
    return as_product(i, [&] {
        const erased_matrix added = e == nullptr ? erased_matrix{} : item(*e, i);
        return checked_problem(item(a, i), item(b, i), e == nullptr ? nullptr : &added, item(c, i),
                               steps);
    });
}

// Everything but single products.
void check_arguments(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                     const erased_batch& c) {
    check_counts(a, c, "A");
    check_counts(b, c, "B");
    if (e != nullptr) check_counts(*e, c, "E");
    check_stride(a, "A");
    check_stride(b, "B");
    if (e != nullptr) check_stride(*e, "E");
    check_stride(c, "C");
}

void check_places(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                  const erased_batch& c) {
    const targets written(c);
    written.check_each_other();
    written.check(a, "A", false);
    written.check(b, "B", false);
    if (e != nullptr) written.check(*e, "E", true);
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

void check_values(const detail::finish_steps& steps, const erased_batch& c) {
    for (std::size_t i = 0; i < c.count; ++i)
        as_product(i, [&] { check_finish(steps, item(c, i)); });
}

}  // namespace

erased_matrix item(const erased_batch& b, std::size_t i) {
    if (b.at != nullptr) return item_of_list(b, i);
    erased_matrix m = b.first;
    if (b.pointers != nullptr) {
        m.data = const_cast<void*>(b.pointers[i]);
    } else if (b.count != 0) {
        m.data =
            static_cast<std::byte*>(m.data) + static_cast<std::ptrdiff_t>(i) * b.stride *
                                                  static_cast<std::ptrdiff_t>(size_bytes(m.type));
    }
    return m;
}

core::problem checked_batch(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                            const erased_batch& c, const detail::finish_steps* steps) {
    check_arguments(a, b, e, c);
    if (c.count == 0) return {};
    const core::problem p = checked_product(a, b, e, c, steps, 0);
    // Of matrices at a stride the first says all; pointers may be null one by one.
    const bool pointed = a.pointers != nullptr || b.pointers != nullptr || c.pointers != nullptr ||
                         (e != nullptr && e->pointers != nullptr);
    for (std::size_t i = 1; pointed && i < c.count; ++i)
        (void)checked_product(a, b, e, c, steps, i);
    if (steps != nullptr) check_values(*steps, c);
    if (p.m == 0 || p.n == 0) return p;
    check_places(a, b, e, c);
    return p;
}

bool is_group(const erased_batch& a, const erased_batch& b, const erased_batch* e,
              const erased_batch& c) {
    return a.at != nullptr || b.at != nullptr || c.at != nullptr ||
           (e != nullptr && e->at != nullptr);
}

std::vector<core::problem> checked_group(const erased_batch& a, const erased_batch& b,
                                         const erased_batch* e, const erased_batch& c,
                                         const detail::finish_steps* steps) {
    check_arguments(a, b, e, c);
    std::vector<core::problem> all;
    all.reserve(c.count);
    for (std::size_t i = 0; i < c.count; ++i) all.push_back(checked_product(a, b, e, c, steps, i));
    if (steps != nullptr) check_values(*steps, c);
    if (c.count > 0) check_places(a, b, e, c);
    return all;
}

}  // namespace carat::api
