#include "cuda/call/call.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <carat/error.hpp>

#include "cuda/call/plans.hpp"
#include "cuda/call/steps.hpp"
#include "cuda/common/capture.hpp"
#include "cuda/common/copy.hpp"
#include "cuda/common/error.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/sm90/table.hpp"

namespace carat::cuda_call {

namespace {

using cuda::sm90::finish;

// What the call computes with, and what the kernels are told instead.
struct task {
    core::problem problem;
    core::layout e_layout;
    finish last;
    bool batch_invariant;
};

const core::implementation& engine() {
    return *cuda::sm90::table().front();
}

bool is_aligned(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

// Kernels that can do more to their sums than multiply them by alpha: those of the tensor cores
// for elements of 8 and 16 bits that are summed in f32.
bool has_finish(const core::problem& p) {
    return size_bytes(p.a_type) <= 2 && p.c_type != dtype::i32;
}

bool multiplies(const core::problem& p) {
    return p.k != 0 && p.alpha != 0;
}

[[noreturn]] void refuse_host_memory(const char* name, int device) {
    throw error(error_code::invalid_argument,
                std::string(name) + " lies in host memory that GPU " + std::to_string(device) +
                    " can't read: copy it to the GPU, or multiply without carat::cuda");
}

// Looked at when a shape is met for the first time: a kernel that reads what it must not takes the
// whole process's use of the GPU with it, and asking costs a third of a microsecond each.
void check_memory(const void* data, const char* name, int device) {
    if (data == nullptr) return;
    cudaPointerAttributes facts{};
    CARAT_CUDA_CHECK(cudaPointerGetAttributes(&facts, data));
    if (facts.type != cudaMemoryTypeUnregistered) return;
    int reads_all = 0;
    CARAT_CUDA_CHECK(cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, device));
    if (reads_all == 0) refuse_host_memory(name, device);
}

void check_memory(const task& t, const core::operands& data, int device) {
    check_memory(data.a, "A", device);
    check_memory(data.b, "B", device);
    check_memory(data.c, "C", device);
    check_memory(data.e, "E", device);
    check_memory(t.last.scale.values, "the scale", device);
    check_memory(t.last.bias.values, "the bias", device);
}

std::uint32_t flags_of(const task& t, const core::operands& data) {
    const auto line = [](const cuda::sm90::line_values& v) -> std::uint32_t {
        return v.values == nullptr ? 0 : v.of_rows ? 1 : 2;
    };
    return std::uint32_t{is_aligned(data.a)} | std::uint32_t{is_aligned(data.b)} << 1 |
           std::uint32_t{t.batch_invariant} << 2 | line(t.last.scale) << 3 |
           line(t.last.bias) << 5 | std::uint32_t{t.last.residual != nullptr} << 7 |
           static_cast<std::uint32_t>(t.last.then) << 8;
}

// Bits of a row of C depend on how K is cut, and on nothing else that the plan chooses.
core::settings settings_for(const task& t) {
    core::settings s;
    if (t.batch_invariant) s.tunables["parts"] = 1;
    return s;
}

plan make_plan(const task& t, const core::operands& data, int device) {
    check_memory(t, data, device);
    const core::settings s = settings_for(t);
    if (const std::string why = reason_against(engine(), t.problem, s); !why.empty())
        throw error(error_code::unsupported, "on a GPU: " + why);
    std::unique_ptr<core::runnable> made;
    if (t.last.is_nothing())
        made = engine().prepare(t.problem, s);
    else
        made = cuda::sm90::prepare_fused(t.problem, t.last, s);
    auto* const fused = dynamic_cast<cuda::sm90::fused_product*>(made.get());
    return {std::move(made), fused};
}

plan& plan_for(const task& t, const core::operands& data, int device) {
    static thread_local plan_cache kept;
    const plan_key key = key_of(device, t.problem, flags_of(t, data));
    if (plan* const known = kept.find(key)) return *known;
    return kept.keep(key, make_plan(t, data, device));
}

// An empty sum with a finish: a product with zeros, so that the kernels need no second way. One
// line of 16 bytes serves all of A and B.
void multiply_zeros_instead(task& t, core::operands& data, cuda::call_scope& call) {
    constexpr std::size_t bytes = 16;
    core::problem& p = t.problem;
    const auto lines = static_cast<std::size_t>(std::max(p.m, p.n));
    p.k = static_cast<std::int64_t>(bytes / size_bytes(p.a_type));
    p.alpha = 1;
    p.a_layout = core::row_major(p.k);
    p.b_layout = core::column_major(p.k);
    void* const zeros = call.lend(&t, lines * bytes);
    CARAT_CUDA_CHECK(cudaMemsetAsync(zeros, 0, lines * bytes, call.stream()));
    data.a = zeros;
    data.b = zeros;
}

enum class place_of_e : std::uint8_t {
    nowhere,
    in_c,
    beside_c,  // another matrix laid out as C, for kernels that have a second pointer
    elsewhere  // to be copied to C
};

place_of_e place_in(const task& t, const core::operands& data) {
    if (t.problem.beta == 0 || data.e == nullptr) return place_of_e::nowhere;
    if (data.e == data.c) return place_of_e::in_c;
    const bool second = has_finish(t.problem) && t.e_layout == t.problem.c_layout &&
                        (multiplies(t.problem) || !t.last.is_nothing());
    return second ? place_of_e::beside_c : place_of_e::elsewhere;
}

void multiply_one(task t, core::operands data, cuda::call_scope& call) {
    const core::problem& p = t.problem;
    const place_of_e e = place_in(t, data);
    if (!multiplies(p) && !t.last.is_nothing()) multiply_zeros_instead(t, data, call);
    if (e == place_of_e::beside_c) t.last.residual = data.e;
    const plan& made = plan_for(t, data, call.device());
    if (e == place_of_e::elsewhere)
        cuda::copy_matrix(p.c_type, p.m, p.n, {data.e, t.e_layout}, data.c, p.c_layout,
                          call.stream());
    if (made.fused != nullptr) made.fused->finish_with(t.last);
    made.product->run(data);
}

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

// In one launch, where all are one distance apart and the kernel takes that.
bool multiply_at_once(task t, std::span<const core::operands> all, cuda::call_scope& call) {
    const core::problem& p = t.problem;
    if (all.size() < 2 || !multiplies(p)) return false;
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
    if (place == place_of_e::beside_c) t.last.residual = all.front().e;
    const plan& made = plan_for(t, all.front(), call.device());
    if (made.fused == nullptr) return false;
    made.fused->finish_with(t.last);
    return made.fused->run_batch(all.front(), {*a, *b, *c}, static_cast<std::int64_t>(all.size()));
}

}  // namespace

void multiply(const place& where, const product& it, std::span<const core::operands> all) {
    task t{it.problem, it.e_layout, {}, where.batch_invariant};
    if (it.steps != nullptr && it.steps->count > 0) {
        if (!has_finish(t.problem))
            throw error(error_code::unsupported,
                        "on a GPU a finish is for f16, bf16 and fp8, not for " +
                            std::string(name(t.problem.a_type)) +
                            ": take a kernel of your own after the product");
        const kernel_finish made = finish_of(*it.steps);
        t.problem.alpha *= made.factor;
        t.last = made.last;
    }
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope call(where.device, where.stream);
    if (multiply_at_once(t, all, call)) return;
    for (const core::operands& data : all) multiply_one(t, data, call);
}

}  // namespace carat::cuda_call
