#include "lab/model/occupancy.hpp"

#include <algorithm>
#include <utility>

namespace carat::model {

namespace {

constexpr std::int64_t warp = 32;
constexpr std::int64_t registers_at_once = 256;  // what a warp's share is rounded up to
constexpr std::int64_t quarters = 4;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

std::int64_t blocks_by_registers(const block_needs& block, const multiprocessor& on) {
    const std::int64_t of_a_warp =
        round_up(std::max<std::int64_t>(block.registers, 1) * warp, registers_at_once);
    const std::int64_t warps = on.registers / of_a_warp / quarters * quarters;
    return warps / (round_up(block.threads, warp) / warp);
}

}  // namespace

residency residency_of(const block_needs& block, const multiprocessor& on) {
    const std::int64_t threads = round_up(std::max<std::int64_t>(block.threads, 1), warp);
    const std::int64_t by_shared = block.shared_bytes > on.shared_bytes_per_block
                                       ? 0
                                       : on.shared_bytes / (block.shared_bytes + on.reserved_bytes);
    const std::pair<std::int64_t, std::string_view> limits[] = {
        {on.threads / threads, "threads"},
        {on.blocks, "blocks"},
        {blocks_by_registers(block, on), "registers"},
        {by_shared, "shared memory"}};
    const auto least = std::ranges::min_element(limits, {}, [](const auto& l) { return l.first; });
    return {least->first,
            static_cast<double>(least->first * threads) / static_cast<double>(on.threads),
            least->second};
}

gpu_tile gpu_tile_of(std::int64_t tile, std::int64_t element_bytes) {
    constexpr std::int64_t side = 16;
    constexpr std::int64_t depth = 16;
    constexpr std::int64_t addresses = 32;
    const std::int64_t words = std::max<std::int64_t>(1, element_bytes / 4);
    gpu_tile found;
    found.reuse = static_cast<double>(tile);
    if (tile <= 32) {
        found.needs = {tile * tile, addresses, 2 * tile * tile * element_bytes};
    } else {
        const std::int64_t each = tile / side;
        found.needs = {side * side,
                       std::min<std::int64_t>(255, (each * each + 2 * each) * words + addresses),
                       depth * (2 * tile + 1) * element_bytes};
        found.shared_reads = 2 / static_cast<double>(each);
    }
    found.working_set_bytes = static_cast<double>(found.needs.shared_bytes);
    return found;
}

}  // namespace carat::model
