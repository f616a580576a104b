// The one table of micro-kernels. A new instruction set is a new level in core/isa.hpp, its
// vectors under isa/, and one line here.
#include <string>

#include <carat/error.hpp>

#include "core/threads.hpp"
#include "cpu/kernels/kernel.hpp"
#include "cpu/kernels/tile_kernel.hpp"

namespace carat::cpu_engine {

namespace baseline {
extern const kernel_set kernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const kernel_set kernels;
}
namespace avx512 {
extern const kernel_set kernels;
}
namespace dot256 {
extern const tile_set tiles;
}
namespace dot {
extern const tile_set tiles;
}
namespace amx {
extern const tile_set tiles;
}

namespace {

// What is left of VNNI where there is no AVX-512.
const kernel_set& avx2_kernels() {
    static const kernel_set made = [] {
        kernel_set set = avx2::kernels;
        if (core::has_short_byte_dot_products()) set.tiles = &dot256::tiles;
        return set;
    }();
    return made;
}

// VNNI came later than AVX-512, and its products of bf16 later still. Where there is a matrix unit
// these run at half the rate of f32 (Sapphire Rapids: 106 and 213 GFLOP/s), elsewhere at twice it.
const kernel_set& avx512_kernels() {
    static const tile_set tiles = [] {
        tile_set set = dot::tiles;
        if (core::has_tiles() || !core::has_bf16_dot_products()) set.bf16 = {};
        return set;
    }();
    static const kernel_set made = [] {
        kernel_set set = avx512::kernels;
        if (core::has_byte_dot_products()) set.tiles = &tiles;
        return set;
    }();
    return made;
}

// A matrix unit comes on top of the vectors of AVX-512.
const kernel_set& amx_kernels() {
    static const kernel_set made = [] {
        kernel_set set = avx512::kernels;
        set.level = core::isa::amx;
        set.tiles = &amx::tiles;
        return set;
    }();
    return made;
}

}  // namespace
#endif

std::span<const kernel_set* const> kernel_sets() {
#if defined(__x86_64__)
    static const kernel_set* const sets[] = {&baseline::kernels, &avx2_kernels(), &avx512_kernels(),
                                             &amx_kernels()};
#else
    static constexpr const kernel_set* sets[] = {&baseline::kernels};
#endif
    return sets;
}

namespace {

[[maybe_unused]] const int finished = core::finish_before_forks([] { (void)kernel_sets(); });

}  // namespace

bool has_bf16_tiles(const kernel_set& set) {
    return set.tiles != nullptr && set.tiles->bf16.multiply != nullptr;
}

const kernel_set& kernels_for(core::isa level) {
    for (const kernel_set* set : kernel_sets())
        if (set->level == level) return *set;
    throw error(error_code::unsupported,
                "cpu engine: no kernels for " + std::string(core::name(level)) + " in this build");
}

}  // namespace carat::cpu_engine
