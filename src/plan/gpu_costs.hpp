// What launches cost on one GPU: numbers with a unit and a meaning each, fitted by `./dev fit` and
// kept in costs/GPU.json, from which scripts/costs_header.py makes costs/GPU.hpp.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "plan/cost_constant.hpp"
#include "plan/launch.hpp"

namespace carat::plan {

/// How launches are fed, of feeding_costs or sharing_costs.
template <class S>
constexpr auto constants_of_feeding() {
    using c = constant<S>;
    return std::array{
        c{"l2_bytes_per_s", "bytes/s", "from L2 to all SMs", &S::l2_bytes_per_s},
        c{"l2_bytes", "bytes", "of a product whose bytes stay in L2; of twice as many none do",
          &S::l2_bytes},
        c{"memory_bytes_per_s", "bytes/s", "of those that don't", &S::memory_bytes_per_s},
        c{"busy_share", "", "by which units are slower where all SMs multiply", &S::busy_share},
        c{"crowded_s", "s", "a launch that leaves the next one's CTAs no room", &S::crowded_s}};
}

/// How CTAs share an SM.
constexpr auto constants_of_sharing() {
    using c = constant<sharing_costs>;
    using s = sharing_costs;
    return std::array{
        c{"seen_share", "", "of filling and storing beside other CTAs of an SM", &s::seen_share},
        c{"alone_factor", "", "on a CTA's steps while others fill or store", &s::alone_factor}};
}

/// Kernels of wgmma, a CTA for each tile: a step is a k-block, 128 bytes of K.
struct wgmma_costs {
    double launch_s = 0;
    double fill_s = 0;
    double column_s = 0;
    double promoted_factor = 0;
    double latency_s = 0;
    double missing_s = 0;
    double packed_factor = 0;
    double least_step_s = 0;
    double off_sectors_factor = 0;
    double arriving_bytes_per_s = 0;
    double stored_bytes_per_s = 0;
    double halves_factor = 0;
    double stored_odd_factor = 0;
    double added_s = 0;
    double added_bytes_per_s = 0;
    double sharing_s = 0;
    double across_odd_factor = 0;
    double sent_bytes_per_s = 0;
    sharing_costs sharing;

    static constexpr auto constants();
};

/// Kernels of wgmma whose CTAs multiply one tile after another.
struct persistent_costs {
    double launch_s = 0;
    double fill_s = 0;
    double column_s = 0;
    double promoted_factor = 0;
    double latency_s = 0;
    double missing_s = 0;
    double packed_factor = 0;
    double least_step_s = 0;
    double off_sectors_factor = 0;
    double arriving_bytes_per_s = 0;
    double stored_bytes_per_s = 0;
    double halves_factor = 0;
    double stored_odd_factor = 0;
    double added_s = 0;
    double added_bytes_per_s = 0;
    double sharing_s = 0;
    double pingpong_factor = 0;
    double threads_bytes_per_s = 0;
    double stream_k_s = 0;
    feeding_costs feeding;

    static constexpr auto constants();
};

/// Those that both kinds have.
template <class W>
constexpr auto constants_of_wgmma() {
    using c = constant<W>;
    return std::array{
        c{"launch_s", "s", "a launch, of many on a stream", &W::launch_s},
        c{"fill_s", "s", "until a CTA's first operands have come", &W::fill_s},
        c{"column_s", "s", "a k-block of 128 rows by one column", &W::column_s},
        c{"promoted_factor", "", "on k-blocks of promoted or scaled sums", &W::promoted_factor},
        c{"latency_s", "s", "from a copy's start to its end", &W::latency_s},
        c{"missing_s", "s", "by which that is longer where operands come from memory",
          &W::missing_s},
        c{"packed_factor", "", "on it where they were packed just before", &W::packed_factor},
        c{"least_step_s", "s", "a k-block however small it is", &W::least_step_s},
        c{"off_sectors_factor", "", "on the bytes of lines between sectors of 32 bytes",
          &W::off_sectors_factor},
        c{"arriving_bytes_per_s", "bytes/s", "of operands into an SM, multicast ones included",
          &W::arriving_bytes_per_s},
        c{"stored_bytes_per_s", "bytes/s", "of C, by a CTA", &W::stored_bytes_per_s},
        c{"halves_factor", "", "on storing bytes of elements of 16 bits", &W::halves_factor},
        c{"stored_odd_factor", "", "on storing rows of a tile that begin between 16 bytes",
          &W::stored_odd_factor},
        c{"added_s", "s", "until a tile's E has come", &W::added_s},
        c{"added_bytes_per_s", "bytes/s", "of E", &W::added_bytes_per_s},
        c{"sharing_s", "s", "CTAs of a cluster that begin together, for each beyond the first",
          &W::sharing_s}};
}

constexpr auto wgmma_costs::constants() {
    using c = constant<wgmma_costs>;
    using w = wgmma_costs;
    return joined(constants_of_wgmma<w>(),
                  std::array{c{"across_odd_factor", "",
                               "on storing columns of a tile that begin so", &w::across_odd_factor},
                             c{"sent_bytes_per_s", "bytes/s", "of sums to the CTAs that split K",
                               &w::sent_bytes_per_s}});
}

constexpr auto persistent_costs::constants() {
    using c = constant<persistent_costs>;
    using p = persistent_costs;
    return joined(
        constants_of_wgmma<p>(),
        std::array{
            c{"pingpong_factor", "", "on the k-blocks of pingpong tiles", &p::pingpong_factor},
            c{"threads_bytes_per_s", "bytes/s", "of E that TMA can't load",
              &p::threads_bytes_per_s},
            c{"stream_k_s", "s", "sums on their way to the next CTA, a launch", &p::stream_k_s}});
}

/// What is copied before a product, in bytes read and written.
struct packed_first {
    double lines = 0;    // copied as they are
    double columns = 0;  // that become lines, or lines that become columns
};

/// Packing operands before a kernel, both in one launch.
struct packing_costs {
    double launch_s = 0;
    double transposing_launch_s = 0;
    double bytes_per_s = 0;
    double transposed_bytes_per_s = 0;
    double memory_bytes_per_s = 0;
    double l2_bytes = 0;

    static constexpr auto constants();
};

constexpr auto packing_costs::constants() {
    using c = constant<packing_costs>;
    using p = packing_costs;
    return std::array{
        c{"launch_s", "s", "a launch that packs lines as they are", &p::launch_s},
        c{"transposing_launch_s", "s", "one that also turns lines into columns",
          &p::transposing_launch_s},
        c{"bytes_per_s", "bytes/s", "read and written, of lines as they are", &p::bytes_per_s},
        c{"transposed_bytes_per_s", "bytes/s", "read and written, of those that are turned",
          &p::transposed_bytes_per_s},
        c{"memory_bytes_per_s", "bytes/s", "of what doesn't stay in L2, in addition",
          &p::memory_bytes_per_s},
        c{"l2_bytes", "bytes", "that stay in L2", &p::l2_bytes}};
}

[[nodiscard]] double seconds_of(const packed_first& packing, const packing_costs& costs);

/// Kernels of mma.sync that read operands where they lie, of one arithmetic, or lean ones: a step
/// is a k-tile.
struct mma_costs {
    double launch_s = 0;
    double fill_s = 0;
    double flop_per_s = 0;
    double small_tile = 0;
    double copied_bytes_per_s = 0;
    double eight_bytes_factor = 0;
    double single_factor = 0;
    double step_s = 0;
    double stored_bytes_per_s = 0;
    double stored_odd_factor = 0;
    double added_factor = 0;
    sharing_costs sharing;

    static constexpr auto constants();
};

constexpr auto mma_costs::constants() {
    using c = constant<mma_costs>;
    using m = mma_costs;
    return std::array{
        c{"launch_s", "s", "a launch, of many on a stream", &m::launch_s},
        c{"fill_s", "s", "a CTA's beginning and first loads", &m::fill_s},
        c{"flop_per_s", "flop/s", "of an SM", &m::flop_per_s},
        c{"small_tile", "elements", "by which the sides of a tile count as shorter",
          &m::small_tile},
        c{"copied_bytes_per_s", "bytes/s", "to a tile in shared memory, 16 bytes a copy",
          &m::copied_bytes_per_s},
        c{"eight_bytes_factor", "", "on copies each time they are halved", &m::eight_bytes_factor},
        c{"single_factor", "", "on copies of single elements", &m::single_factor},
        c{"step_s", "s", "a k-tile however small it is", &m::step_s},
        c{"stored_bytes_per_s", "bytes/s", "of C, by a CTA", &m::stored_bytes_per_s},
        c{"stored_odd_factor", "", "on storing runs that begin between 16 bytes",
          &m::stored_odd_factor},
        c{"added_factor", "", "on storing where E is added", &m::added_factor}};
}

/// Large tiles of mma.sync and FFMA, of all arithmetics: a step is a k-tile.
struct large_costs {
    double launch_s = 0;
    double fill_s = 0;
    double half_flop_per_s = 0;
    double tf32_flop_per_s = 0;
    double three_tf32_flop_per_s = 0;
    double f32_flop_per_s = 0;
    double f64_flop_per_s = 0;
    double i8_flop_per_s = 0;
    double fp8_flop_per_s = 0;
    double small_tile = 0;
    double step_s = 0;
    double stored_bytes_per_s = 0;
    double stored_odd_factor = 0;
    double added_factor = 0;
    double groups_s = 0;
    double gathered_bytes_per_s = 0;
    sharing_costs sharing;

    static constexpr auto constants();
};

constexpr auto large_costs::constants() {
    using c = constant<large_costs>;
    using l = large_costs;
    return std::array{
        c{"launch_s", "s", "a launch, of many on a stream", &l::launch_s},
        c{"fill_s", "s", "a CTA's beginning and first loads", &l::fill_s},
        c{"half_flop_per_s", "flop/s", "of an SM, f16 and bf16", &l::half_flop_per_s},
        c{"tf32_flop_per_s", "flop/s", "of an SM, tf32", &l::tf32_flop_per_s},
        c{"three_tf32_flop_per_s", "flop/s", "of an SM, 3xTF32's own operations",
          &l::three_tf32_flop_per_s},
        c{"f32_flop_per_s", "flop/s", "of an SM, f32 by FFMA", &l::f32_flop_per_s},
        c{"f64_flop_per_s", "flop/s", "of an SM, f64", &l::f64_flop_per_s},
        c{"i8_flop_per_s", "flop/s", "of an SM, int8", &l::i8_flop_per_s},
        c{"fp8_flop_per_s", "flop/s", "of an SM, fp8, converted on 9.0", &l::fp8_flop_per_s},
        c{"small_tile", "elements", "by which the sides of a tile count as shorter",
          &l::small_tile},
        c{"step_s", "s", "a k-tile however small it is", &l::step_s},
        c{"stored_bytes_per_s", "bytes/s", "of C, by a CTA", &l::stored_bytes_per_s},
        c{"stored_odd_factor", "", "on storing runs that begin between 16 bytes",
          &l::stored_odd_factor},
        c{"added_factor", "", "on storing where E is added", &l::added_factor},
        c{"groups_s", "s", "the launch that adds up what parts of K left", &l::groups_s},
        c{"gathered_bytes_per_s", "bytes/s", "of those sums, written and read, and of C",
          &l::gathered_bytes_per_s}};
}

/// Kernels of FFMA or DMMA, of one type: a step is a k-tile.
struct fma_costs {
    double launch_s = 0;
    double fill_s = 0;
    double flop_per_s = 0;
    double step_s = 0;
    double stored_bytes_per_s = 0;
    double stored_odd_factor = 0;
    double meeting_s = 0;
    double sent_bytes_per_s = 0;
    double groups_s = 0;
    double passed_bytes_per_s = 0;
    double added_bytes_per_s = 0;
    sharing_costs sharing;

    static constexpr auto constants();
};

constexpr auto fma_costs::constants() {
    using c = constant<fma_costs>;
    using f = fma_costs;
    return std::array{
        c{"launch_s", "s", "a launch, of many on a stream", &f::launch_s},
        c{"fill_s", "s", "until a CTA's first operands have come", &f::fill_s},
        c{"flop_per_s", "flop/s", "of an SM at its peak", &f::flop_per_s},
        c{"step_s", "s", "a k-tile however small it is", &f::step_s},
        c{"stored_bytes_per_s", "bytes/s", "of C, by a CTA", &f::stored_bytes_per_s},
        c{"stored_odd_factor", "", "on storing rows that begin between 16 bytes",
          &f::stored_odd_factor},
        c{"meeting_s", "s", "CTAs of a cluster that meet, for each", &f::meeting_s},
        c{"sent_bytes_per_s", "bytes/s", "of sums within a cluster", &f::sent_bytes_per_s},
        c{"groups_s", "s", "groups that meet, a launch", &f::groups_s},
        c{"passed_bytes_per_s", "bytes/s", "of sums left for the last group",
          &f::passed_bytes_per_s},
        c{"added_bytes_per_s", "bytes/s", "of those, added up by it", &f::added_bytes_per_s}};
}

/// A matrix times a vector: the matrix comes once, at the speed of memory.
struct gemv_costs {
    double launch_s = 0;
    double memory_bytes_per_s = 0;

    static constexpr auto constants();
};

constexpr auto gemv_costs::constants() {
    using c = constant<gemv_costs>;
    using g = gemv_costs;
    return std::array{c{"launch_s", "s", "a launch, of many on a stream", &g::launch_s},
                      c{"memory_bytes_per_s", "bytes/s", "of the matrix and the vectors",
                        &g::memory_bytes_per_s}};
}

[[nodiscard]] constexpr double seconds_of_gemv(double bytes, const gemv_costs& costs) {
    return costs.launch_s + bytes / costs.memory_bytes_per_s;
}

/// All families on one GPU.
struct gpu_costs {
    double memory_bytes_per_s = 0;  // read, as it was measured where these were fitted
    double host_s = 0;              // no launch of many takes less: the host starts them no faster
    wgmma_costs wgmma;
    persistent_costs persistent;
    packing_costs packing;
    mma_costs mma_half;
    mma_costs mma_lean;
    mma_costs mma_f64;
    mma_costs mma_tf32;
    mma_costs mma_f32;
    large_costs mma_large;
    fma_costs fma_f32;
    fma_costs fma_f64;
    fma_costs fma_f64_straight;  // whose tiles are read where they arrive
    gemv_costs gemv;
};

/// Calls visit(name, costs) for each.
constexpr void each_family(auto& of, const auto& visit) {
    visit("wgmma", of.wgmma);
    visit("persistent", of.persistent);
    visit("packing", of.packing);
    visit("mma_half", of.mma_half);
    visit("mma_lean", of.mma_lean);
    visit("mma_f64", of.mma_f64);
    visit("mma_tf32", of.mma_tf32);
    visit("mma_f32", of.mma_f32);
    visit("mma_large", of.mma_large);
    visit("fma_f32", of.fma_f32);
    visit("fma_f64", of.fma_f64);
    visit("fma_f64_straight", of.fma_f64_straight);
    visit("gemv", of.gemv);
}

/// Calls visit(constant, value) for each of a family.
template <class Costs>
void each_constant(Costs& of, const auto& visit) {
    const auto all = [&](auto& in, const auto& constants) {
        for (const auto& c : constants) visit(c, in.*(c.at));
    };
    all(of, std::remove_const_t<Costs>::constants());
    if constexpr (requires { of.feeding; }) all(of.feeding, constants_of_feeding<feeding_costs>());
    if constexpr (requires { of.sharing; }) {
        all(of.sharing, constants_of_feeding<sharing_costs>());
        all(of.sharing, constants_of_sharing());
    }
}

/// How much faster another GPU with the same SMs is at bringing them data.
struct feeding {
    double l2 = 1;
    double memory = 1;
};

[[nodiscard]] constexpr gpu_costs fed_otherwise(gpu_costs costs, const feeding& faster) {
    costs.memory_bytes_per_s *= faster.memory;
    each_family(costs, [&](std::string_view, auto& of) {
        const auto feed = [&](auto& fed) {
            fed.l2_bytes_per_s *= faster.l2;
            fed.memory_bytes_per_s *= faster.memory;
        };
        if constexpr (requires { of.sharing; })
            feed(of.sharing);
        else if constexpr (requires { of.feeding; })
            feed(of.feeding);
        else
            of.memory_bytes_per_s *= faster.memory;
    });
    return costs;
}

}  // namespace carat::plan
