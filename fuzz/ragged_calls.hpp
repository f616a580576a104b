// Calls with carat::ragged for one combination of types.
#pragma once

#include <carat/carat.hpp>

#include "ragged.hpp"
#include "typed_calls.hpp"

namespace carat::fuzz {

struct shared_request {
    const product_case& of;
    const workbench& on;
    const sharing& by;
};

template <class P, class A, class B, class C>
class shared_call {
    using sums = detail::sums_of<A, C>;
    static constexpr bool has_sums = detail::epilogue_value<sums>;

  public:
    explicit shared_call(const shared_request& r) : c_(r.of), on_(r.on), by_(r.by) {}

    void operator()() const {
        const operand& e = c_.e == addend::c ? on_.c : on_.e;
        const auto a = [&] { return scaled(c_.a_factor, each<const A>(on_.a)); };
        const auto b = [&] { return scaled(c_.b_factor, each<const B>(on_.b)); };
        switch (by_.what) {
            case shared_out::rows: {
                const auto own = scaled(c_.a_factor, rows<const A>(on_.a, 0));
                const auto with = [&](const auto& other) {
                    call(own, other, rows<const C>(e, 3), rows<C>(on_.c, 3));
                };
                return on_.b.for_all ? with(scaled(c_.b_factor, one<const B>(on_.b))) : with(b());
            }
            case shared_out::columns: {
                const auto own = scaled(c_.b_factor, columns<const B>(on_.b, 1));
                const auto with = [&](const auto& other) {
                    call(other, own, columns<const C>(e, 3), columns<C>(on_.c, 3));
                };
                return on_.a.for_all ? with(scaled(c_.a_factor, one<const A>(on_.a))) : with(a());
            }
            case shared_out::depth:
                call(scaled(c_.a_factor, columns<const A>(on_.a, 0)),
                     scaled(c_.b_factor, rows<const B>(on_.b, 1)), each<const C>(e),
                     each<C>(on_.c));
        }
    }

  private:
    // The whole matrix that `which` is a part of.
    template <class T>
    [[nodiscard]] matrix_view<T> whole(const operand& o, std::size_t which) const {
        return view<T>(o, by_.whole[which]);
    }
    template <class T>
    [[nodiscard]] auto rows(const operand& o, std::size_t which) const {
        return ragged(whole<T>(o, which), by_.told, by_.ends.size());
    }
    template <class T>
    [[nodiscard]] auto columns(const operand& o, std::size_t which) const {
        return transposed(ragged(transposed(whole<T>(o, which)), by_.told, by_.ends.size()));
    }
    template <class T>
    [[nodiscard]] auto each(const operand& o) const {
        return strided(one<T>(o), by_.products, o.stride);
    }
    template <class T>
    [[nodiscard]] matrix_view<T> one(const operand& o) const {
        return view<T>(o, o.all[0]);
    }

    template <class Left, class Right, class Added, class Result>
    void call(const Left& a, const Right& b, const Added& e, const Result& c) const {
        const P where = policy_of<P>(c_);
        const auto products = [&](const auto&... rest) {
            if constexpr (has_sums) {
                if (c_.has_epilogue)
                    return matrix_products(where, a, b, rest..., chain_of<sums>(c_, on_));
            }
            matrix_products(where, a, b, rest...);
        };
        c_.e == addend::none ? products(c) : products(scaled(c_.beta, e), c);
    }

    const product_case& c_;
    const workbench& on_;
    const sharing& by_;
};

}  // namespace carat::fuzz
