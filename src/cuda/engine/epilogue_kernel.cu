// A thread has a few neighbours along the closer dimension of C, at the same place of many lines;
// it is limited by memory. A step is a functor on one number and a case in take(): sums in, sums
// out.
#include <algorithm>
#include <bit>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <optional>

#include "cuda/common/activation.cuh"
#include "cuda/common/error.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/engine/epilogue_kernel.hpp"

namespace carat::gpu_engine {

namespace {

using cuda::activation;
using detail::step_kind;

constexpr int threads = 256;
constexpr int most_steps = static_cast<int>(detail::most_steps);

enum class action : std::uint8_t { add, multiply, multiply_all, activate, gate, note_largest };

template <class Sum>
struct step {
    action what;
    activation then;    // activate, gate: of the first factor
    bool of_lines;      // add, multiply: a number for each line, else for each place on it
    const Sum* values;  // add, multiply
    Sum number;         // multiply_all
    void* largest;      // note_largest: a Sum that isn't negative
};

// Elements from one line to the next, and from one place on it to the next.
struct strides {
    std::int64_t line;
    std::int64_t place;
};

// Lines are rows of C, or its columns where these lie closer.
template <class Sum, class To>
struct arguments {
    const Sum* sums;
    strides sums_at;
    std::int64_t to_second;  // elements to what a gate multiplies; 0: there is no gate
    std::int64_t second_line;
    std::int64_t second_place;
    To* c;
    strides c_at;
    const To* e;
    strides e_at;
    Sum beta;
    std::int64_t lines;
    std::int64_t length;
    const int* lines_there;  // in memory: only so many; null: all
    const int* places_there;
    int lanes_bits;  // 2 to this power neighbours of a block are on one line
    int count;
    step<Sum> steps[most_steps];
};

template <class T, int Size>
struct alignas(Size * sizeof(T)) some {
    T of[Size];
};

template <class T, int Size>
__device__ __forceinline__ some<T, Size> read(const T* from) {
    return *reinterpret_cast<const some<T, Size>*>(from);
}

// |x| as an unsigned number, in the same order; what is not a number is larger than all.
__device__ __forceinline__ unsigned magnitude(float x) {
    return __float_as_uint(x) & 0x7fffffffu;
}
__device__ __forceinline__ unsigned long long magnitude(double x) {
    return static_cast<unsigned long long>(__double_as_longlong(x)) & 0x7fffffffffffffffull;
}

// Where numbers are in what the epilogue is of: A B.
struct where {
    std::int64_t line;
    std::int64_t place;
};

// What a thread has in hand.
template <class Sum, int Size>
struct in_hand {
    Sum x[Size];
    decltype(magnitude(Sum{})) largest = 0;

    template <class F>
    __device__ __forceinline__ void each(const F& f) {
#pragma unroll
        for (int i = 0; i < Size; ++i) x[i] = f(x[i], i);
    }
};

template <class Sum, int Size>
__device__ __forceinline__ void take(in_hand<Sum, Size>& own, const step<Sum>& s, const where& at) {
    const Sum* const values = s.values + (s.of_lines ? at.line : at.place);
    const int next = s.of_lines ? 0 : 1;
    switch (s.what) {
        case action::add:
            return own.each([&](Sum x, int i) { return x + __ldg(values + i * next); });
        case action::multiply:
            return own.each([&](Sum x, int i) { return x * __ldg(values + i * next); });
        case action::multiply_all:
            return own.each([&](Sum x, int) { return x * s.number; });
        case action::activate:
        case action::gate:
            return cuda::activate(s.then, own.x);
        case action::note_largest:
            return own.each([&](Sum x, int) {
                own.largest = max(own.largest, magnitude(x));
                return x;
            });
    }
}

template <class Sum, int Size>
__device__ __forceinline__ void load(in_hand<Sum, Size>& own, const Sum* from) {
    const auto sums = read<Sum, Size>(from);
    own.each([&](Sum, int i) { return sums.of[i]; });
}

template <class Sum, class To, int Size>
__device__ __forceinline__ void apply_to_line(const arguments<Sum, To>& p, in_hand<Sum, Size>& own,
                                              const where& at) {
    const Sum* const from = p.sums + at.line * p.sums_at.line + at.place * p.sums_at.place;
    load(own, from);
    for (int i = 0; i < p.count; ++i) {
        take(own, p.steps[i], at);
        if (p.steps[i].what != action::gate) continue;
        in_hand<Sum, Size> second;
        load(second, from + p.to_second);
        const where there{at.line + p.second_line, at.place + p.second_place};
        for (int j = 0; j < i; ++j) take(second, p.steps[j], there);
        own.each([&](Sum x, int k) { return x * second.x[k]; });
    }
    if (p.beta != Sum{0}) {
        const auto e = read<To, Size>(p.e + at.line * p.e_at.line + at.place * p.e_at.place);
        own.each([&](Sum x, int i) { return x + p.beta * static_cast<Sum>(e.of[i]); });
    }
    some<To, Size> c;
#pragma unroll
    for (int i = 0; i < Size; ++i) c.of[i] = static_cast<To>(own.x[i]);
    *reinterpret_cast<some<To, Size>*>(p.c + at.line * p.c_at.line + at.place * p.c_at.place) = c;
}

// Maxima don't depend on the order in which they are taken.
template <class Sum, class Magnitude>
__device__ __forceinline__ void tell_largest(const step<Sum>& s, Magnitude own) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) own = max(own, __shfl_xor_sync(~0U, own, apart));
    if (threadIdx.x % 32 == 0) atomicMax(static_cast<Magnitude*>(s.largest), own);
}

template <class Sum, class To, int Size>
__global__ void __launch_bounds__(threads, 3)
    pass_kernel(const __grid_constant__ arguments<Sum, To> p) {
    const int own = static_cast<int>(threadIdx.x);
    const int lanes = 1 << p.lanes_bits;
    const int lines = threads >> p.lanes_bits;
    where at{std::int64_t{blockIdx.y} * lines + (own >> p.lanes_bits),
             (std::int64_t{blockIdx.x} * lanes + (own & (lanes - 1))) * Size};
    in_hand<Sum, Size> numbers;
    const std::int64_t lines_there = p.lines_there == nullptr ? p.lines : *p.lines_there;
    const std::int64_t length = p.places_there == nullptr ? p.length : *p.places_there;
    if (at.place < length)
        for (; at.line < lines_there; at.line += std::int64_t{gridDim.y} * lines)
            apply_to_line(p, numbers, at);
    for (int i = 0; i < p.count; ++i)
        if (p.steps[i].what == action::note_largest) tell_largest(p.steps[i], numbers.largest);
}

activation activation_of(step_kind kind) {
    if (kind == step_kind::relu || kind == step_kind::reglu) return activation::relu;
    if (kind == step_kind::gelu || kind == step_kind::geglu) return activation::gelu;
    return activation::silu;
}

template <class Sum>
step<Sum> step_for(const detail::epilogue_step& s, bool by_rows) {
    step<Sum> made{};
    made.of_lines = (s.of == by::row) == by_rows;
    switch (s.kind) {
        case step_kind::bias:
        case step_kind::scale:
            made.what = s.kind == step_kind::bias ? action::add : action::multiply;
            made.values = static_cast<const Sum*>(s.values);
            break;
        case step_kind::scale_all:
            made.what = action::multiply_all;
            made.number = static_cast<Sum>(s.number);
            break;
        case step_kind::relu:
        case step_kind::gelu:
        case step_kind::silu:
            made.what = action::activate;
            made.then = activation_of(s.kind);
            break;
        case step_kind::reglu:
        case step_kind::geglu:
        case step_kind::swiglu:
            made.what = action::gate;
            made.then = activation_of(s.kind);
            break;
        case step_kind::amax:
            made.what = action::note_largest;
            made.largest = const_cast<void*>(s.values);
            break;
        case step_kind::each:  // refused before
            break;
    }
    return made;
}

bool in_units(const void* data, const strides& at, std::size_t element_bytes, int size) {
    return at.place == 1 && at.line % size == 0 &&
           reinterpret_cast<std::uintptr_t>(data) %
                   (static_cast<std::size_t>(size) * element_bytes) ==
               0;
}

// Where it is started; nowhere: its kernel is only loaded.
struct started {
    std::optional<cudaStream_t> stream;
};

template <class Sum, class To, int Size>
void launch(arguments<Sum, To> with, const started& on) {
    const auto kernel = pass_kernel<Sum, To, Size>;
    if (!on.stream) return cuda::load(kernel);
    const auto places = static_cast<std::uint64_t>((with.length + Size - 1) / Size);
    with.lanes_bits = std::min(8, static_cast<int>(std::bit_width(places - 1)));
    const std::int64_t lanes = std::int64_t{1} << with.lanes_bits;
    const std::int64_t lines = threads / lanes;
    const std::int64_t across = (static_cast<std::int64_t>(places) + lanes - 1) / lanes;
    // Blocks enough for any GPU, several lines for each where there are more.
    constexpr std::int64_t enough = 4096;
    const std::int64_t down = std::clamp<std::int64_t>((with.lines + lines - 1) / lines, 1,
                                                       std::max<std::int64_t>(1, enough / across));
    const dim3 blocks(static_cast<unsigned>(across), static_cast<unsigned>(down));
    kernel<<<blocks, threads, 0, *on.stream>>>(with);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

// Gives each thread as many numbers as whole vectors allow, which share what a step costs a
// thread.
template <class Sum, class To, int Size>
void launch_widest(const arguments<Sum, To>& with, const started& on) {
    const bool fits = with.places_there == nullptr && with.length % Size == 0 &&
                      with.to_second % Size == 0 &&
                      in_units(with.sums, with.sums_at, sizeof(Sum), Size) &&
                      in_units(with.c, with.c_at, sizeof(To), Size) &&
                      (with.beta == Sum{0} || in_units(with.e, with.e_at, sizeof(To), Size));
    if constexpr (Size > 1)
        if (!fits) return launch_widest<Sum, To, (Size > 4 ? 4 : 1)>(with, on);
    launch<Sum, To, Size>(with, on);
}

template <class Sum, class To>
void start_as(const epilogue_kernel& it, const started& on) {
    const auto closer = [](const core::layout& at) {
        return std::abs(at.row_stride) >= std::abs(at.col_stride);
    };
    const bool by_rows = closer(it.c_layout);
    const auto along = [&](const core::layout& at) {
        return by_rows ? strides{at.row_stride, at.col_stride}
                       : strides{at.col_stride, at.row_stride};
    };
    arguments<Sum, To> with{};
    with.sums = static_cast<const Sum*>(it.sums.data);
    with.sums_at = along(it.sums.at);
    with.c = static_cast<To*>(it.c);
    with.c_at = along(it.c_layout);
    with.e = static_cast<const To*>(it.e.data);
    with.e_at = along(it.e.at);
    with.beta = static_cast<Sum>(it.beta);
    with.lines = by_rows ? it.m : it.n;
    with.length = by_rows ? it.n : it.m;
    (by_rows ? with.lines_there : with.places_there) = it.rows;
    for (const detail::epilogue_step& s : it.steps) {
        const step<Sum> made = step_for<Sum>(s, by_rows);
        with.steps[with.count++] = made;
        if (made.what != action::gate) continue;
        with.to_second = it.n * it.sums.at.col_stride;
        (by_rows ? with.second_place : with.second_line) = it.n;
    }
    launch_widest<Sum, To, 32 / static_cast<int>(sizeof(Sum))>(with, on);
}

void take(const epilogue_kernel& it, const started& on) {
    if (it.m == 0 || it.n == 0) return;
    if (it.sums_type == dtype::f64) return start_as<double, double>(it, on);
    if (it.c_type == dtype::f16) return start_as<float, __half>(it, on);
    if (it.c_type == dtype::bf16) return start_as<float, __nv_bfloat16>(it, on);
    if (it.c_type == dtype::e4m3) return start_as<float, __nv_fp8_e4m3>(it, on);
    if (it.c_type == dtype::e5m2) return start_as<float, __nv_fp8_e5m2>(it, on);
    start_as<float, float>(it, on);
}

}  // namespace

bool converts(dtype sums_type, dtype c_type) {
    if (sums_type == dtype::f64) return c_type == dtype::f64;
    return sums_type == dtype::f32 && (c_type == dtype::f32 || c_type == dtype::f16 ||
                                       c_type == dtype::bf16 || is_fp8(c_type));
}

void load(const epilogue_kernel& it) {
    take(it, {});
}

void start(const epilogue_kernel& it, cudaStream_t stream) {
    take(it, {stream});
}

}  // namespace carat::gpu_engine
