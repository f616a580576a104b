#include "cuda/engine/shared_rows.hpp"

#include <algorithm>
#include <limits>

#include "core/dtype_traits.hpp"
#include "cuda/common/ends.hpp"
#include "cuda/engine/kept_plans.hpp"

namespace carat::gpu_engine {

namespace {

std::int64_t address(const void* data) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data));
}

// Those that have rows, in the order in which they lie in C.
std::vector<const core::gpu_product*> in_order(std::span<const core::gpu_product> all) {
    std::vector<const core::gpu_product*> order;
    order.reserve(all.size());
    for (const core::gpu_product& x : all)
        if (x.problem.m > 0) order.push_back(&x);
    const auto place = [](const core::gpu_product* x) { return address(x->data.c); };
    if (!std::ranges::is_sorted(order, {}, place)) std::ranges::sort(order, {}, place);
    return order;
}

bool are_alike(const std::vector<const core::gpu_product*>& all) {
    const core::problem& like = all.front()->problem;
    return std::ranges::all_of(all, [&](const core::gpu_product* x) {
        const core::problem& p = x->problem;
        return p.n == like.n && p.k == like.k && p.a_layout == like.a_layout &&
               p.b_layout == like.b_layout && p.c_layout == like.c_layout;
    });
}

// Whether the rows of A and of C go on from product to product.
bool go_on(const std::vector<const core::gpu_product*>& all) {
    const core::gpu_product& first = *all.front();
    const std::int64_t a = core::bytes_of(first.problem.a_type, first.problem.a_layout.row_stride);
    const std::int64_t c = core::bytes_of(first.problem.c_type, first.problem.c_layout.row_stride);
    std::int64_t rows = 0;
    for (const core::gpu_product* x : all) {
        if (address(x->data.a) != address(first.data.a) + rows * a ||
            address(x->data.c) != address(first.data.c) + rows * c)
            return false;
        rows += x->problem.m;
    }
    return rows <= std::numeric_limits<std::int32_t>::max() / 2;
}

// Bytes from one B to the next where all are a multiple of the least apart, in the order of C; 0:
// they aren't, or lie too far apart.
std::int64_t least_apart(const std::vector<const core::gpu_product*>& all) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 1; i < all.size(); ++i)
        least = std::min(least, address(all[i]->data.b) - address(all[i - 1]->data.b));
    if (least <= 0 || least % 16 != 0) return 0;
    for (const core::gpu_product* x : all)
        if ((address(x->data.b) - address(all.front()->data.b)) % least != 0) return 0;
    const std::int64_t count =
        (address(all.back()->data.b) - address(all.front()->data.b)) / least + 1;
    constexpr std::int64_t most = 4096;
    return count <= most ? least : 0;
}

}  // namespace

std::optional<shared_rows> shared_rows_of(std::span<const core::gpu_product> all) {
    const std::vector<const core::gpu_product*> order = in_order(all);
    if (order.size() < 2) return std::nullopt;
    // Rows of one k could be read across K, and a product begins with any of them.
    const core::problem& like = order.front()->problem;
    const bool stores = like.beta == 0 && like.a_layout.col_stride == 1 &&
                        like.c_layout.col_stride == 1 &&
                        core::bytes_of(like.c_type, like.c_layout.row_stride) % 16 == 0 &&
                        core::bytes_of(like.c_type, like.n) % 16 == 0;
    if (!stores || like.k < 2 || like.alpha == 0) return std::nullopt;
    if (!are_alike(order) || !go_on(order)) return std::nullopt;
    const std::int64_t apart = least_apart(order);
    if (apart == 0) return std::nullopt;
    shared_rows found{order.front()->problem,
                      order.front()->data,
                      apart / static_cast<std::int64_t>(size_bytes(like.b_type)),
                      {}};
    found.whole.m = 0;
    for (const core::gpu_product* x : order) {
        const auto number =
            static_cast<std::size_t>((address(x->data.b) - address(order.front()->data.b)) / apart);
        found.ends.resize(number, static_cast<std::int32_t>(found.whole.m));  // without rows
        found.whole.m += x->problem.m;
        found.ends.push_back(static_cast<std::int32_t>(found.whole.m));
    }
    if (!cuda::is_aligned(found.first.c) || !cuda::is_aligned(found.first.a) ||
        !cuda::is_aligned(found.first.b, found.b_apart, like.b_type))
        return std::nullopt;
    return found;
}

bool multiply_rows(core::gpu_call call, cuda::bindings with, const shared_rows& rows,
                   const carat::plan::gpu_plan& by, cuda::call_scope& scope) {
    const double alpha = call.problem.alpha;  // with an epilogue's factor
    call.problem = rows.whole;
    call.problem.alpha = alpha;
    call.products = {core::multiplicity::rows, static_cast<std::int64_t>(rows.ends.size()), true,
                     false};
    call.aligned = {};
    const kept_plan& made = plan_for(call, by, scope.device());
    auto* const ends =
        static_cast<std::int32_t*>(scope.lend(&rows, rows.ends.size() * sizeof(std::int32_t)));
    cuda::write_ends(ends, rows.ends, scope.stream());
    with.data = rows.first;
    with.apart = {.b = rows.b_apart};
    with.ends = {ends, static_cast<int>(rows.ends.size()), static_cast<int>(rows.whole.m)};
    return made.run(with);
}

}  // namespace carat::gpu_engine
