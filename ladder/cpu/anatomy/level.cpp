// The table that one instruction set hands to the dispatch.
#include "ladder/cpu/anatomy/prefetch.hpp"
#include "ladder/cpu/anatomy/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

#define CARAT_TEXT(name) CARAT_TEXT_OF(name)
#define CARAT_TEXT_OF(name) #name

template <class T>
void multiply_packed(const product<T>& p, const T* packed_a, const T* packed_b) {
    macro_kernel(p, packed_a, packed_b, prefetch_c_and_next_a{});
}

template <class T>
constexpr level<T> steps_of = {CARAT_TEXT(CARAT_ISA),
                               lanes<T>,
                               mr,
                               nr<T>,
                               simd<T>,
                               register_tile<T>,
                               packing<T>,
                               prefetch<T>,
                               multi_level<T>,
                               few_rows<T>,
                               {pack_a<T>, pack_b<T>, multiply_packed<T>}};

extern const level<double> level_f64;
extern const level<float> level_f32;
constexpr level<double> level_f64 = steps_of<double>;
constexpr level<float> level_f32 = steps_of<float>;

}  // namespace carat::ladder::cpu::CARAT_ISA
