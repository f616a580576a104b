// Products whose sizes lie in GPU memory: nothing waits, and nothing of it is read here.
#include <algorithm>
#include <cuda_runtime_api.h>
#include <string>
#include <utility>

#include <carat/error.hpp>

#include "cuda/common/capture.hpp"
#include "cuda/common/ends.hpp"
#include "cuda/common/error.hpp"
#include "cuda/engine/call.hpp"
#include "cuda/engine/epilogue_kernel.hpp"
#include "cuda/engine/epilogue_route.hpp"
#include "cuda/engine/memory_checks.hpp"
#include "cuda/engine/task.hpp"

namespace carat::cuda_call {

namespace {

cuda::ragged_ends ends_of(const core::problem& p, const ragged_operands& all) {
    return {all.ends, static_cast<int>(all.count), static_cast<int>(all.along_k ? p.k : p.m)};
}

// Of what isn't shared out the last one, too.
void check_places(const core::problem& p, const ragged_operands& all,
                  const cuda::call_scope& call) {
    const strided_operands whole{all.first, 0, all.b, all.c, all.e, all.count};
    check_memory(p, all.first, call);
    check_memory(p, whole.at(p, all.count - 1), call);
    check_memory(all.ends, "the array of ends", call);
}

// Tells the kernels where what beta multiplies lies.
void place_e(task& t, const ragged_operands& all) {
    const place_of_e place = place_in(t, all.first);
    const bool apart_alike = !all.along_k || all.e == all.c;
    if (place == place_of_e::nowhere || (place == place_of_e::in_c && apart_alike)) return;
    if (place == place_of_e::elsewhere || !apart_alike)
        throw error(error_code::unsupported,
                    "on a GPU the E of products whose sizes lie in its memory must be C, or but "
                    "for integers, tf32 and 3xTF32 lie as C does: copy it to C");
    t.fusion.residual = all.first.e;
}

// Whether TMA can store any rows of C, and nothing is added.
bool stores_rows(const core::problem& p, const ragged_operands& all) {
    const auto is_whole = [&](std::int64_t elements) {
        return core::bytes_of(p.c_type, elements) % 16 == 0;
    };
    return !all.along_k && p.beta == 0 && cuda::is_aligned(all.first.c) &&
           p.c_layout.col_stride == 1 && p.c_layout.row_stride > 0 &&
           is_whole(p.c_layout.row_stride) && is_whole(p.n);
}

// Products that may start.
struct planned_products {
    task of;
    ragged_operands all;
    const plan* made = nullptr;

    void start(cuda::call_scope& call) const {
        const cuda::ragged_group group{ends_of(of.problem, all), all.along_k, {0, all.b, all.c}};
        if (!made->product->run_ragged(group, {all.first, call.stream(), of.fusion, of.scales}))
            throw error(error_code::unsupported,
                        "on a GPU so many rows and products have more tiles than a grid: make "
                        "several calls");
    }
};

planned_products plan_products(task t, ragged_operands all, cuda::call_scope& call) {
    t.batch = {static_cast<std::int64_t>(all.count), true, all.along_k || all.b == 0};
    const core::problem& p = t.problem;
    if (!multiplies(p)) {
        multiply_zeros_instead(t, all.first, call, all.along_k);
        all.b = 0;
        t.batch.one_b = true;
    }
    place_e(t, all);
    const cuda::operand_alignment aligned{cuda::is_aligned(all.first.a),
                                          cuda::is_aligned(all.first.b, all.b, p.b_type)};
    const plan& made = plan_for_ragged(t, aligned, all.along_k, stores_rows(p, all), call.device());
    return {std::move(t), all, &made};
}

// The sums of all rows, and a pass over those that are some product's.
void multiply_and_pass_over(const task& t, const detail::epilogue_steps* steps,
                            const ragged_operands& all, cuda::call_scope& call) {
    if (all.along_k)
        throw error(error_code::unsupported,
                    "on a GPU products that share out K by ends in its memory take no such "
                    "epilogue or C: take a C of float, and a product of its own for the rest");
    const core::problem& p = t.problem;
    const post_pass pass(steps);
    const bool reads_c = p.beta != 0 && all.first.e == all.first.c;
    const bool in_c = p.c_type == type_of_sums(p) && !pass.is_glu && !reads_c;
    const task product = product_of_sums(t, pass, in_c);
    const core::problem& of = product.problem;
    ragged_operands into = all;
    into.first.e = nullptr;
    if (!in_c) {
        const std::int64_t elements = core::extent_elements(of.m, of.n, of.c_layout);
        into.first.c = call.lend(&t, static_cast<std::size_t>(elements) * size_bytes(of.c_type));
    }
    auto* const rows = static_cast<int*>(call.lend(&pass, sizeof(int)));
    const epilogue_kernel over_c{p.m,
                                 p.n,
                                 of.c_type,
                                 {into.first.c, of.c_layout},
                                 p.c_type,
                                 all.first.c,
                                 p.c_layout,
                                 {all.first.e, t.e_layout},
                                 all.first.e == nullptr ? 0 : p.beta,
                                 pass.steps,
                                 rows};
    load(over_c);
    cuda::load_last_end();
    const planned_products products = plan_products(product, into, call);
    begin_pass(pass, p, call);  // writes: nothing above does
    products.start(call);
    cuda::write_last_end(rows, ends_of(p, all), call.stream());
    start(over_c, call.stream());
}

}  // namespace

void multiply_ragged(const place& where, const product& it, const ragged_operands& all) {
    task t{it.problem, it.e_layout, {}, where.batch_invariant, where.f32, {}};
    const epilogue_route route(t, it.steps);
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope call(where.device, where.stream);
    if (route.is_fused()) route.apply(t);
    check_memory(t, call);
    check_places(t.problem, all, call);
    if (route.is_fused()) return plan_products(t, all, call).start(call);
    multiply_and_pass_over(t, it.steps, all, call);
}

}  // namespace carat::cuda_call
