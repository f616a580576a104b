#include "cuda/engine/at_once.hpp"

#include <numeric>
#include <optional>
#include <vector>

#include "core/dtype_traits.hpp"
#include "cuda/engine/select.hpp"

namespace carat::cuda_call {

namespace engine = cuda::engine;

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

// As one of a group, where its E can be read where it lies.
std::optional<grouped> as_grouped(const task& t, const core::operands& data) {
    const place_of_e place = place_in(t, data);
    if (place == place_of_e::elsewhere) return std::nullopt;
    return grouped{t.problem,
                   {data.a, data.b, data.c, place == place_of_e::beside_c ? data.e : nullptr}};
}

// In one launch, where all are one distance apart and the kernel takes that.
bool multiply_strided(task t, std::span<const core::operands> all, cuda::call_scope& call) {
    const core::problem& p = t.problem;
    const auto a = distance(all, p.a_type, [](const core::operands& x) { return x.a; });
    const auto b = distance(all, p.b_type, [](const core::operands& x) { return x.b; });
    const auto c =
        distance(all, p.c_type, [](const core::operands& x) -> const void* { return x.c; });
    if (!a || !b || !c) return false;
    const place_of_e place = place_in(t, all.front());
    if (place == place_of_e::elsewhere) return false;
    if (place != place_of_e::nowhere &&
        distance(all, p.c_type, [](const core::operands& x) { return x.e; }) != c)
        return false;
    if (place == place_of_e::beside_c) t.fusion.residual = all.front().e;
    const plan& made = plan_for(t, all.front(), call.device());
    return made.product != nullptr &&
           made.product->run_batch({all.front(), call.stream(), t.fusion, t.scales}, {*a, *b, *c},
                                   static_cast<std::int64_t>(all.size()));
}

// In one launch as well, wherever each lies.
bool multiply_anywhere(const task& t, std::span<const core::operands> all, cuda::call_scope& call) {
    if (all.size() < fewest_of_group) return false;
    const plan& made = plan_for(t, all.front(), call.device());
    if (made.product == nullptr) return false;
    std::vector<grouped> together;
    together.reserve(all.size());
    for (const core::operands& data : all) {
        const std::optional<grouped> one = as_grouped(t, data);
        if (!one) return false;
        together.push_back(*one);
    }
    return made.product->run_group(together, {{}, call.stream(), t.fusion, t.scales});
}

bool multiply_at_once(const task& t, std::span<const core::operands> all, cuda::call_scope& call) {
    if (all.size() < 2 || !multiplies(t.problem)) return false;
    return multiply_strided(t, all, call) || multiply_anywhere(t, all, call);
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
    const auto with =
        engine::plan_group(sorted.together, t.how(), *sorted.layout, t.batch_invariant ? 1 : 0);
    if (!with.at_once) return all_of(all.size());
    const plan& made = plan_for_group(t, *sorted.layout, with.plan, call.device());
    const launch_arguments common{{}, call.stream(), t.fusion, t.scales};
    return made.product->run_group(sorted.together, common) ? sorted.left : all_of(all.size());
}

// Kernels of the tensor cores that read operands where they lie.
bool can_be_grouped(const task& t) {
    const dtype type = t.problem.a_type;
    return core::is_storage_type(type) || (type == dtype::f32 && t.f32 == f32_as::tf32);
}

}  // namespace

void multiply_all(const task& t, std::span<const core::operands> all, cuda::call_scope& call) {
    if (multiply_at_once(t, all, call)) return;
    for (const core::operands& data : all) (void)multiply_one(t, data, call);
}

void multiply_grouped(std::span<const task> tasks, std::span<const member> all,
                      cuda::call_scope& call) {
    const numbers left =
        can_be_grouped(tasks.front()) ? multiply_together(tasks, all, call) : all_of(all.size());
    for (const std::size_t i : left) {
        // So that each gives its memory back before the next one asks.
        cuda::call_scope own(call.device(), call.stream());
        (void)multiply_one(tasks[i], all[i].data, own);
    }
}

}  // namespace carat::cuda_call
