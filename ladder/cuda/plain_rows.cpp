// The rows of steps 1 to 7, which use plain arithmetic: one type for everything.
#include <cstdint>

#include "ladder/cuda/rows.hpp"
#include "ladder/cuda/step_runnable.hpp"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/unsupported_type.hpp"

namespace carat::ladder::cuda {

namespace {

// What a step's parameter is set to, where it has one.
template <const core::tunable* Parameter>
int setting(const core::settings& s) {
    if constexpr (Parameter == nullptr)
        return 0;
    else
        return static_cast<int>(s.value(*Parameter));
}

// f(plan) for the type of C.
template <class Step, class F>
auto with_plan(dtype type, int value, const F& f) {
    if (type == dtype::f64) return f(Step::template choose<double>(value));
    if (type == dtype::f32) return f(Step::template choose<float>(value));
    return f(Step::template choose<std::uint32_t>(value));
}

std::string takes_every_value(int) {
    return {};
}

template <class Step, const core::tunable* Parameter = nullptr,
          std::string (*Refusal)(int) = takes_every_value>
constexpr rows::implementation plain_row(std::string_view summary) {
    rows::implementation row{.name = Step::name,
                             .summary = summary,
                             .where = rows::device::cuda,
                             .signatures = plain_types,
                             .unavailable = carat::cuda::unavailable_in_use};
    if constexpr (Parameter != nullptr) row.tunables = {Parameter, 1};
    row.unsupported = [](const core::problem& p, const core::settings& s) {
        const int value = setting<Parameter>(s);
        if (std::string why = unsupported_type(p.c_type); !why.empty()) return why;
        if (std::string why = Refusal(value); !why.empty()) return why;
        return with_plan<Step>(p.c_type, value, [&](const auto& chosen) {
            return unsupported_problem(p, blocks_for(p, chosen.tile_m, chosen.tile_n), 70);
        });
    };
    row.prepare = [](const core::problem& p, const core::settings& s) {
        return with_plan<Step>(p.c_type, setting<Parameter>(s),
                               [&](const auto& chosen) { return prepared(Step::name, p, chosen); });
    };
    return row;
}

constexpr core::tunable small_tile = {"tile-size", 32, 8, 32,
                                      "edge of a square tile in shared memory: 8, 16 or 32"};

std::string no_small_tile(int edge) {
    if (edge == 8 || edge == 16 || edge == 32) return {};
    return "tile-size " + std::to_string(edge) +
           " has no kernel: use 8, 16 or 32 (cuda.ladder.register_tiled has 64 and 128)";
}

constexpr core::tunable large_tile = {"tile-size", 128, 64, 128,
                                      "edge of a block's tile of C: 64 or 128"};

std::string no_large_tile(int edge) {
    if (edge == 64 || edge == 128) return {};
    return "tile-size " + std::to_string(edge) + " has no kernel: use 64 or 128";
}

}  // namespace

constinit const rows::implementation naive =
    plain_row<naive_step>("one thread an element, warps run down the columns");

constinit const rows::implementation coalesced =
    plain_row<coalesced_step>("one thread an element, warps run along the rows");

constinit const rows::implementation tiled =
    plain_row<tiled_step, &small_tile, no_small_tile>("tiles of A and B in shared memory");

constinit const rows::implementation register_tiled =
    plain_row<register_tiled_step, &large_tile, no_large_tile>(
        "4 x 4 or 8 x 8 elements a thread in registers");

constinit const rows::implementation vectorised =
    plain_row<vectorised_step>("16 bytes at a time from global and from shared memory");

constinit const rows::implementation double_buffered =
    plain_row<double_buffered_step>("cp.async fills one pair of tiles while another is multiplied");

constinit const rows::implementation warp_tiled =
    plain_row<warp_tiled_step>("tiles of warps, so that shared memory is read least");

}  // namespace carat::ladder::cuda
