#include "cuda/engine/many.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/dtype_traits.hpp"
#include "cuda/common/copy.hpp"
#include "cuda/engine/select.hpp"
#include "cuda/engine/shared_rows.hpp"

namespace carat::gpu_engine {

using core::multiplicity;

namespace {

// Fewer are as fast one after the other: a group's table takes a launch, too.
constexpr std::size_t fewest_of_group = 3;

// Products at one distance from each other.
struct strided_products {
    core::operands first;
    core::product_distances apart;
};

// What all neighbours are apart; none where they differ.
std::optional<std::int64_t> distance(std::span<const core::operands> all, dtype type,
                                     const void* (*of)(const core::operands&)) {
    const auto at = [&](std::size_t i) {
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(of(all[i])));
    };
    const std::int64_t step = at(1) - at(0);
    for (std::size_t i = 2; i < all.size(); ++i)
        if (at(i) - at(i - 1) != step) return std::nullopt;
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return step % bytes == 0 ? std::optional(step / bytes) : std::nullopt;
}

// Nothing where they are at no one distance.
std::optional<strided_products> strided_of(const core::problem& p,
                                           std::span<const core::operands> all) {
    const auto a = distance(all, p.a_type, [](const core::operands& x) { return x.a; });
    const auto b = distance(all, p.b_type, [](const core::operands& x) { return x.b; });
    const auto c =
        distance(all, p.c_type, [](const core::operands& x) -> const void* { return x.c; });
    const auto e = distance(all, p.c_type, [](const core::operands& x) { return x.e; });
    if (!a || !b || !c || !e) return std::nullopt;
    return strided_products{all.front(), {*a, *b, *c, *e}};
}

// Kernels of the tensor cores that read operands where they lie.
bool can_be_grouped(const core::gpu_call& call) {
    const dtype type = call.problem.a_type;
    return core::is_storage_type(type) ||
           (type == dtype::f32 && call.arithmetic == core::gpu_arithmetic::tf32);
}

// The product as one of a group, if its E can be read in place.
std::optional<core::gpu_product> as_grouped(const core::gpu_call& call,
                                            const core::operands& data) {
    const place_of_e place = place_in(call, data);
    if (place == place_of_e::elsewhere) return std::nullopt;
    return core::gpu_product{
        call.problem,
        call.e_layout,
        {data.a, data.b, data.c, place == place_of_e::beside_c ? data.e : nullptr}};
}

// Products that one launch takes: so many that packing them takes no more than a gibibyte, and that
// the grid counts.
std::int64_t most_at_once(const core::gpu_call& call) {
    constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
    constexpr std::int64_t most = 65535;
    const core::problem& p = call.problem;
    if (!call.multiplies()) return 1;
    const std::int64_t lines = std::max<std::int64_t>(1, most_bytes / (p.m + p.n));
    const std::int64_t fit = lines / std::max<std::int64_t>(1, core::bytes_of(p.a_type, p.k));
    return std::clamp<std::int64_t>(fit, 1, most);
}

// Starts all in one launch. Returns false if they are as fast one by one; then C has at most
// received E, which may be copied again.
bool start_strided(core::gpu_call call, cuda::bindings with, cuda::call_scope& scope) {
    if (call.products.count < 2) return false;
    const core::problem& p = call.problem;
    const core::product_distances& apart = with.apart;
    const place_of_e place = place_in(call, with.data);
    const bool copies =
        place == place_of_e::elsewhere || (place != place_of_e::nowhere && apart.e != apart.c);
    if (copies && place == place_of_e::in_c) return false;
    if (!copies && place == place_of_e::beside_c) add_residual(call, with);
    call.products = {multiplicity::strided, call.products.count, apart.a == 0, apart.b == 0};
    call.aligned = {cuda::is_aligned(with.data.a, apart.a, p.a_type),
                    cuda::is_aligned(with.data.b, apart.b, p.b_type)};
    const kept_plan& made = plan_for(call, scope.device());
    if (made.is_none()) return false;
    if (copies)
        cuda::copy_matrices(p.c_type, p.m, p.n, call.products.count,
                            {with.data.e, call.e_layout, apart.e},
                            {with.data.c, p.c_layout, apart.c}, scope.stream());
    return made.run(with);
}

// Starts all in one launch, too, wherever each lies.
bool start_listed(core::gpu_call call, cuda::bindings with, std::span<const core::operands> all,
                  cuda::call_scope& scope) {
    if (all.size() < fewest_of_group || !can_be_grouped(call)) return false;
    std::vector<core::gpu_product> together;
    together.reserve(all.size());
    call.aligned = {};
    for (const core::operands& data : all) {
        const std::optional<core::gpu_product> one = as_grouped(call, data);
        if (!one) return false;
        together.push_back(*one);
        call.aligned.a = call.aligned.a && cuda::is_aligned(data.a);
        call.aligned.b = call.aligned.b && cuda::is_aligned(data.b);
    }
    call.products = {multiplicity::listed, static_cast<std::int64_t>(all.size())};
    const kept_plan& made = plan_for(call, scope.device());
    with.each = together;
    return !made.is_none() && made.run(with);
}

// The numbers of some products of a group.
using numbers = std::vector<std::size_t>;

numbers all_of(std::size_t count) {
    numbers all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

// Those that are laid out alike, and the others.
struct sorted_group {
    std::vector<core::gpu_product> together;
    std::optional<cuda::layout_class> layout;
    numbers left;

    sorted_group(const core::gpu_call& call, std::span<const core::gpu_product> all) {
        together.reserve(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto one = as_grouped(one_of(call, all[i]), all[i].data);
            const auto own = one ? layout_in_group(*one, call.arithmetic) : std::nullopt;
            if (!layout) layout = own;
            if (own && own == layout)
                together.push_back(*one);
            else
                left.push_back(i);
        }
    }
};

// Multiplies them in one launch of tiles chosen for all; returns the numbers of those left.
numbers multiply_together(const core::gpu_call& call, cuda::bindings with,
                          std::span<const core::gpu_product> all, cuda::call_scope& scope) {
    const sorted_group sorted(call, all);
    if (sorted.together.size() < fewest_of_group) return all_of(all.size());
    const bool has_values_of_rows = with.fusion.scale.per_row || with.fusion.bias.per_row;
    const auto rows = has_values_of_rows ? std::nullopt : shared_rows_of(all);
    const auto chosen = choose_group(call, sorted.together, *sorted.layout, rows.has_value());
    if (!chosen.at_once) return all_of(all.size());
    if (chosen.shares_rows)
        return multiply_rows(call, with, *rows, chosen.plan, scope) ? numbers{}
                                                                    : all_of(all.size());
    const kept_plan& made =
        plan_for(any_of_group(call, *sorted.layout), chosen.plan, scope.device());
    with.each = sorted.together;
    return made.run(with) ? sorted.left : all_of(all.size());
}

// Products that turn out to be of one size and at one distance, in whatever order they are listed:
// such a batch has more kernels, and no table.
std::optional<strided_products> as_batch(std::span<const core::gpu_product> all) {
    const core::gpu_product& first = all.front();
    const auto shape = [](const core::gpu_product& x) {
        const core::problem& of = x.problem;
        return std::tuple(of.m, of.n, of.k, of.a_layout, of.b_layout, of.c_layout, x.e_layout);
    };
    const bool alike = std::ranges::all_of(
        all, [&](const core::gpu_product& x) { return shape(x) == shape(first); });
    const core::problem& p = first.problem;
    const bool is_any = p.m > 0 && p.n > 0 && p.k != 0 && p.alpha != 0;
    if (!alike || all.size() < fewest_of_group || !is_any) return std::nullopt;
    std::vector<core::operands> places;
    places.reserve(all.size());
    for (const core::gpu_product& x : all) places.push_back(x.data);
    if (!std::ranges::is_sorted(places, std::ranges::less{}, &core::operands::c))
        std::ranges::sort(places, std::ranges::less{}, &core::operands::c);
    const auto found = strided_of(p, places);
    return found && found->apart.a >= 0 && found->apart.b >= 0 ? found : std::nullopt;
}

// Rows of one product after those of another, from one matrix to the next so many elements.
bool go_on(core::layout& rows, std::int64_t m, std::int64_t apart) {
    if (m == 1) rows.row_stride = apart;
    return apart > 0 && apart == m * rows.row_stride;
}

// Products with one B whose A, C and E follow each other are one product of all their rows.
std::optional<core::gpu_call> with_all_rows(core::gpu_call call, const cuda::bindings& with) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    core::problem& p = call.problem;
    const core::product_distances& apart = with.apart;
    const std::int64_t count = call.products.count;
    const bool reads_e = p.beta != 0 && with.data.e != nullptr;
    if (count < 2 || apart.b != 0 || p.m > most / count || with.fusion.scale.per_row ||
        with.fusion.bias.per_row)
        return std::nullopt;
    if (!go_on(p.a_layout, p.m, apart.a) || !go_on(p.c_layout, p.m, apart.c) ||
        (reads_e && !go_on(call.e_layout, p.m, apart.e)))
        return std::nullopt;
    p.m *= count;
    return call;
}

void multiply_strided(core::gpu_call call, cuda::bindings with, std::int64_t count,
                      cuda::call_scope& scope) {
    call.products = {multiplicity::strided, count};
    if (const auto one = with_all_rows(call, with)) {
        (void)multiply_one(*one, with, scope);
        return;
    }
    const core::operands first = with.data;
    const std::int64_t most = most_at_once(call);
    for (std::int64_t i = 0; i < count; i += most) {
        call.products.count = std::min(most, count - i);
        with.data = operands_at(call.problem, first, with.apart, i);
        if (start_strided(call, with, scope)) continue;
        for (std::int64_t j = i; j < i + call.products.count; ++j) {
            with.data = operands_at(call.problem, first, with.apart, j);
            (void)multiply_one(call, with, scope);
        }
    }
}

void multiply_strided(const core::gpu_call& call, cuda::bindings with, const strided_products& all,
                      std::size_t count, cuda::call_scope& scope) {
    with.data = all.first;
    with.apart = all.apart;
    multiply_strided(call, with, static_cast<std::int64_t>(count), scope);
}

void multiply_listed(const core::gpu_call& call, cuda::bindings with,
                     std::span<const core::operands> all, cuda::call_scope& scope) {
    if (all.size() > 1 && call.multiplies()) {
        if (const auto found = strided_of(call.problem, all))
            return multiply_strided(call, with, *found, all.size(), scope);
        if (start_listed(call, with, all, scope)) return;
    }
    for (const core::operands& data : all) {
        with.data = data;
        (void)multiply_one(call, with, scope);
    }
}

void multiply_sized(const core::gpu_call& call, cuda::bindings with,
                    std::span<const core::gpu_product> all, cuda::call_scope& scope) {
    if (const auto found = as_batch(all))
        return multiply_strided(one_of(call, all.front()), with, *found, all.size(), scope);
    const numbers left =
        can_be_grouped(call) ? multiply_together(call, with, all, scope) : all_of(all.size());
    for (const std::size_t i : left) {
        // So that each gives its memory back before the next one asks.
        cuda::call_scope own(scope.device(), scope.stream());
        with.data = all[i].data;
        (void)multiply_one(one_of(call, all[i]), with, own);
    }
}

}  // namespace

core::operands operands_at(const core::problem& p, const core::operands& first,
                           const core::product_distances& apart, std::int64_t i) {
    const auto moved = [&](auto* data, std::int64_t elements, dtype type) {
        const auto bytes = i * elements * static_cast<std::int64_t>(size_bytes(type));
        using byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(data)>>,
                                        const std::byte, std::byte>;
        return static_cast<decltype(data)>(static_cast<byte*>(data) + bytes);
    };
    return {.a = moved(first.a, apart.a, p.a_type),
            .b = moved(first.b, apart.b, p.b_type),
            .c = moved(first.c, apart.c, p.c_type),
            .e = first.e == nullptr ? nullptr : moved(first.e, apart.e, p.c_type)};
}

void multiply_all(const core::gpu_call& call, const cuda::bindings& with,
                  const core::gpu_operands& all, cuda::call_scope& scope) {
    if (call.products.are == multiplicity::listed)
        multiply_listed(call, with, all.listed, scope);
    else if (call.products.are == multiplicity::sized)
        multiply_sized(call, with, all.sized, scope);
    else
        multiply_strided(call, with, call.products.count, scope);
}

}  // namespace carat::gpu_engine
