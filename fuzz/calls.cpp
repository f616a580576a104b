#include "calls.hpp"

#include "typed_calls.hpp"

namespace carat::fuzz {

namespace {

void dispatch(const call_request& r) {
    switch (r.of.a_type) {
        case dtype::f64:
        case dtype::f32:
            return call_floating(r);
        case dtype::f16:
        case dtype::bf16:
            return call_halves(r);
        case dtype::i32:
            return call_integers(r);
        default:
            return call_bytes(r);
    }
}

template <class T>
prepared_matrix prepare_typed(const operand& o, side place) {
    return prepare(view<const T>(o, o.all[0]), place);
}

}  // namespace

prepared_matrix prepare_operand(const product_case& c, const workbench& on) {
    const bool left = c.ready == prepared::left;
    const operand& o = left ? on.a : on.b;
    const side place = left ? side::left : side::right;
    switch (o.type) {
        case dtype::f64:
            return prepare_typed<double>(o, place);
        case dtype::f32:
            return prepare_typed<float>(o, place);
        case dtype::f16:
            return prepare_typed<f16>(o, place);
        case dtype::bf16:
            return prepare_typed<bf16>(o, place);
        case dtype::i8:
            return prepare_typed<std::int8_t>(o, place);
        default:
            return prepare_typed<std::uint8_t>(o, place);
    }
}

void make_call(const product_case& c, const workbench& on, const prepared_matrix* ready,
               const std::function<void()>* at_call) {
    const call_request r = {c, on, 0, c.group != grouping::one, ready, at_call};
    c.by_c ? call_c(r) : dispatch(r);
}

void make_single_call(const product_case& c, const workbench& on, std::size_t product,
                      const prepared_matrix* ready) {
    dispatch({c, on, product, false, ready, nullptr});
}

}  // namespace carat::fuzz
