#include "draw_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace carat::fuzz {

namespace {

// Mostly small, often at the edge of a vector, a register tile or a block.
std::size_t draw_extent(random_numbers& random, bool on_gpu) {
    constexpr std::size_t edges[] = {1,  2,  4,  6,   8,   12,  14,  16,  24,  32,
                                     48, 64, 96, 128, 192, 256, 384, 480, 512, 768};
    constexpr std::size_t tiles[] = {128, 192, 256, 512, 768, 1024, 1536, 2048, 4096, 8192};
    if (on_gpu && random.below(5) < 2)
        return random.pick(tiles) + (random.chance(3) ? random.below(20) : 0);
    switch (random.below(10)) {
        case 0:
            return random.below(20) == 0 ? 0 : 1;
        case 1:
        case 2:
        case 3:
            return 1 + random.below(16);
        case 4:
        case 5:
            return 1 + random.below(50);
        case 6:
            return 1 + random.below(300);
        default:
            return random.pick(edges) + random.below(3) - (random.chance(3) ? 1 : 0);
    }
}

// The number of elements is limited, as the host makes and checks each.
struct most_elements {
    double of_c = 1e6;
    double of_operands = 1e9;

    most_elements(std::size_t work, bool on_gpu) {
        if (!on_gpu) return;
        const double face = std::pow(static_cast<double>(work), 2.0 / 3);
        of_c = std::min(4 * face, 4e6);
        of_operands = std::min(10 * face, 4e6);
    }
    [[nodiscard]] bool has(const product_size& s) const {
        const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n);
        return m * n <= of_c && (m + n) * static_cast<double>(s.k) <= of_operands;
    }
};

}  // namespace

std::size_t draw_work(random_numbers& random, bool on_gpu) {
    if (on_gpu) {
        constexpr double least = 40'000;
        constexpr double most = 4e9;
        return static_cast<std::size_t>(
            std::min(least / std::pow(1 - random.uniform(), 1.5), most));
    }
    const std::size_t kind = random.below(1200);
    if (kind == 0) return 60'000'000;
    if (kind < 28) return 4'000'000;
    if (kind < 180) return 400'000;
    return 30'000;
}

product_size draw_size(random_numbers& random, std::size_t work, bool on_gpu) {
    product_size s = {draw_extent(random, on_gpu), draw_extent(random, on_gpu),
                      draw_extent(random, on_gpu)};
    if (random.chance(60)) s.k = 1000 + random.below(9000);
    const most_elements most(work, on_gpu);
    while (s.m * s.n * s.k > work || !most.has(s)) {
        std::size_t* const extents[] = {&s.m, &s.n, &s.k};
        std::size_t& chosen = *random.pick(extents);
        chosen = std::max<std::size_t>(chosen / 2, 1);
    }
    return s;
}

product_size draw_tiles(random_numbers& random, std::size_t most) {
    constexpr std::size_t sides[] = {128, 128, 192, 256, 256, 384};
    constexpr std::size_t depths[] = {64, 128, 128, 256, 512};
    const auto some = [&](std::size_t at) { return random.chance(4) ? at - random.below(30) : at; };
    const auto side = [&] { return some(random.pick(sides) * (1 + random.below(most))); };
    return {side(), side(), some(random.pick(depths))};
}

}  // namespace carat::fuzz
