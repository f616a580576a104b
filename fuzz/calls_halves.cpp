#include "typed_calls.hpp"

namespace carat::fuzz {

void call_halves(const call_request& r) {
    const bool wide = r.of.c_type == dtype::f32;
    if (r.of.a_type == dtype::f16)
        return wide ? call_typed<f16, f16, float>(r) : call_typed<f16, f16, f16>(r);
    return wide ? call_typed<bf16, bf16, float>(r) : call_typed<bf16, bf16, bf16>(r);
}

}  // namespace carat::fuzz
