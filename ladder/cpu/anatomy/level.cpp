// The table that one instruction set hands to the dispatch.
#include "ladder/cpu/anatomy/micro_kernel.hpp"
#include "ladder/cpu/anatomy/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

#define CARAT_TEXT(name) CARAT_TEXT_OF(name)
#define CARAT_TEXT_OF(name) #name

template <class T>
constexpr level<T> steps_of = {
    CARAT_TEXT(CARAT_ISA), lanes<T>,   mr,          nr<T>,         simd<T>,
    register_tile<T>,      packing<T>, prefetch<T>, multi_level<T>};

extern const level<double> level_f64;
extern const level<float> level_f32;
constexpr level<double> level_f64 = steps_of<double>;
constexpr level<float> level_f32 = steps_of<float>;

}  // namespace carat::ladder::cpu::CARAT_ISA
