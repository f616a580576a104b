// The tiles of f32 and f64 with how they reach the lanes that multiply them.
#pragma once

#include <cstdint>

#include "plan/tiles.hpp"

namespace carat::plan {

enum class arrival : std::uint8_t {
    chosen,   // by the plan
    ready,    // TMA brings them as lanes read them
    turned,   // warps beside those that multiply copy them into that order
    straight  // lanes read lines that begin anywhere: A's along K, B's across it
};

struct fma_way : fma_tile {
    arrival arrives = arrival::ready;
};

}  // namespace carat::plan
