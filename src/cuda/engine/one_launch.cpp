#include "cuda/engine/one_launch.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "core/dtype_traits.hpp"
#include "cuda/common/copy.hpp"
#include "cuda/engine/select.hpp"
#include "cuda/engine/shared_rows.hpp"

namespace carat::cuda_call {

namespace engine = cuda::engine;
using cuda::batch_strides;

namespace {

// Fewer are as fast one after the other: a group's table takes a launch, too.
constexpr std::size_t fewest_of_group = 3;

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

// Kernels of the tensor cores that read operands where they lie.
bool can_be_grouped(const task& t) {
    const dtype type = t.problem.a_type;
    return core::is_storage_type(type) || (type == dtype::f32 && t.f32 == f32_as::tf32);
}

// As one of a group, where its E can be read where it lies.
std::optional<grouped> as_grouped(const task& t, const core::operands& data) {
    const place_of_e place = place_in(t, data);
    if (place == place_of_e::elsewhere) return std::nullopt;
    return grouped{t.problem,
                   {data.a, data.b, data.c, place == place_of_e::beside_c ? data.e : nullptr}};
}

// Nothing where they are at no one distance.
std::optional<strided_operands> strided_of(const core::problem& p,
                                           std::span<const core::operands> all) {
    const auto a = distance(all, p.a_type, [](const core::operands& x) { return x.a; });
    const auto b = distance(all, p.b_type, [](const core::operands& x) { return x.b; });
    const auto c =
        distance(all, p.c_type, [](const core::operands& x) -> const void* { return x.c; });
    const auto e = distance(all, p.c_type, [](const core::operands& x) { return x.e; });
    if (!a || !b || !c || !e) return std::nullopt;
    return strided_operands{all.front(), *a, *b, *c, *e, all.size()};
}

task task_of_batch(task t, const batch_strides& apart, std::size_t count) {
    t.batch = {static_cast<std::int64_t>(count), apart.a == 0, apart.b == 0};
    return t;
}

// Products that one launch takes: so many that packing them takes no more than a gibibyte, and that
// the grid counts.
std::size_t most_at_once(const core::problem& p) {
    constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
    constexpr std::int64_t most = 65535;
    const std::int64_t lines = std::max<std::int64_t>(1, most_bytes / (p.m + p.n));
    const std::int64_t fit = lines / std::max<std::int64_t>(1, core::bytes_of(p.a_type, p.k));
    return static_cast<std::size_t>(std::clamp<std::int64_t>(fit, 1, most));
}

// In one launch. False: one by one they are as fast, and nothing but E, which may be copied to C
// again, is in C.
bool start_strided(task t, const strided_operands& all, cuda::call_scope& call) {
    if (all.count < 2) return false;
    const core::problem& p = t.problem;
    const batch_strides apart{all.a, all.b, all.c};
    core::operands first = all.first;
    const place_of_e place = place_in(t, first);
    const bool copies =
        place == place_of_e::elsewhere || (place != place_of_e::nowhere && all.e != all.c);
    if (copies && place == place_of_e::in_c) return false;
    if (!copies && place == place_of_e::beside_c) t.fusion.residual = first.e;
    t = task_of_batch(t, apart, all.count);
    const cuda::operand_alignment aligned{cuda::is_aligned(first.a, apart.a, p.a_type),
                                          cuda::is_aligned(first.b, apart.b, p.b_type)};
    const plan& made = plan_for(t, aligned, call.device());
    if (made.product == nullptr) return false;
    if (copies)
        cuda::copy_matrices(p.c_type, p.m, p.n, t.batch.count, {first.e, t.e_layout, all.e},
                            {first.c, p.c_layout, apart.c}, call.stream());
    return made.product->run_batch({first, call.stream(), t.fusion, t.scales}, apart);
}

// In one launch as well, wherever each lies.
bool multiply_anywhere(const task& t, std::span<const core::operands> all, cuda::call_scope& call) {
    if (all.size() < fewest_of_group || !can_be_grouped(t)) return false;
    std::vector<grouped> together;
    together.reserve(all.size());
    cuda::operand_alignment aligned;
    for (const core::operands& data : all) {
        const std::optional<grouped> one = as_grouped(t, data);
        if (!one) return false;
        together.push_back(*one);
        aligned.a = aligned.a && cuda::is_aligned(data.a);
        aligned.b = aligned.b && cuda::is_aligned(data.b);
    }
    task batch = task_of_batch(t, {1, 1, 1}, all.size());
    batch.lies_anywhere = true;
    const plan& made = plan_for(batch, aligned, call.device());
    return made.product != nullptr &&
           made.product->run_group(together, {{}, call.stream(), t.fusion, t.scales});
}

// Of some products of a group the numbers.
using numbers = std::vector<std::size_t>;

numbers all_of(std::size_t count) {
    numbers all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

// Those that are laid out alike, and the others.
struct sorted_group {
    std::vector<grouped> together;
    std::optional<layout_class> layout;
    numbers left;

    sorted_group(std::span<const task> tasks, std::span<const member> all) {
        together.reserve(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::optional<grouped> one = as_grouped(tasks[i], all[i].data);
            const auto own = one ? engine::layout_in_group(*one, tasks[i].how()) : std::nullopt;
            if (!layout) layout = own;
            if (own && own == layout)
                together.push_back(*one);
            else
                left.push_back(i);
        }
    }
};

// In one launch of tiles chosen for all of them; which are left.
numbers multiply_together(std::span<const task> tasks, std::span<const member> all,
                          cuda::call_scope& call) {
    sorted_group sorted(tasks, all);
    if (sorted.together.size() < fewest_of_group) return all_of(all.size());
    const task& t = tasks.front();
    const bool has_values_of_rows = t.fusion.scale.per_row || t.fusion.bias.per_row;
    const auto rows = has_values_of_rows ? std::nullopt : shared_rows_of(all);
    const auto with = engine::plan_group(sorted.together, t.how(), *sorted.layout,
                                         t.batch_invariant ? 1 : 0, rows.has_value());
    if (!with.at_once) return all_of(all.size());
    if (with.plan.kernel->batched)
        return multiply_rows(t, *rows, with.plan, call) ? numbers{} : all_of(all.size());
    const plan& made = plan_for_group(t, *sorted.layout, with.plan, call.device());
    const launch_arguments common{{}, call.stream(), t.fusion, t.scales};
    return made.product->run_group(sorted.together, common) ? sorted.left : all_of(all.size());
}

// Products that turn out to be of one size and at one distance, in whatever order they are listed:
// such a batch has more kernels, and no table.
std::optional<strided_operands> as_batch(std::span<const member> all) {
    const member& first = all.front();
    const auto shape = [](const member& x) {
        const core::problem& of = x.problem;
        return std::tuple(of.m, of.n, of.k, of.a_layout, of.b_layout, of.c_layout, x.e_layout);
    };
    const bool alike =
        std::ranges::all_of(all, [&](const member& x) { return shape(x) == shape(first); });
    const core::problem& p = first.problem;
    const bool is_any = p.m > 0 && p.n > 0 && multiplies(p);
    if (!alike || all.size() < fewest_of_group || !is_any) return std::nullopt;
    std::vector<core::operands> places;
    places.reserve(all.size());
    for (const member& x : all) places.push_back(x.data);
    if (!std::ranges::is_sorted(places, std::ranges::less{}, &core::operands::c))
        std::ranges::sort(places, std::ranges::less{}, &core::operands::c);
    const auto found = strided_of(p, places);
    return found && found->a >= 0 && found->b >= 0 ? found : std::nullopt;
}

// Rows of one product after those of another, from one matrix to the next so many elements.
bool go_on(core::layout& rows, std::int64_t m, std::int64_t apart) {
    if (m == 1) rows.row_stride = apart;
    return apart > 0 && apart == m * rows.row_stride;
}

// Products with one B whose A, C and E follow each other are one product of all their rows.
std::optional<task> with_all_rows(task t, const strided_operands& all) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    core::problem& p = t.problem;
    const auto count = static_cast<std::int64_t>(all.count);
    const bool reads_e = p.beta != 0 && all.first.e != nullptr;
    if (all.count < 2 || all.b != 0 || p.m > most / count || t.fusion.scale.per_row ||
        t.fusion.bias.per_row)
        return std::nullopt;
    if (!go_on(p.a_layout, p.m, all.a) || !go_on(p.c_layout, p.m, all.c) ||
        (reads_e && !go_on(t.e_layout, p.m, all.e)))
        return std::nullopt;
    p.m *= count;
    return t;
}

}  // namespace

void multiply_all(const task& t, const strided_operands& all, cuda::call_scope& call) {
    if (const auto one = with_all_rows(t, all)) {
        (void)multiply_one(*one, all.first, call);
        return;
    }
    const std::size_t most = multiplies(t.problem) ? most_at_once(t.problem) : 1;
    for (std::size_t i = 0; i < all.count; i += most) {
        strided_operands some = all;
        some.first = all.at(t.problem, i);
        some.count = std::min(most, all.count - i);
        if (start_strided(t, some, call)) continue;
        for_each(t.problem, some,
                 [&](const core::operands& data) { (void)multiply_one(t, data, call); });
    }
}

void multiply_all(const task& t, std::span<const core::operands> all, cuda::call_scope& call) {
    if (all.size() > 1 && multiplies(t.problem)) {
        if (const auto strided = strided_of(t.problem, all)) return multiply_all(t, *strided, call);
        if (multiply_anywhere(t, all, call)) return;
    }
    for (const core::operands& data : all) (void)multiply_one(t, data, call);
}

void multiply_grouped(std::span<const task> tasks, std::span<const member> all,
                      cuda::call_scope& call) {
    if (const auto batch = as_batch(all)) return multiply_all(tasks.front(), *batch, call);
    const numbers left =
        can_be_grouped(tasks.front()) ? multiply_together(tasks, all, call) : all_of(all.size());
    for (const std::size_t i : left) {
        // So that each gives its memory back before the next one asks.
        cuda::call_scope own(call.device(), call.stream());
        (void)multiply_one(tasks[i], all[i].data, own);
    }
}

}  // namespace carat::cuda_call
