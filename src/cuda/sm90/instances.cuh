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

// Tiles of more than 128 columns or 192 rows are a persistent kernel's.
constexpr kernel_schedule schedule_for(int block_m, int block_n) {
    return (block_m == 128 && block_n > 128) || block_m == 192 ? kernel_schedule::cooperative
                                                               : kernel_schedule::single_tile;
}

template <class Element, class ElementCompute, int TileM, int TileN, operand_major A,
          operand_major B, accumulation Sums = accumulation::native>
[[nodiscard]] kernel<ElementCompute> instance() {
    return kernel_with<
        config<Element, kernel_variant{TileM, TileN, A, B, Sums, schedule_for(TileM, TileN)}>,
        ElementCompute>(name_of<TileM, TileN>);
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

// Elements of 16 bits may be contiguous along either dimension, but for B in a tile that is
// narrower than a line of 128 bytes.
template <class Element, int TileM, int TileN>
[[nodiscard]] const kernel<float>& any_majors(operand_major a, operand_major b) {
    using enum operand_major;
    if constexpr (TileN >= 64) {
        static const kernel<float> all[] = {instance<Element, float, TileM, TileN, k, k>(),
                                            instance<Element, float, TileM, TileN, k, mn>(),
                                            instance<Element, float, TileM, TileN, mn, k>(),
                                            instance<Element, float, TileM, TileN, mn, mn>()};
        return all[(a == mn ? 2 : 0) + (b == mn ? 1 : 0)];
    } else {
        static const kernel<float> both[] = {instance<Element, float, TileM, TileN, k, k>(),
                                             instance<Element, float, TileM, TileN, mn, k>()};
        return both[a == mn ? 1 : 0];
    }
}

template <class Element>
[[nodiscard]] const kernel<float>& find_16_bit(int tile_m, int tile_n, operand_major a,
                                               operand_major b) {
    return with_tile<true>(tile_m, tile_n,
                           [&]<int TileM, int TileN>(tile<TileM, TileN>) -> const kernel<float>& {
                               return any_majors<Element, TileM, TileN>(a, b);
                           });
}

template <class Element, class ElementCompute, accumulation Sums = accumulation::native,
          operand_major A = operand_major::k>
[[nodiscard]] const kernel<ElementCompute>& find_along_k(int tile_m, int tile_n) {
    return with_tile<false>(
        tile_m, tile_n,
        []<int TileM, int TileN>(tile<TileM, TileN>) -> const kernel<ElementCompute>& {
            // A block of 128 columns with one scale would lie in two tiles of 192.
            constexpr int width = Sums == accumulation::blockwise && TileN == 192 ? 256 : TileN;
            static const kernel<ElementCompute> it =
                instance<Element, ElementCompute, TileM, width, A, operand_major::k, Sums>();
            return it;
        });
}

// Tiles beside each other, of promoted sums.
template <class Element, class ElementCompute>
[[nodiscard]] const kernel<ElementCompute>& find_beside() {
    using enum operand_major;
    static const kernel<ElementCompute> it =
        instance<Element, ElementCompute, 192, 128, k, k, accumulation::promoted>();
    return it;
}

// Tiles of 128 x 256 that are shared out evenly.
template <class Element, class ElementCompute, accumulation Sums = accumulation::native,
          operand_major A = operand_major::k>
[[nodiscard]] const kernel<ElementCompute>& find_even() {
    using even = config<Element, kernel_variant{128, 256, A, operand_major::k, Sums,
                                                kernel_schedule::cooperative, true}>;
    static const kernel<ElementCompute> it = kernel_with<even, ElementCompute>("sm90_128x256_even");
    return it;
}

// Tiles of 128 x 128, one for each warpgroup.
template <class Element, class ElementCompute, operand_major A, operand_major B>
[[nodiscard]] const kernel<ElementCompute>& find_apart(bool even) {
    constexpr kernel_variant pingpong{
        128, 128, A, B, accumulation::native, kernel_schedule::pingpong};
    constexpr kernel_variant stream_k{
        128, 128, A, B, accumulation::native, kernel_schedule::pingpong, true};
    using whole = config<Element, pingpong>;
    using shared = config<Element, stream_k>;
    static const kernel<ElementCompute> both[] = {
        kernel_with<whole, ElementCompute>("sm90_128x128_apart"),
        kernel_with<shared, ElementCompute>("sm90_128x128_apart_even")};
    return both[even ? 1 : 0];
}

template <class Element, class ElementCompute>
[[nodiscard]] const kernel<ElementCompute>& find_apart(bool even) {
    return find_apart<Element, ElementCompute, operand_major::k, operand_major::k>(even);
}

template <class Element>
[[nodiscard]] const kernel<float>& find_apart(operand_major a, operand_major b, bool even) {
    using enum operand_major;
    if (a == k && b == k) return find_apart<Element, float>(even);
    if (a == k) return find_apart<Element, float, k, mn>(even);
    if (b == k) return find_apart<Element, float, mn, k>(even);
    return find_apart<Element, float, mn, mn>(even);
}

}  // namespace carat::cuda::sm90
