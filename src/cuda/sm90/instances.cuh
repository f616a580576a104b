// The kernels of one element type, as the file of that type instantiates them.
#pragma once

#include "cuda/sm90/kernel.cuh"
#include "cuda/sm90/kernels.hpp"

namespace carat::cuda::sm90 {

template <int TileM, int TileN>
inline constexpr const char* name_of = "";
template <>
inline constexpr const char* name_of<64, 16> = "sm90_64x16";
template <>
inline constexpr const char* name_of<64, 32> = "sm90_64x32";
template <>
inline constexpr const char* name_of<64, 64> = "sm90_64x64";
template <>
inline constexpr const char* name_of<64, 128> = "sm90_64x128";
template <>
inline constexpr const char* name_of<64, 160> = "sm90_64x160";
template <>
inline constexpr const char* name_of<128, 16> = "sm90_128x16";
template <>
inline constexpr const char* name_of<128, 32> = "sm90_128x32";
template <>
inline constexpr const char* name_of<128, 64> = "sm90_128x64";
template <>
inline constexpr const char* name_of<128, 128> = "sm90_128x128";
template <>
inline constexpr const char* name_of<128, 160> = "sm90_128x160";
template <>
inline constexpr const char* name_of<128, 192> = "sm90_128x192";
template <>
inline constexpr const char* name_of<128, 224> = "sm90_128x224";
template <>
inline constexpr const char* name_of<128, 256> = "sm90_128x256";

template <>
inline constexpr const char* name_of<192, 128> = "sm90_192x128";

template <class Element, class Factor, int TileM, int TileN, major A, major B,
          summing Sums = summing::straight,
          bool Wide = config<Element, TileM, TileN, A, B, Sums>::wide>
[[nodiscard]] kernel<Factor> instance() {
    return kernel_with<config<Element, TileM, TileN, A, B, Sums, Wide>, Factor>(
        name_of<TileM, TileN>);
}

template <int Rows, int Columns>
struct tile {};

// The tile there is for these numbers of rows and columns, to `f` as constants. Some are only
// there for elements of 16 bits.
template <bool Of16Bits, class F>
[[nodiscard]] decltype(auto) with_tile(int tile_m, int tile_n, const F& f) {
    if constexpr (Of16Bits) {
        if (tile_m == 64 && tile_n == 128) return f(tile<64, 128>{});
        if (tile_m == 64 && tile_n == 160) return f(tile<64, 160>{});
        if (tile_n == 160) return f(tile<128, 160>{});
        if (tile_n == 224) return f(tile<128, 224>{});
    }
    if (tile_m == 64) {
        if (tile_n == 16) return f(tile<64, 16>{});
        if (tile_n == 32) return f(tile<64, 32>{});
        return f(tile<64, 64>{});
    }
    if (tile_n == 16) return f(tile<128, 16>{});
    if (tile_n == 32) return f(tile<128, 32>{});
    if (tile_n == 64) return f(tile<128, 64>{});
    if (tile_n == 128) return f(tile<128, 128>{});
    if (tile_n == 192) return f(tile<128, 192>{});
    return f(tile<128, 256>{});
}

// Of rows whose A begins alike; wide.
template <class Element>
[[nodiscard]] const kernel<float>& find_alike(int tile_n) {
    using enum major;
    static constexpr auto straight = summing::straight;
    using of_192 = config<Element, 128, 192, along_k, across, straight, true, false, false, true>;
    using of_224 = config<Element, 128, 224, along_k, across, straight, true, false, false, true>;
    using of_256 = config<Element, 128, 256, along_k, across, straight, true, false, false, true>;
    static const kernel<float> all[] = {kernel_with<of_192, float>("sm90_128x192_alike"),
                                        kernel_with<of_224, float>("sm90_128x224_alike"),
                                        kernel_with<of_256, float>("sm90_128x256_alike")};
    return all[(tile_n - 192) / 32];
}

// Elements of 16 bits may be contiguous along either dimension, but for B in a tile that is
// narrower than a line of 128 bytes.
template <class Element, int TileM, int TileN>
[[nodiscard]] const kernel<float>& any_majors(major a, major b) {
    using enum major;
    if constexpr (TileN >= 64) {
        static const kernel<float> all[] = {
            instance<Element, float, TileM, TileN, along_k, along_k>(),
            instance<Element, float, TileM, TileN, along_k, across>(),
            instance<Element, float, TileM, TileN, across, along_k>(),
            instance<Element, float, TileM, TileN, across, across>()};
        return all[(a == across ? 2 : 0) + (b == across ? 1 : 0)];
    } else {
        static const kernel<float> both[] = {
            instance<Element, float, TileM, TileN, along_k, along_k>(),
            instance<Element, float, TileM, TileN, across, along_k>()};
        return both[a == across ? 1 : 0];
    }
}

template <class Element>
[[nodiscard]] const kernel<float>& find_16_bit(int tile_m, int tile_n, major a, major b) {
    return with_tile<true>(tile_m, tile_n,
                           [&]<int TileM, int TileN>(tile<TileM, TileN>) -> const kernel<float>& {
                               return any_majors<Element, TileM, TileN>(a, b);
                           });
}

template <class Element, class Factor, summing Sums = summing::straight, major A = major::along_k>
[[nodiscard]] const kernel<Factor>& find_along_k(int tile_m, int tile_n) {
    return with_tile<false>(
        tile_m, tile_n, []<int TileM, int TileN>(tile<TileM, TileN>) -> const kernel<Factor>& {
            // A block of 128 columns with one scale would lie in two tiles of 192.
            constexpr int width = Sums == summing::in_blocks && TileN == 192 ? 256 : TileN;
            static const kernel<Factor> it =
                instance<Element, Factor, TileM, width, A, major::along_k, Sums>();
            return it;
        });
}

// Tiles beside each other, of promoted sums.
template <class Element, class Factor>
[[nodiscard]] const kernel<Factor>& find_beside() {
    using enum major;
    static const kernel<Factor> it =
        instance<Element, Factor, 192, 128, along_k, along_k, summing::promoted>();
    return it;
}

// Tiles of 128 x 256 that are shared out evenly.
template <class Element, class Factor, summing Sums = summing::straight, major A = major::along_k>
[[nodiscard]] const kernel<Factor>& find_even() {
    using even = config<Element, 128, 256, A, major::along_k, Sums, true, false, true>;
    static const kernel<Factor> it = kernel_with<even, Factor>("sm90_128x256_even");
    return it;
}

// Tiles of 128 x 128, one for each warpgroup.
template <class Element, class Factor, major A, major B>
[[nodiscard]] const kernel<Factor>& find_apart(bool even) {
    using whole = config<Element, 128, 128, A, B, summing::straight, true, true, false>;
    using shared = config<Element, 128, 128, A, B, summing::straight, true, true, true>;
    static const kernel<Factor> both[] = {kernel_with<whole, Factor>("sm90_128x128_apart"),
                                          kernel_with<shared, Factor>("sm90_128x128_apart_even")};
    return both[even ? 1 : 0];
}

template <class Element, class Factor>
[[nodiscard]] const kernel<Factor>& find_apart(bool even) {
    return find_apart<Element, Factor, major::along_k, major::along_k>(even);
}

template <class Element>
[[nodiscard]] const kernel<float>& find_apart(major a, major b, bool even) {
    using enum major;
    if (a == along_k && b == along_k) return find_apart<Element, float>(even);
    if (a == along_k) return find_apart<Element, float, along_k, across>(even);
    if (b == along_k) return find_apart<Element, float, across, along_k>(even);
    return find_apart<Element, float, across, across>(even);
}

}  // namespace carat::cuda::sm90
