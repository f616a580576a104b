// The calls of one combination of types. Each file of calls_*.cpp compiles some.
#pragma once

#include <functional>
#include <span>
#include <tuple>
#include <vector>

#include <carat/carat.hpp>

#include "product_case.hpp"
#include "workbench.hpp"

namespace carat::fuzz {

// The arguments of a call other than the types.
struct call_request {
    const product_case& of;
    const workbench& on;
    std::size_t product;  // of a single call
    bool batch;
    const prepared_matrix* ready;
    const std::function<void()>* at_call;  // when all arguments are there; may be null
};

template <class T>
matrix_view<T> view(const operand& o, const matrix_place& m) {
    return {reinterpret_cast<T*>(o.data(m)), m.rows, m.cols, o.seen_row_stride(m),
            o.seen_col_stride(m)};
}

// The same as the transpose of its transpose, if the case says so.
template <class T>
matrix_view<T> told(const product_case& c, const operand& o, const matrix_place& m) {
    const matrix_view<T> v = view<T>(o, m);
    if (!c.turned) return v;
    return transposed(matrix_view<T>(v.data(), v.cols(), v.rows(), v.col_stride(), v.row_stride()));
}

// x -> x / 2 + (row - column), if that is exact.
struct own_step {
    template <class T>
    T operator()(T x, std::size_t row, std::size_t col) const {
        return x / 2 + (static_cast<T>(row) - static_cast<T>(col));
    }
};

template <class Sums>
epilogue<Sums> chain_of(const product_case& c, const workbench& on) {
    epilogue<Sums> all{detail::epilogue_steps{}};
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
        const drawn_step& step = c.steps[i];
        const operand& from = on.values[i];
        const std::span values(reinterpret_cast<const Sums*>(from.data(from.all[0])),
                               from.all[0].cols);
        switch (step.kind) {
            case detail::step_kind::bias:
                all = all | bias(values, step.of);
                break;
            case detail::step_kind::scale:
                all = all | scale(values, step.of);
                break;
            case detail::step_kind::scale_all:
                all = all | scale(step.number);
                break;
            case detail::step_kind::relu:
                all = all | relu;
                break;
            case detail::step_kind::gelu:
                all = all | gelu;
                break;
            case detail::step_kind::silu:
                all = all | silu;
                break;
            case detail::step_kind::reglu:
                all = all | reglu;
                break;
            case detail::step_kind::geglu:
                all = all | geglu;
                break;
            case detail::step_kind::swiglu:
                all = all | swiglu;
                break;
            case detail::step_kind::amax:
                all = all | amax(reinterpret_cast<Sums*>(from.data(from.all[0])));
                break;
            default:
                all = all | each(own_step{});
        }
    }
    return all;
}

template <class P>
P policy_of(const product_case& c) {
    if constexpr (std::same_as<P, cuda>)
        return {.stream = c.stream,
                .device = c.device,
                .batch_invariant = c.batch_invariant,
                .f32 = c.f32};
    else
        return {.threads = c.threads, .f16 = c.f16_sums ? f16_as::f16_sums : f16_as::f32_sums};
}

// Whether a batch of this type is compiled: bytes have too many combinations for all.
template <class A, class C>
inline constexpr bool is_batched = !detail::byte_integer<A> || !detail::half<C>;

// Types for which every form of a batch is compiled.
template <class A>
inline constexpr bool is_half_or_f32 = std::same_as<A, float> || detail::half<A>;

template <class P, class A, class B, class C>
class typed_call {
    using sums = detail::sums_of<A, C>;
    static constexpr bool has_sums = detail::epilogue_value<sums>;

  public:
    explicit typed_call(const call_request& r) : r_(r), c_(r.of), on_(r.on) {}

    void operator()() const {
        if (!r_.batch) return single();
        if constexpr (is_batched<A, C>) {
            if (c_.group == grouping::listed)
                with_batches([this](const operand& o, auto element, auto& keep) {
                    using T = typename decltype(element)::type;
                    return this->template as_list<T>(o,
                                                     std::get<std::vector<matrix_view<T>>>(keep));
                });
            else if (c_.group == grouping::pointers)
                with_batches([this](const operand& o, auto element, auto& keep) {
                    using T = typename decltype(element)::type;
                    return this->template at_pointers<T>(o, std::get<std::vector<T*>>(keep));
                });
            else
                with_batches([this](const operand& o, auto element, auto&) {
                    return this->template as_strided<typename decltype(element)::type>(o);
                });
        }
    }

  private:
    template <class T>
    struct tag {
        using type = T;
    };
    template <class T>
    using kept = std::tuple<std::vector<matrix_view<T>>, std::vector<T*>>;

    // The number of matrices of a batch's operand.
    [[nodiscard]] std::size_t count_of(const operand& o) const {
        return o.for_all ? c_.sizes.size() : o.all.size();
    }
    template <class T>
    [[nodiscard]] auto as_list(const operand& o, std::vector<matrix_view<T>>& views) const {
        for (std::size_t p = 0; p < count_of(o); ++p) {
            const matrix_view<T> v = view<T>(o, o.of(p));
            views.push_back(c_.turned ? transposed(v) : v);
        }
        return c_.turned ? transposed(listed(views)) : listed(views);
    }
    template <class T>
    [[nodiscard]] auto at_pointers(const operand& o, std::vector<T*>& where) const {
        for (std::size_t p = 0; p < count_of(o); ++p)
            where.push_back(reinterpret_cast<T*>(o.data(o.of(p))));
        const matrix_place& m = o.all[0];
        const std::span<T* const> all(where);
        return c_.turned ? transposed(pointers(all, m.cols, m.rows, m.col_stride, m.row_stride))
                         : pointers(all, m.rows, m.cols, m.row_stride, m.col_stride);
    }
    template <class T>
    [[nodiscard]] auto as_strided(const operand& o) const {
        const matrix_view<T> first = view<T>(o, o.all[0]);
        const std::ptrdiff_t stride = o.for_all ? 0 : o.stride;
        return c_.turned ? transposed(strided(transposed(first), count_of(o), stride))
                         : strided(first, count_of(o), stride);
    }

    void arguments_are_there() const {
        if (r_.at_call != nullptr) (*r_.at_call)();
    }

    void single() const {
        const auto a = scaled(c_.a_factor, told<const A>(c_, on_.a, on_.a.of(r_.product)));
        const auto b = scaled(c_.b_factor, told<const B>(c_, on_.b, on_.b.of(r_.product)));
        const auto c = told<C>(c_, on_.c, on_.c.of(r_.product));
        const operand& added = c_.e == addend::c ? on_.c : on_.e;
        if constexpr (std::same_as<P, cpu>) {
            if (r_.ready != nullptr) return single_prepared(a, b, added, c);
        }
        if constexpr (std::same_as<P, cuda> && std::same_as<A, e4m3> && std::same_as<B, e4m3>) {
            if (c_.by_blocks)
                return call_single(scaled(c_.a_factor, in_blocks<A>(on_.a, 0)),
                                   scaled(c_.b_factor, in_blocks<B>(on_.b, 1)), added, c);
        }
        call_single(a, b, added, c);
    }

    template <class T>
    [[nodiscard]] auto in_blocks(const operand& o, std::size_t which) const {
        const operand& scales = on_.scales[which];
        return scaled_by_blocks(view<const T>(o, o.all[0]),
                                view<const float>(scales, scales.all[0]));
    }

    template <class Left, class Right>
    void single_prepared(const Left& a, const Right& b, const operand& added,
                         const matrix_view<C>& c) const {
        const bool left = c_.ready == prepared::left;
        const prepared_matrix ready = scaled(left ? c_.a_factor : c_.b_factor, *r_.ready);
        left ? call_single(ready, b, added, c) : call_single(a, ready, added, c);
    }

    template <class Left, class Right>
    void call_single(const Left& a, const Right& b, const operand& added,
                     const matrix_view<C>& c) const {
        const P where = policy_of<P>(c_);
        const auto product = [&](const auto&... rest) {
            arguments_are_there();
            if constexpr (has_sums) {
                if (c_.has_epilogue)
                    return matrix_product(where, a, b, rest..., chain_of<sums>(c_, on_));
            }
            if constexpr (!detail::byte_integer<C>) matrix_product(where, a, b, rest...);
        };
        if (c_.e == addend::none) return product(c);
        product(scaled(c_.beta, told<const C>(c_, added, added.of(r_.product))), c);
    }

    template <class Make>
    void with_batches(const Make& make) const {
        kept<const A> of_a;
        kept<const B> of_b;
        kept<const C> of_e;
        kept<C> of_c;
        const auto c = make(on_.c, tag<C>{}, of_c);
        const auto with_operands = [&](const auto& a, const auto& b) {
            call_batch(a, b, c, [&] {
                const operand& added = c_.e == addend::c ? on_.c : on_.e;
                return scaled(c_.beta, make(added, tag<const C>{}, of_e));
            });
        };
        const auto all_a = [&] { return scaled(c_.a_factor, make(on_.a, tag<const A>{}, of_a)); };
        const auto all_b = [&] { return scaled(c_.b_factor, make(on_.b, tag<const B>{}, of_b)); };
        if constexpr (std::same_as<P, cpu>) {
            if (r_.ready != nullptr && c_.ready == prepared::left)
                return with_operands(scaled(c_.a_factor, *r_.ready), all_b());
            if (r_.ready != nullptr) return with_operands(all_a(), scaled(c_.b_factor, *r_.ready));
        }
        if (c_.a_for_all)
            return with_operands(scaled(c_.a_factor, view<const A>(on_.a, on_.a.all[0])), all_b());
        if (c_.b_for_all)
            return with_operands(all_a(), scaled(c_.b_factor, view<const B>(on_.b, on_.b.all[0])));
        if constexpr (is_half_or_f32<A>)
            if (c_.b_strided)
                return with_operands(all_a(), scaled(c_.b_factor, as_strided<const B>(on_.b)));
        with_operands(all_a(), all_b());
    }

    template <class Left, class Right, class Result, class Added>
    void call_batch(const Left& a, const Right& b, const Result& c, const Added& added) const {
        const P where = policy_of<P>(c_);
        const auto products = [&](const auto&... rest) {
            arguments_are_there();
            if constexpr (has_sums) {
                if (c_.has_epilogue)
                    return matrix_products(where, a, b, rest..., chain_of<sums>(c_, on_));
            }
            if constexpr (!detail::byte_integer<C>) matrix_products(where, a, b, rest...);
        };
        if (c_.e == addend::none) return products(c);
        if constexpr (is_half_or_f32<A>)
            if (c_.e_for_all && c_.turned)
                return products(scaled(c_.beta, view<const C>(on_.e, on_.e.all[0])), c);
        products(added(), c);
    }

    const call_request& r_;
    const product_case& c_;
    const workbench& on_;
};

template <class A, class B, class C>
void call_typed(const call_request& r) {
    const typed_call<cpu, A, B, C> call(r);
    call();
}

// One for each type of the first operand.
void call_floating(const call_request& r);  // f64, f32
void call_halves(const call_request& r);    // f16, bf16
void call_bytes(const call_request& r);
void call_integers(const call_request& r);
// A call of any type through carat.h.
void call_c(const call_request& r);

}  // namespace carat::fuzz
