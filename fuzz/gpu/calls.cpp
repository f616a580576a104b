#include "calls.hpp"

#include "typed.hpp"

namespace carat::fuzz {

namespace {

void dispatch(const call_request& r) {
    switch (r.of.a_type) {
        case dtype::f64: {
            const typed_call<cuda, double, double, double> call(r);
            return call();
        }
        case dtype::i8: {
            const typed_call<cuda, std::int8_t, std::int8_t, std::int32_t> call(r);
            return call();
        }
        case dtype::f32:
            return call_into_each<float, float>(r);
        case dtype::f16:
            return call_into_each<f16, f16>(r);
        case dtype::bf16:
            return call_into_each<bf16, bf16>(r);
        case dtype::e4m3:
            return call_into_each<e4m3, e4m3>(r);
        default:
            return call_into_each<e5m2, e4m3>(r);
    }
}

}  // namespace

void start_call(const product_case& c, const workbench& on) {
    const call_request r = {c, on, 0, c.group != grouping::one, nullptr, nullptr};
    c.by_c ? call_c(r) : dispatch(r);
}

void start_single_call(const product_case& c, const workbench& on, std::size_t product) {
    dispatch({c, on, product, false, nullptr, nullptr});
}

}  // namespace carat::fuzz
