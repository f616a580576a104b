// The kernels of one element type, as the file of that type instantiates them. Wide tiles feed the
// tensor cores best; narrow ones give a small C to more multiprocessors.
#pragma once

#include "cuda/sm90/kernel.cuh"
#include "cuda/sm90/kernels.hpp"

namespace carat::cuda::sm90 {

template <class Element, class Factor, int TileN, major A, major B>
[[nodiscard]] kernel<Factor> instance() {
    return kernel_with<config<Element, TileN, TileN == 256 ? 2 : 1, A, B>, Factor>();
}

// Elements of 16 bits may be contiguous along either dimension.
template <class Element, int TileN>
[[nodiscard]] const kernel<float>& any_majors(major a, major b) {
    using enum major;
    static const kernel<float> all[] = {instance<Element, float, TileN, along_k, along_k>(),
                                        instance<Element, float, TileN, along_k, across>(),
                                        instance<Element, float, TileN, across, along_k>(),
                                        instance<Element, float, TileN, across, across>()};
    return all[(a == across ? 2 : 0) + (b == across ? 1 : 0)];
}

template <class Element>
[[nodiscard]] const kernel<float>& find_16_bit(int tile_n, major a, major b) {
    return tile_n == 256 ? any_majors<Element, 256>(a, b) : any_majors<Element, 128>(a, b);
}

template <class Element, class Factor>
[[nodiscard]] const kernel<Factor>& find_along_k(int tile_n) {
    static const kernel<Factor> wide =
        instance<Element, Factor, 256, major::along_k, major::along_k>();
    static const kernel<Factor> narrow =
        instance<Element, Factor, 128, major::along_k, major::along_k>();
    return tile_n == 256 ? wide : narrow;
}

}  // namespace carat::cuda::sm90
