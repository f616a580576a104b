// Products whose sizes lie in GPU memory: nothing waits, and nothing of it is read here.
#include <cuda_runtime_api.h>

#include <carat/error.hpp>

#include "cuda/common/ends.hpp"
#include "cuda/engine/epilogue_kernel.hpp"
#include "cuda/engine/epilogue_route.hpp"
#include "cuda/engine/many.hpp"

namespace carat::gpu_engine {

namespace {

bool shares_k(const core::gpu_call& call) {
    return call.products.are == core::multiplicity::depth;
}

cuda::ragged_ends ends_of(const core::gpu_call& call, const std::int32_t* ends) {
    const core::problem& p = call.problem;
    return {ends, static_cast<int>(call.products.count),
            static_cast<int>(shares_k(call) ? p.k : p.m)};
}

// Tells the kernels where what beta multiplies lies.
void place_e(core::gpu_call& call, cuda::bindings& with) {
    const place_of_e place = place_in(call, with.data);
    const bool apart_alike = !shares_k(call) || with.apart.e == with.apart.c;
    if (place == place_of_e::nowhere || (place == place_of_e::in_c && apart_alike)) return;
    if (place == place_of_e::elsewhere || !apart_alike)
        throw error(
            error_code::unsupported,
            "on a GPU, E of products whose sizes lie in its memory must be C or, except for "
            "integers, tf32 and 3xTF32, be laid out like C: copy it to C");
    add_residual(call, with);
}

// Products that may start.
struct planned_products {
    const kept_plan* made;
    cuda::bindings with;

    void start() const {
        if (!made->run(with))
            throw error(error_code::unsupported,
                        "on a GPU so many rows and products have more tiles than a grid: make "
                        "several calls");
    }
};

planned_products plan_products(core::gpu_call call, cuda::bindings with, cuda::call_scope& scope) {
    if (!call.multiplies()) {
        multiply_zeros_instead(call, with, scope, shares_k(call));
        with.apart.b = 0;
    }
    call.products.one_a = true;
    call.products.one_b = shares_k(call) || with.apart.b == 0;
    place_e(call, with);
    call.aligned = {cuda::is_aligned(with.data.a),
                    cuda::is_aligned(with.data.b, with.apart.b, call.problem.b_type),
                    !shares_k(call) && cuda::is_aligned(with.data.c)};
    with.ends.lines = static_cast<int>(shares_k(call) ? call.problem.k : call.problem.m);
    return {&plan_for(call, scope.device()), with};
}

// The sums of all rows, and a pass over those that are some product's.
void multiply_and_pass_over(const core::gpu_call& call, const cuda::bindings& with,
                            const detail::epilogue_steps* steps, cuda::call_scope& scope) {
    if (shares_k(call))
        throw error(error_code::unsupported,
                    "on a GPU products that share out K by ends in its memory take no such "
                    "epilogue or C: take a C of float, and a product of its own for the rest");
    const core::problem& p = call.problem;
    const core::operands& data = with.data;
    const post_pass pass(steps);
    const bool reads_c = p.beta != 0 && data.e == data.c;
    const bool in_c = p.c_type == type_of_sums(p) && !pass.is_glu && !reads_c;
    const core::gpu_call product = call_for_sums(call, pass, in_c);
    const core::problem& of = product.problem;
    cuda::bindings into = with;
    into.data.e = nullptr;
    if (!in_c) {
        const std::int64_t elements = core::extent_elements(of.m, of.n, of.c_layout);
        into.data.c = scope.lend(&call, static_cast<std::size_t>(elements) * size_bytes(of.c_type));
    }
    auto* const rows = static_cast<int*>(scope.lend(&pass, sizeof(int)));
    const epilogue_kernel over_c{p.m,
                                 p.n,
                                 of.c_type,
                                 {into.data.c, of.c_layout},
                                 p.c_type,
                                 data.c,
                                 p.c_layout,
                                 {data.e, call.e_layout},
                                 data.e == nullptr ? 0 : p.beta,
                                 pass.steps,
                                 rows};
    load(over_c);
    cuda::load_last_end();
    const planned_products products = plan_products(product, into, scope);
    begin_pass(pass, p, scope);  // writes: nothing above does
    products.start();
    cuda::write_last_end(rows, with.ends, scope.stream());
    start(over_c, scope.stream());
}

}  // namespace

void multiply_ragged(const core::gpu_call& call, const cuda::bindings& given,
                     const core::gpu_operands& all, bool sums_are_c, cuda::call_scope& scope) {
    cuda::bindings with = given;
    with.ends = ends_of(call, all.ends);
    if (sums_are_c) return plan_products(call, with, scope).start();
    multiply_and_pass_over(call, with, all.steps, scope);
}

}  // namespace carat::gpu_engine
