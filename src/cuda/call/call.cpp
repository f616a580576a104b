#include "cuda/call/call.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <carat/error.hpp>

#include "cuda/call/pass.hpp"
#include "cuda/call/plans.hpp"
#include "cuda/call/steps.hpp"
#include "cuda/common/capture.hpp"
#include "cuda/common/copy.hpp"
#include "cuda/common/error.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/sm90/table.hpp"

namespace carat::cuda_call {

namespace {

using cuda::sm90::epilogue_fusion;
using cuda::sm90::grouped;
using cuda::sm90::lies;
using hopper_plan = carat::plan::hopper_plan;

// A product as the kernels are told it.
struct task {
    core::problem problem;
    core::layout e_layout;
    epilogue_fusion last;
    bool batch_invariant;
    f32_as f32;
    core::block_scales scales;

    [[nodiscard]] bool in_blocks() const { return scales.a != nullptr; }
};

// Of the engine's rows the one that computes so.
const core::implementation& engine_for(const task& t) {
    const bool is_f32 = t.problem.a_type == dtype::f32;
    const std::string_view name = t.in_blocks()                           ? "cuda.engine.fp8_blocks"
                                  : is_f32 && t.f32 == f32_as::tf32       ? "cuda.engine.tf32"
                                  : is_f32 && t.f32 == f32_as::three_tf32 ? "cuda.engine.3xtf32"
                                                                          : "cuda.engine";
    return **std::ranges::find(cuda::sm90::table(), name, &core::implementation::name);
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

// The driver maps a GPU's memory in pages of 2 MiB, in which no other memory lies.
std::uintptr_t page_of(const void* data) {
    constexpr int log2_bytes = 21;
    return (reinterpret_cast<std::uintptr_t>(data) >> log2_bytes) + 1;  // never 0
}

// A kernel that reads what it must not takes the whole process's use of the GPU with it. While a
// stream is captured, memory that is to be the graph's is known to no one yet, and passes.
void check_memory(const void* data, const char* name, const cuda::call_scope& call) {
    if (data == nullptr) return;
    // Those met last: asking costs a third of a microsecond.
    static thread_local std::array<std::uintptr_t, 256> seen{};
    const std::uintptr_t page = page_of(data);
    std::uintptr_t& known = seen[page % seen.size()];
    if (known == page) return;
    cudaPointerAttributes facts{};
    CARAT_CUDA_CHECK(cudaPointerGetAttributes(&facts, data));
    if (facts.type == cudaMemoryTypeDevice) known = page;
    if (facts.type != cudaMemoryTypeUnregistered || call.is_captured()) return;
    int reads_all = 0;
    CARAT_CUDA_CHECK(
        cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, call.device()));
    if (reads_all == 0) refuse_host_memory(name, call.device());
}

// What is read and written of one product.
void check_memory(const core::problem& p, const core::operands& data,
                  const cuda::call_scope& call) {
    if (multiplies(p)) {
        check_memory(data.a, "A", call);
        check_memory(data.b, "B", call);
    }
    check_memory(data.c, "C", call);
    if (p.beta != 0) check_memory(data.e, "E", call);
}

void check_memory(const task& t, const cuda::call_scope& call) {
    check_memory(t.last.scale.values, "the scale", call);
    check_memory(t.last.bias.values, "the bias", call);
    check_memory(t.scales.a, "the scales of A", call);
    check_memory(t.scales.b, "the scales of B", call);
}

std::uint32_t flags_of(const task& t, const core::operands& data) {
    const auto line = [](const cuda::sm90::broadcast_vector& v) -> std::uint32_t {
        return v.values == nullptr ? 0 : v.per_row ? 1 : 2;
    };
    return std::uint32_t{is_aligned(data.a)} | std::uint32_t{is_aligned(data.b)} << 1 |
           std::uint32_t{t.batch_invariant} << 2 | line(t.last.scale) << 3 |
           line(t.last.bias) << 5 | std::uint32_t{t.last.residual != nullptr} << 7 |
           static_cast<std::uint32_t>(t.last.activation_function) << 8 |
           static_cast<std::uint32_t>(t.f32) << 12 | std::uint32_t{t.in_blocks()} << 14 |
           std::uint32_t{t.last.is_glu} << 16;
}

// Bits of a row of C depend on how K is cut, and on nothing else that the plan chooses. Of halves,
// whether A or B has its small ones multiplied first, which a product that is turned changes.
core::settings settings_for(const task& t) {
    core::settings s;
    if (!t.batch_invariant) return s;
    s.tunables = {{"parts", 1}};
    if (t.f32 == f32_as::three_tf32 && t.problem.a_type == dtype::f32)
        s.tunables.emplace("turned", 1);
    return s;
}

plan make_plan(const task& t) {
    const core::settings s = settings_for(t);
    const core::implementation& engine = engine_for(t);
    if (const std::string why = reason_against(engine, t.problem, s); !why.empty())
        throw error(error_code::unsupported, "on a GPU: " + why);
    std::unique_ptr<core::runnable> made;
    if (t.last.is_glu)
        made = cuda::sm90::prepare_gated(t.problem, t.last, s);
    else if (t.in_blocks() && multiplies(t.problem))
        made = cuda::sm90::prepare_in_blocks(t.problem, t.last, s);
    else if (t.last.is_identity())
        made = engine.prepare(t.problem, s);
    else
        made = cuda::sm90::prepare_fused(t.problem, t.last, s);
    auto* const fused = dynamic_cast<cuda::sm90::fused_product*>(made.get());
    return {std::move(made), fused};
}

plan_cache& plans() {
    static thread_local plan_cache kept;
    return kept;
}

plan& plan_for(const task& t, const core::operands& data, int device) {
    const plan_key key = key_of(device, t.problem, flags_of(t, data));
    if (plan* const known = plans().find(key)) return *known;
    return plans().keep(key, make_plan(t));
}

// Of any group that lies so and is cut so: sizes are no part of it.
plan& plan_for_group(const task& t, const lies& how, const hopper_plan& with, int device) {
    constexpr std::uint32_t of_group = 1U << 15;
    const auto number = [](cuda::sm90::operand_major x) { return static_cast<std::int64_t>(x); };
    core::problem p = t.problem;
    p.m = with.tile_m;
    p.n = with.tile_n;
    p.k = 2 * with.parts + (with.turned ? 1 : 0);
    p.a_layout = {number(how.a), number(how.b)};
    p.b_layout = {how.c_by_rows ? 1 : 0, 0};
    p.c_layout = {};
    const plan_key key = key_of(device, p, flags_of(t, {}) | of_group);
    if (plan* const known = plans().find(key)) return *known;
    auto made = cuda::sm90::prepare_group(t.problem, how, t.last, with);
    auto* const fused = made.get();
    return plans().keep(key, {std::move(made), fused});
}

// An empty sum with a finish: a product with zeros, so that the kernels need no second way. One
// line of 16 bytes serves all of A and B.
void multiply_zeros_instead(task& t, core::operands& data, cuda::call_scope& call) {
    constexpr std::size_t bytes = 16;
    core::problem& p = t.problem;
    t.scales = {};
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
                        (multiplies(t.problem) || !t.last.is_identity());
    return second ? place_of_e::beside_c : place_of_e::elsewhere;
}

// False: gates are better taken by a pass, and nothing was started.
bool multiply_one(task t, core::operands data, cuda::call_scope& call) {
    const core::problem& p = t.problem;
    const place_of_e e = place_in(t, data);
    if (!multiplies(p) && !t.last.is_identity()) multiply_zeros_instead(t, data, call);
    if (e == place_of_e::beside_c) t.last.residual = data.e;
    const plan& made = plan_for(t, data, call.device());
    if (made.product == nullptr) return false;
    if (e == place_of_e::elsewhere)
        cuda::copy_matrix(p.c_type, p.m, p.n, {data.e, t.e_layout}, data.c, p.c_layout,
                          call.stream());
    if (made.fused != nullptr) {
        made.fused->finish_with(t.last);
        made.fused->scale_with(t.scales);
    }
    made.product->run(data);
    return true;
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

// Fewer are as fast one after the other: a group's table takes a launch, too.
constexpr std::size_t fewest_of_group = 3;

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
    if (place == place_of_e::beside_c) t.last.residual = all.front().e;
    const plan& made = plan_for(t, all.front(), call.device());
    if (made.fused == nullptr) return false;
    made.fused->finish_with(t.last);
    return made.fused->run_batch(all.front(), {*a, *b, *c}, static_cast<std::int64_t>(all.size()));
}

// In one launch as well, wherever each lies.
bool multiply_anywhere(const task& t, std::span<const core::operands> all, cuda::call_scope& call) {
    if (all.size() < fewest_of_group) return false;
    const plan& made = plan_for(t, all.front(), call.device());
    if (made.fused == nullptr) return false;
    std::vector<grouped> together;
    together.reserve(all.size());
    for (const core::operands& data : all) {
        const std::optional<grouped> one = as_grouped(t, data);
        if (!one) return false;
        together.push_back(*one);
    }
    made.fused->finish_with(t.last);
    return made.fused->run_group(together);
}

bool multiply_at_once(const task& t, std::span<const core::operands> all, cuda::call_scope& call) {
    if (all.size() < 2 || !multiplies(t.problem)) return false;
    return multiply_strided(t, all, call) || multiply_anywhere(t, all, call);
}

void multiply_all(const task& t, std::span<const core::operands> all, cuda::call_scope& call) {
    if (multiply_at_once(t, all, call)) return;
    for (const core::operands& data : all) multiply_one(t, data, call);
}

dtype type_of_sums(const core::problem& p) {
    if (p.a_type == dtype::f64) return dtype::f64;
    return is_byte_integer(p.a_type) ? dtype::i32 : dtype::f32;
}

// What only a further kernel over C can do: its steps, and where a step puts the largest number.
struct further {
    std::span<const detail::finish_step> steps;
    bool gated = false;
    void* largest = nullptr;

    explicit further(const detail::finish_steps* all) {
        if (all == nullptr) return;
        steps = std::span(all->at).first(all->count);
        for (const detail::finish_step& s : steps) {
            gated = gated || is_gate(s.kind);
            if (s.kind == detail::step_kind::amax) largest = const_cast<void*>(s.values);
        }
    }
};

// The product alone, its sums in their own type in lines like those of C. They lie in C where that
// is of their type and not read any more, else in memory of the call.
task product_of_sums(const task& t, const further& last, bool in_c) {
    task sums = t;
    core::problem& p = sums.problem;
    p.c_type = type_of_sums(p);
    p.beta = 0;
    if (last.gated) p.n *= 2;
    if (in_c) return sums;
    constexpr std::int64_t unit = 8;  // elements: what a thread of the pass takes at once
    const auto padded = [](std::int64_t length) { return (length + unit - 1) / unit * unit; };
    const core::layout& c = t.problem.c_layout;
    p.c_layout = std::abs(c.row_stride) >= std::abs(c.col_stride) ? core::row_major(padded(p.n))
                                                                  : core::column_major(padded(p.m));
    return sums;
}

void multiply_and_pass(const task& t, const further& last, const core::operands& data,
                       cuda::call_scope& call) {
    const core::problem& p = t.problem;
    const bool reads_c = p.beta != 0 && data.e == data.c;
    const bool in_c = p.c_type == type_of_sums(p) && !last.gated && !reads_c;
    const task product = product_of_sums(t, last, in_c);
    const core::problem& of = product.problem;
    void* sums = data.c;
    if (!in_c) {
        const std::int64_t elements = core::extent_elements(of.m, of.n, of.c_layout);
        sums = call.lend(&t, static_cast<std::size_t>(elements) * size_bytes(of.c_type));
    }
    const pass over_c{p.m,
                      p.n,
                      of.c_type,
                      {sums, of.c_layout},
                      p.c_type,
                      data.c,
                      p.c_layout,
                      {data.e, t.e_layout},
                      data.e == nullptr ? 0 : p.beta,
                      last.steps};
    load(over_c);  // before anything is in C
    multiply_one(product, {.a = data.a, .b = data.b, .c = sums}, call);
    start(over_c, call.stream());
}

// What becomes of the sums: kernels write C, with this factor and finish, or a pass over it does.
struct ending {
    bool in_kernels;
    bool gates_in_kernels;  // of those shapes whose plan says so
    std::optional<kernel_finish> on_the_way;

    ending(const task& t, const detail::finish_steps* steps) {
        if (steps != nullptr) check_steps(*steps);
        const core::problem& p = t.problem;
        const bool have_kernel = find_signature(engine_for(t), p) != nullptr;
        const bool kernels_write = have_kernel || !passes(type_of_sums(p), p.c_type);
        const bool finished = steps != nullptr && steps->count > 0;
        if (finished && has_finish(p)) on_the_way = finish_of(*steps);
        const bool gates = on_the_way && on_the_way->last.is_glu;
        in_kernels = kernels_write && (!finished || (on_the_way && !gates));
        // Of another number of rows the other way may be chosen, which rounds differently.
        gates_in_kernels = have_kernel && gates && !t.batch_invariant && !t.in_blocks();
    }

    void apply(task& t) const {
        if (!on_the_way) return;
        t.problem.alpha *= on_the_way->factor;
        t.last = on_the_way->last;
    }
};

bool multiply_with_gates(task t, const ending& last, const core::operands& data,
                         cuda::call_scope& call) {
    if (!last.gates_in_kernels || !cuda::sm90::takes_gates(t.problem, data)) return false;
    last.apply(t);
    return multiplies(t.problem) && multiply_one(t, data, call);
}

void check_values(const further& last, const cuda::call_scope& call) {
    for (const detail::finish_step& s : last.steps)
        check_memory(s.values, "what a step of the finish points to", call);
}

void clear_largest(const further& last, const core::problem& p, cuda::call_scope& call) {
    check_values(last, call);
    if (last.largest != nullptr)
        CARAT_CUDA_CHECK(
            cudaMemsetAsync(last.largest, 0, size_bytes(type_of_sums(p)), call.stream()));
}

// Of some products of a group the numbers.
using numbers = std::vector<std::size_t>;

// Those that lie alike, in one launch of tiles chosen for all of them; which are left.
numbers multiply_together(std::span<const task> tasks, std::span<const member> all,
                          cuda::call_scope& call) {
    std::vector<grouped> together;
    together.reserve(all.size());
    numbers left;
    std::optional<lies> how;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::optional<grouped> one = as_grouped(tasks[i], all[i].data);
        const auto lies_so = one ? cuda::sm90::lies_for_group(*one) : std::nullopt;
        if (!how) how = lies_so;
        if (lies_so && lies_so == how)
            together.push_back(*one);
        else
            left.push_back(i);
    }
    const auto start = [&] {
        if (together.size() < fewest_of_group) return false;
        const task& t = tasks.front();
        const auto with = cuda::sm90::plan_group(together, *how, t.batch_invariant ? 1 : 0);
        if (!with.at_once) return false;
        const plan& made = plan_for_group(t, *how, with.plan, call.device());
        made.fused->finish_with(t.last);
        return made.fused->run_group(together);
    };
    if (start()) return left;
    left.resize(all.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    return left;
}

// Kernels of the tensor cores that read operands where they lie.
bool can_be_grouped(const task& t) {
    const dtype type = t.problem.a_type;
    return size_bytes(type) <= 2 || (type == dtype::f32 && t.f32 == f32_as::tf32);
}

// Of products that are alike in all else: what is far below the limits is known from the first.
void check_sizes(const task& t, std::size_t number) {
    constexpr std::int64_t small = 1 << 20;
    const core::problem& p = t.problem;
    if (number > 0 && std::max({p.m, p.n, p.k}) <= small) return;
    if (const std::string why = reason_against(engine_for(t), t.problem, settings_for(t));
        !why.empty())
        throw error(error_code::unsupported,
                    "on a GPU: product " + std::to_string(number) + ": " + why);
}

}  // namespace

void multiply_group(const place& where, std::span<const member> all,
                    const detail::finish_steps* steps) {
    if (all.empty()) return;
    std::vector<task> tasks;
    tasks.reserve(all.size());
    for (const member& one : all)
        tasks.push_back({one.problem, one.e_layout, {}, where.batch_invariant, where.f32, {}});
    const ending last(tasks.front(), steps);
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope call(where.device, where.stream);
    const further pass(last.in_kernels ? nullptr : steps);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (last.in_kernels) last.apply(tasks[i]);
        if (i == 0) check_memory(tasks[i], call);
        check_sizes(last.in_kernels ? tasks[i] : product_of_sums(tasks[i], pass, false), i);
        check_memory(all[i].problem, all[i].data, call);
    }
    if (!last.in_kernels) {
        clear_largest(pass, tasks.front().problem, call);
        for (std::size_t i = 0; i < all.size(); ++i) {
            cuda::call_scope own(call.device(), call.stream());
            if (!multiply_with_gates(tasks[i], last, all[i].data, own))
                multiply_and_pass(tasks[i], pass, all[i].data, own);
        }
        return;
    }
    numbers left(all.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    if (can_be_grouped(tasks.front())) left = multiply_together(tasks, all, call);
    for (const std::size_t i : left) {
        // So that each gives its memory back before the next one asks.
        cuda::call_scope own(call.device(), call.stream());
        multiply_one(tasks[i], all[i].data, own);
    }
}

void multiply(const place& where, const product& it, std::span<const core::operands> all) {
    task t{it.problem, it.e_layout, {}, where.batch_invariant, where.f32, it.scales};
    const ending last(t, it.steps);
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope call(where.device, where.stream);
    if (last.in_kernels) last.apply(t);
    check_memory(t, call);
    for (const core::operands& data : all) check_memory(t.problem, data, call);
    if (last.in_kernels) return multiply_all(t, all, call);
    const further pass(it.steps);
    clear_largest(pass, t.problem, call);
    for (const core::operands& data : all)
        if (!multiply_with_gates(t, last, data, call)) multiply_and_pass(t, pass, data, call);
}

}  // namespace carat::cuda_call
