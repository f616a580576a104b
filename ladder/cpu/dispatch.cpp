#include "ladder/cpu/anatomy/dispatch.hpp"

#include "core/isa.hpp"

namespace carat::ladder::cpu {

namespace baseline {
extern const level<double> level_f64;
extern const level<float> level_f32;
}  // namespace baseline
#if defined(__x86_64__)
namespace avx2 {
extern const level<double> level_f64;
extern const level<float> level_f32;
}  // namespace avx2
namespace avx512 {
extern const level<double> level_f64;
extern const level<float> level_f32;
}  // namespace avx512
#endif

template <>
const level<double>& level_in_use() {
    switch (core::vectors_of(core::isa_in_use())) {
#if defined(__x86_64__)
        case core::isa::avx512:
            return avx512::level_f64;
        case core::isa::avx2:
            return avx2::level_f64;
#endif
        default:
            return baseline::level_f64;
    }
}

template <>
const level<float>& level_in_use() {
    switch (core::vectors_of(core::isa_in_use())) {
#if defined(__x86_64__)
        case core::isa::avx512:
            return avx512::level_f32;
        case core::isa::avx2:
            return avx2::level_f32;
#endif
        default:
            return baseline::level_f32;
    }
}

}  // namespace carat::ladder::cpu
