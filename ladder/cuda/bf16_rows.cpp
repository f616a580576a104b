// The rows of steps 11 to 20, which multiply bf16 on tensor cores.
#include <algorithm>
#include <cstdint>

#include "cuda/common/device.hpp"
#include "ladder/cuda/bf16_step.hpp"
#include "ladder/cuda/rows.hpp"
#include "ladder/cuda/step.hpp"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/unsupported_type.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr core::signature bf16_types[] = {{dtype::bf16, dtype::bf16, dtype::bf16, "f32"}};

constexpr core::tunable stage_count[] = {
    {"stages", 0, 0, 4, "pairs of tiles in shared memory, 2 to 4; 0: as many as it holds"}};
constexpr core::tunable bands[] = {
    {"band", 8, 1, 64, "rows of tiles of 256 x 256 that are worked on at a time"}};

int none(const core::settings&) {
    return 0;
}

int band(const core::settings& s) {
    return static_cast<int>(s.value(bands[0]));
}

int most_stages() {
    const auto gpu = carat::cuda::describe(carat::cuda::device_in_use());
    return static_cast<int>(
        std::min<std::size_t>(gpu.shared_bytes_per_block / sizeof(tile_pair), 4));
}

int stages(const core::settings& s) {
    const auto wanted = static_cast<int>(s.value(stage_count[0]));
    return wanted != 0 ? wanted : most_stages();
}

std::string takes_every_value(const core::settings&) {
    return {};
}

std::string no_such_stages(const core::settings& s) {
    const std::int64_t count = s.value(stage_count[0]);
    if (count != 1 && count <= most_stages()) return {};
    return "stages " + std::to_string(count) + " has no kernel here: take 2 to " +
           std::to_string(most_stages());
}

// Setting: what the step's choose() is given.
template <class Step, int (*Setting)(const core::settings&) = none,
          std::string (*Refusal)(const core::settings&) = takes_every_value>
constexpr rows::implementation bf16_row(std::string_view summary,
                                        std::span<const core::tunable> tunables = {}) {
    return {.name = Step::name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = bf16_types,
            .tunables = tunables,
            .unavailable = carat::cuda::unavailable_in_use,
            .unsupported =
                [](const core::problem& p, const core::settings& s) {
                    std::string why = unsupported_type(dtype::bf16);
                    if (why.empty()) why = unsupported_bf16(p, Step::needs);
                    if constexpr (requires { Step::stores_by_tma; })
                        if (why.empty()) why = unsupported_tma_store(p);
                    if (why.empty()) why = Refusal(s);
                    return why;
                },
            .prepare =
                [](const core::problem& p, const core::settings& s) {
                    return prepare_bf16(Step::name, p, Step::choose(Setting(s)));
                }};
}

}  // namespace

constinit const rows::implementation mma =
    bf16_row<mma_step>("tensor cores by ldmatrix and mma.sync, one pair of tiles");

constinit const rows::implementation swizzled =
    bf16_row<swizzled_step>("chunks of shared memory swizzled, so that no banks collide");

constinit const rows::implementation staged = bf16_row<staged_step, stages, no_such_stages>(
    "cp.async keeps up to four stages of tiles under way", stage_count);

constinit const rows::implementation tma =
    bf16_row<tma_step>("TMA copies the tiles, one thread gives the orders");

constinit const rows::implementation wgmma =
    bf16_row<wgmma_step>("warpgroups multiply straight from shared memory");

constinit const rows::implementation specialised = bf16_row<specialised_step>(
    "one warpgroup copies, two multiply, registers go where they are needed");

constinit const rows::implementation multicast =
    bf16_row<multicast_step>("clusters of two CTAs, each loads half of B for both");

constinit const rows::implementation persistent = bf16_row<persistent_step, band>(
    "clusters stay and take tiles in an order that suits L2", bands);

constinit const rows::implementation deferred_store =
    bf16_row<deferred_store_step>("C goes out by TMA while the next tile is multiplied");

constinit const rows::implementation stream_k =
    bf16_row<stream_k_step>("the last tiles are cut along K, so that every SM has as much to do");

}  // namespace carat::ladder::cuda
