#include "cuda/engine/tunables.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cuda/engine/families.hpp"
#include "cuda/families/fma/kernel_table.hpp"
#include "plan/gemm_candidates.hpp"

namespace carat::gpu_engine {

namespace {

using values = std::vector<std::int64_t>;

values sorted(const std::set<std::int64_t>& all) {
    return {all.begin(), all.end()};
}

template <class Field>
std::set<std::int64_t> of_tensor_cores(Field field) {
    std::set<std::int64_t> all;
    for (const cuda::family* const one : families())
        for (const core::kernel_desc& k : one->kernels) all.insert(std::invoke(field, k));
    return all;
}

template <class Field>
std::set<std::int64_t> of_fma(Field field) {
    std::set<std::int64_t> all;
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const plan::fma_tile& t : cuda::fma::tiles_of(type)) all.insert(std::invoke(field, t));
    return all;
}

std::string list(const values& all) {
    std::string text;
    for (const std::int64_t one : all) text += (text.empty() ? "" : ", ") + std::to_string(one);
    return text;
}

// 1, 2, 4 ... up to what the most capable kernel takes.
values powers_to(std::int64_t most) {
    values all;
    for (std::int64_t x = 1; x <= most; x *= 2) all.push_back(x);
    return all;
}

// A tunable whose texts and values it owns.
struct owned {
    std::string name;
    std::string meaning;
    values worth_trying;
    std::int64_t most;

    [[nodiscard]] core::tunable view() const { return {name, 0, 0, most, meaning, worth_trying}; }
};

owned block(const std::string& name, const std::string& what, const std::set<std::int64_t>& tensor,
            const std::set<std::int64_t>& fma) {
    const values tried = sorted(tensor);
    const std::int64_t most =
        std::max(tensor.empty() ? 0 : *tensor.rbegin(), fma.empty() ? 0 : *fma.rbegin());
    return {name,
            what + " of a tile of C: " + list(tried) + "; of f32 and f64 " + list(sorted(fma)) +
                "; 0: chosen",
            tried, most};
}

std::vector<owned> made() {
    using core::kernel_desc;
    const std::int64_t splits = *of_tensor_cores(&kernel_desc::most_split_k).rbegin();
    const std::int64_t multicast = *of_tensor_cores(&kernel_desc::most_cluster_m).rbegin();
    const std::int64_t beside = plan::most_cluster_n;
    return {
        block("block_m", "rows", of_tensor_cores(&kernel_desc::block_m),
              of_fma(&plan::fma_tile::m)),
        block("block_n", "columns", of_tensor_cores(&kernel_desc::block_n),
              of_fma(&plan::fma_tile::n)),
        {"split_k", "CTAs that share K, at most: " + list(powers_to(splits)) + "; 0: chosen",
         powers_to(splits / 2), splits},
        {"cluster_m",
         "CTAs of single tiles that B is multicast to, at most: " + list(powers_to(multicast)) +
             "; 0: chosen",
         powers_to(multicast), multicast},
        {"cluster_n",
         "CTAs of single tiles that A is multicast to, at most: " + list(powers_to(beside)) +
             "; 0: chosen",
         {},
         beside},
        {"schedule", "1 single_tile, 2 cooperative, 3 pingpong; 0: chosen", {0, 3}, 3},
        {"stream_k", "the last waves' tiles cut along K: 1 no, 2 yes; 0: chosen", {1, 2}, 2},
        {"turned",
         "tiles of f32 or f64: 1 as they lie, 2 turned in shared memory (f32), 3 read where they "
         "arrive; 0: chosen",
         {1, 2, 3},
         3},
        {"ctas_per_sm", "CTAs of single tiles that an SM has room for: 1, 2, 3; 0: chosen", {}, 3},
        {"swap_ab", "1: A and B swapped only where C lies by columns; 0: chosen", {}, 1},
        {"loop", "1: a launch for each product of a batch or group instead of one for all", {}, 1},
    };
}

}  // namespace

std::span<const core::tunable> tunables() {
    static const std::vector<owned> all = made();
    static const std::vector<core::tunable> views = [] {
        std::vector<core::tunable> seen;
        for (const owned& one : all) seen.push_back(one.view());
        return seen;
    }();
    return views;
}

plan::gemm_overrides overrides_of(const core::settings& s) {
    const auto value = [&](std::string_view name) {
        return static_cast<int>(
            s.value(*std::ranges::find(tunables(), name, &core::tunable::name)));
    };
    plan::gemm_overrides asked{.block_m = value("block_m"),
                               .block_n = value("block_n"),
                               .split_k = value("split_k"),
                               .cluster_m = value("cluster_m"),
                               .cluster_n = value("cluster_n"),
                               .ctas_per_sm = value("ctas_per_sm"),
                               .stream_k = static_cast<plan::choice>(value("stream_k")),
                               .arrives = static_cast<plan::arrival>(value("turned")),
                               .swaps_for_c_only = value("swap_ab") != 0};
    if (const int schedule = value("schedule"); schedule != 0)
        asked.schedule = static_cast<core::kernel_schedule>(schedule - 1);
    return asked;
}

}  // namespace carat::gpu_engine
