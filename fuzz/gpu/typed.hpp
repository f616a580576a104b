// One type of operands with every type of C that a GPU writes.
#pragma once

#include "fuzz/typed_calls.hpp"

namespace carat::fuzz {

template <class A, class B>
void call_into_each(const call_request& r) {
    const auto into = [&]<class C>(C) {
        const typed_call<cuda, A, B, C> call(r);
        call();
    };
    switch (r.of.c_type) {
        case dtype::f32:
            return into(float{});
        case dtype::f16:
            return into(f16{});
        case dtype::bf16:
            return into(bf16{});
        case dtype::e4m3:
            return into(e4m3{});
        default:
            return into(e5m2{});
    }
}

extern template void call_into_each<float, float>(const call_request& r);
extern template void call_into_each<f16, f16>(const call_request& r);
extern template void call_into_each<bf16, bf16>(const call_request& r);
extern template void call_into_each<e4m3, e4m3>(const call_request& r);
extern template void call_into_each<e5m2, e4m3>(const call_request& r);

}  // namespace carat::fuzz
