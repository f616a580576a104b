// What is applied to sums on their way to C, as kernels and loops see it: the steps of an epilogue,
// then E. Sums lie in runs of neighbours in memory, which are parts of columns or rows of C,
// depending on whether the product was swapped.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include <carat/epilogue.hpp>
#include <carat/types.hpp>

namespace carat::cpu_engine {

template <class T>
struct epilogue_call;

// `lines` runs of `count` sums; run `i` is at sums + i * step. (first, line) is the position in C:
// how far along its run the first sum is, and in which run.
template <class T>
struct epilogue_sums {
    T* sums;
    std::int64_t count;
    std::int64_t lines;
    std::int64_t step;
    std::int64_t first;
    std::int64_t line;
};

// sums = epilogue(alpha sums) + beta E.
template <class T>
using epilogue_function = void (*)(const epilogue_call<T>&, const epilogue_sums<T>&);

// The type in which sums of T are finished: integer sums are finished in f32, in place.
template <class T>
using epilogue_type = std::conditional_t<std::is_floating_point_v<T>, T, float>;

template <class T>
struct epilogue_call {
    epilogue_function<T> function = nullptr;
    std::span<const detail::epilogue_step> steps = {};
    bool of_integers = false;  // the sums are, until each is rounded to T
    T alpha{1};
    bool down = false;  // runs are parts of columns of C
    T beta{0};          // 0: E is not read
    const void* e = nullptr;
    dtype e_type = dtype::f64;
    std::int64_t e_run_step = 0;  // elements of E from one sum of a run to the next
    std::int64_t e_run_stride = 0;

    void operator()(const epilogue_sums<T>& of) const { function(*this, of); }
};

}  // namespace carat::cpu_engine
