#include "tests/support/product_case.hpp"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <limits>
#include <sstream>
#include <vector>

#include "lab/verify/verify.hpp"

namespace carat::test {

namespace {

constexpr std::array plant_names = {
    "none", "NaN in A", "NaN in B", "NaN in C", "Inf in A", "Inf in B", "Inf in A, zeros in B"};

struct matrices {
    guarded_matrix a;
    guarded_matrix b;
    guarded_matrix c;

    explicit matrices(const product_case& from)
        : a(from.p.a_type, from.p.m, from.p.k, from.p.a_layout, from.places[0]),
          b(from.p.b_type, from.p.k, from.p.n, from.p.b_layout, from.places[1]),
          c(from.p.c_type, from.p.m, from.p.n, from.p.c_layout, from.places[2]) {
        a.fill(from.data, from.seed, workload::operand::a);
        b.fill(from.data, from.seed, workload::operand::b);
        if (from.p.beta == 0)
            verify::poison(from.p, c.data());
        else
            c.fill(from.data, from.seed, workload::operand::c);
        if (from.p.m > 0 && from.p.n > 0 && from.p.k > 0) plant_special(from);
    }

    [[nodiscard]] core::operands pointers() const { return {a.data(), b.data(), c.data()}; }

  private:
    void plant_special(const product_case& from) {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        constexpr double inf = std::numeric_limits<double>::infinity();
        const auto pick = [&](std::int64_t extent, std::uint64_t salt) {
            return static_cast<std::int64_t>((from.seed / salt) %
                                             static_cast<std::uint64_t>(extent));
        };
        const std::int64_t i = pick(from.p.m, 3);
        const std::int64_t j = pick(from.p.n, 7);
        const std::int64_t q = pick(from.p.k, 11);
        switch (from.special) {
            case special_value::none:
                break;
            case special_value::nan_in_a:
                a.set(i, q, nan);
                break;
            case special_value::nan_in_b:
                b.set(q, j, nan);
                break;
            case special_value::nan_in_c:
                if (from.p.beta != 0) c.set(i, j, nan);
                break;
            case special_value::inf_in_a:
                a.set(i, q, inf);
                break;
            case special_value::inf_in_b:
                b.set(q, j, -inf);
                break;
            case special_value::inf_times_zero:
                a.set(i, q, inf);
                for (std::int64_t column = 0; column < from.p.n; column += 2) b.set(q, column, 0);
                break;
        }
    }
};

std::string text(const core::layout& l) {
    return "(" + std::to_string(l.row_stride) + "," + std::to_string(l.col_stride) + ")";
}

std::string text(const placement& p) {
    return (p.side == flush::front ? "front+" : "back-") + std::to_string(p.offset);
}

std::string changed(const guarded_matrix& o, const std::vector<std::byte>& before,
                    const char* what) {
    return o.snapshot() == before ? "" : std::string(what) + " was changed";
}

std::string run_once(const product_case& c, matrices& data, rows::runnable& product) {
    const bool reads = c.p.alpha != 0;
    const std::vector<std::byte> a = reads ? data.a.snapshot() : std::vector<std::byte>();
    const std::vector<std::byte> b = reads ? data.b.snapshot() : std::vector<std::byte>();
    const std::vector<std::byte> around_c = data.c.surroundings();
    const int rounding = std::fegetround();
    product.run(data.pointers());
    if (std::fegetround() != rounding) return "the rounding mode was changed";
    if (product.threads() > c.how.threads)
        return "it used " + std::to_string(product.threads()) + " threads";
    if (reads)
        for (const std::string& why : {changed(data.a, a, "A"), changed(data.b, b, "B")})
            if (!why.empty()) return why;
    if (data.c.surroundings() != around_c) return "bytes around the elements of C were changed";
    return {};
}

}  // namespace

workload::distribution small_integers(dtype type) {
    return workload::integers(type == dtype::u8 ? 0 : -8, 8);
}

product_case plain_case(const rows::implementation& entry, const core::signature& types,
                        std::int64_t m, std::int64_t n, std::int64_t k) {
    product_case c;
    c.entry = &entry;
    c.types = &types;
    c.p = core::row_major_problem(types.c, m, n, k);
    c.p.a_type = types.a;
    c.p.b_type = types.b;
    c.how.threads = 1;
    c.data = small_integers(types.a);
    return c;
}

std::string describe(const product_case& c) {
    std::ostringstream out;
    out << c.entry->name << " " << name(c.p.a_type) << "*" << name(c.p.b_type) << "->"
        << name(c.p.c_type) << " m=" << c.p.m << " n=" << c.p.n << " k=" << c.p.k
        << " alpha=" << c.p.alpha << " beta=" << c.p.beta << " strides A" << text(c.p.a_layout)
        << " B" << text(c.p.b_layout) << " C" << text(c.p.c_layout) << " at " << text(c.places[0])
        << " " << text(c.places[1]) << " " << text(c.places[2]) << " data "
        << workload::to_string(c.data) << " seed " << c.seed << " special "
        << plant_names[static_cast<std::size_t>(c.special)] << " threads " << c.how.threads;
    for (const auto& [tunable, value] : c.how.tunables) out << " " << tunable << "=" << value;
    return out.str();
}

std::vector<std::byte> result_of(const product_case& c) {
    describe_for_crash(describe(c));
    matrices data(c);
    c.entry->prepare(c.p, c.how)->run(data.pointers());
    return data.c.snapshot();
}

std::string failure_of(const product_case& c) {
    describe_for_crash(describe(c));
    matrices data(c);
    const std::vector<std::byte> initial = data.c.snapshot();
    const verify::reference reference(c.p, data.pointers(), {.threads = 1});
    if (c.p.alpha == 0) {
        data.a.forbid();
        data.b.forbid();
    }
    const auto product = c.entry->prepare(c.p, c.how);
    if (std::string why = run_once(c, data, *product); !why.empty()) return why;
    const verify::verdict v = reference.check(data.c.data(), c.types->computes_in);
    if (!v.passed) return v.reason;

    const std::vector<std::byte> first = data.c.snapshot();
    data.c.restore(initial);
    if (std::string why = run_once(c, data, *product); !why.empty()) return "second run: " + why;
    return changed(data.c, first, "second run: a bit of C");
}

}  // namespace carat::test
