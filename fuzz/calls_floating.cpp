#include "typed_calls.hpp"

namespace carat::fuzz {

void call_floating(const call_request& r) {
    if (r.of.a_type == dtype::f64) return call_typed<double, double, double>(r);
    if (r.of.c_type == dtype::f32) return call_typed<float, float, float>(r);
    if (r.of.c_type == dtype::f16) return call_typed<float, float, f16>(r);
    call_typed<float, float, bf16>(r);
}

void call_integers(const call_request& r) {
    call_typed<std::int32_t, std::int32_t, std::int32_t>(r);
}

}  // namespace carat::fuzz
