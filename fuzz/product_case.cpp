#include "product_case.hpp"

#include <algorithm>

#include "draw_sizes.hpp"
#include "numbers.hpp"
#include "ragged.hpp"

namespace carat::fuzz {

namespace {

struct types {
    dtype a;
    dtype b;
    dtype c;
};

types draw_types(random_numbers& random) {
    using enum dtype;
    switch (random.below(10)) {
        case 0:
        case 1:
            return {f64, f64, f64};
        case 2:
        case 3:
        case 4: {
            constexpr dtype cs[] = {f32, f32, f32, f16, bf16};
            return {f32, f32, random.pick(cs)};
        }
        case 5:
            return {f16, f16, random.chance(2) ? f16 : f32};
        case 6:
            return {bf16, bf16, random.chance(2) ? bf16 : f32};
        case 7:
            return {i32, i32, i32};
        default: {
            constexpr dtype bytes[] = {i8, u8};
            constexpr dtype cs[] = {i32, i32, i32, f32, f32, f16, bf16, i8, u8};
            const dtype a = random.pick(bytes);
            const dtype b = random.pick(bytes);
            return {a, b, random.pick(cs)};
        }
    }
}

types draw_gpu_types(random_numbers& random) {
    using enum dtype;
    constexpr dtype as[] = {f64, f32, f32, f16, f16, bf16, bf16, bf16, e4m3, e5m2, i8};
    const dtype a = random.pick(as);
    if (a == f64) return {f64, f64, f64};
    if (a == i8) return {i8, i8, i32};
    constexpr dtype cs[] = {f32, f32, f16, bf16, bf16, e4m3, e5m2};
    const dtype c = random.chance(2) && !is_fp8(a) ? a : random.pick(cs);
    return {a, a == e5m2 ? e4m3 : a, c};
}

double draw_factor(random_numbers& random, bool whole) {
    if (random.below(10) < 6) return 1;
    if (random.chance(8)) return 0;
    if (whole) {
        constexpr double some[] = {-1, 2, 3, -2};
        return random.pick(some);
    }
    constexpr double some[] = {-1, 2, 0.5, -0.25, 1.5, 0.3, -1.7, 1e-3, 100};
    return random.pick(some);
}

void draw_steps(random_numbers& random, product_case& c) {
    using enum detail::step_kind;
    const std::size_t count = random.below(5);
    const std::size_t gate = c.on_gpu && random.chance(3) ? random.below(count + 1) : count;
    for (std::size_t i = 0; i < count; ++i) {
        constexpr detail::step_kind kinds[] = {bias, bias, scale, scale_all, relu,
                                               relu, gelu, silu,  each};
        constexpr detail::step_kind exact[] = {bias, scale, scale_all, relu, each};
        drawn_step step{.kind = c.whole ? random.pick(exact) : random.pick(kinds)};
        constexpr detail::step_kind gates[] = {reglu, geglu, swiglu};
        if (step.kind == each && c.on_gpu) step.kind = relu;
        if (i == gate) step.kind = c.whole ? reglu : random.pick(gates);
        step.of = random.chance(2) ? by::row : by::column;
        step.number = draw_factor(random, c.whole);
        c.steps.push_back(std::move(step));
    }
}

numbers draw_numbers(random_numbers& random, dtype type) {
    using enum numbers;
    constexpr numbers floating[] = {uniform, uniform, uniform, positive, wide,
                                    tiny,    large,   special, sparse,   whole};
    constexpr numbers integers[] = {uniform, positive, whole, whole, sparse, large};
    return is_integer(type) ? random.pick(integers) : random.pick(floating);
}

void draw_group(random_numbers& random, product_case& c) {
    const std::size_t work = draw_work(random, c.on_gpu);
    const auto size = [&](std::size_t most) { return draw_size(random, most, c.on_gpu); };
    c.sizes.push_back(size(work));
    if (c.on_gpu && random.chance(64)) c.sizes[0] = draw_tiles(random, 4);
    // Bytes have too many combinations of types for batches of all.
    if (is_byte_integer(c.a_type) && is_half(c.c_type)) return;
    if (!random.chance(c.on_gpu ? 4 : 8)) return;
    constexpr grouping kinds[] = {grouping::strided, grouping::pointers, grouping::listed};
    c.group = random.pick(kinds);
    const std::size_t count = 1 + random.below(random.chance(10) ? 40 : 6);
    const bool tiles = c.on_gpu && random.chance(16);
    if (tiles) c.sizes[0] = draw_tiles(random, 1);
    while (!tiles && c.sizes[0].m * c.sizes[0].n * c.sizes[0].k * count > work * 2)
        c.sizes[0] = size(work / count + 1);
    c.a_for_all = random.chance(5);
    c.b_for_all = !c.a_for_all && random.chance(5);
    while (c.sizes.size() < count) {
        product_size s = c.sizes[0];
        if (c.group == grouping::listed) {
            s = tiles ? draw_tiles(random, 1) : size(work / count + 1);
            if (c.a_for_all) s = {c.sizes[0].m, s.n, c.sizes[0].k};
            if (c.b_for_all) s = {s.m, c.sizes[0].n, c.sizes[0].k};
        }
        c.sizes.push_back(s);
    }
}

// Batches whose products have different numbers of rows or columns cannot have a value for each.
void mend_steps(product_case& c) {
    const auto alike = [&](auto extent) {
        return std::ranges::all_of(
            c.sizes, [&](const product_size& s) { return extent(s) == extent(c.sizes[0]); });
    };
    const bool rows = alike([](const product_size& s) { return s.m; });
    const bool cols = alike([](const product_size& s) { return s.n; });
    for (drawn_step& step : c.steps) {
        if (step.kind != detail::step_kind::bias && step.kind != detail::step_kind::scale) continue;
        if (step.of == by::row ? !rows : !cols) step.kind = detail::step_kind::relu;
    }
}

// A batch's operand can be prepared if it is one matrix for all.
void draw_prepared(random_numbers& random, product_case& c) {
    if (c.a_type == dtype::i32 || c.on_gpu || !random.chance(8)) return;
    if (c.group == grouping::one)
        c.ready = random.chance(2) ? prepared::left : prepared::right;
    else if (c.a_for_all || c.b_for_all)
        c.ready = c.a_for_all ? prepared::left : prepared::right;
}

trial draw_trial(random_numbers& random, bool on_gpu) {
    if (on_gpu) {
        if (random.chance(1500)) return trial::many_threads;  // of 64 cases
        return random.chance(1500) ? trial::failing_memory : trial::ordinary;
    }
    switch (random.below(40)) {
        case 0:
        case 1:
        case 2:
            return trial::aliased;
        case 3:
        case 4:
            return trial::bad_argument;
        case 5:
        case 6:
            return trial::failing_memory;
        case 7:
            return random.chance(4) ? trial::many_threads : trial::ordinary;
        default:
            return trial::ordinary;
    }
}

bool has_only(const product_case& c, detail::step_kind last) {
    return std::ranges::all_of(c.steps, [&](const drawn_step& s) { return s.kind <= last; });
}

// Also supported by carat.h.
bool fits_c(const product_case& c) {
    // No steps are no epilogue there, and E is part of the sum.
    const bool steps =
        has_only(c, detail::step_kind::silu) && (!c.has_epilogue || !c.steps.empty());
    const bool batch = c.group == grouping::one || c.group == grouping::strided;
    const bool options = !c.f16_sums && !c.batch_invariant && c.f32 == f32_as::f32;
    const bool ready =
        c.ready == prepared::none || (c.ready == prepared::right && c.group == grouping::one);
    // The message of an overflow would be what runs out of memory.
    const bool tried =
        c.how != trial::bad_argument && (c.how != trial::failing_memory || !is_integer(c.a_type));
    return steps && batch && options && ready && tried && c.e != addend::own && !c.by_blocks &&
           (c.has_epilogue || !is_byte_integer(c.c_type));
}

void draw_largest(random_numbers& random, product_case& c) {
    if (!c.has_epilogue || !random.chance(3)) return;
    std::size_t first = 0;
    for (std::size_t i = 0; i < c.steps.size(); ++i)
        if (detail::is_gate(c.steps[i].kind)) first = i + 1;
    const std::size_t at = first + random.below(c.steps.size() - first + 1);
    c.steps.insert(c.steps.begin() + static_cast<std::ptrdiff_t>(at),
                   {.kind = detail::step_kind::amax});
}

// A passes through a product with ones, exactly and without a zero of the other sign.
bool can_be_chained(const product_case& c) {
    const product_size& s = c.sizes[0];
    const bool plain = c.a_numbers == numbers::whole || c.a_numbers == numbers::uniform ||
                       c.a_numbers == numbers::positive;
    return plain && c.group == grouping::one && !is_integer(c.a_type) && c.alpha() != 0 &&
           s.m * s.k != 0 && s.k <= 512 && s.m * s.k <= 200'000;
}

// Large enough for several threads and several blocks of K; where K is cut must not depend on the
// number of threads.
void draw_deep(random_numbers& random, product_case& c) {
    if (c.group != grouping::one || c.how != trial::ordinary || !random.chance(300)) return;
    c.sizes[0] = {80 + random.below(150), 80 + random.below(150), 300 + random.below(900)};
    c.threads = static_cast<int>(2 + random.below(2));
}

void draw_for_gpu(random_numbers& random, product_case& c) {
    draw_largest(random, c);
    if (c.group != grouping::one) return;
    c.by_blocks = c.a_type == dtype::e4m3 && random.chance(3);
    c.chained = can_be_chained(c) && random.chance(6);
    constexpr far_operand some[] = {far_operand::a, far_operand::b, far_operand::e, far_operand::c};
    if (!c.chained && c.how == trial::ordinary && random.chance(400)) c.far = random.pick(some);
}

// A scale, then a bias of zeros, applied to whole numbers whose sums are often 0: these decide the
// sign of a zero. The number of rows decides how a kernel stores it.
void draw_signs(random_numbers& random, product_case& c) {
    c.signed_zeros = c.has_epilogue && random.chance(4);
    if (!c.on_gpu || !c.whole || c.group != grouping::one || c.c_type == dtype::i32) return;
    if (!random.chance(6)) return;
    c.signed_zeros = c.has_epilogue = c.batch_invariant = true;
    c.by_blocks = false;
    if (random.chance(4)) c.sizes[0] = draw_tiles(random, 4);
    c.chained = c.chained && can_be_chained(c);
    const auto side = [&] { return random.chance(2) ? by::row : by::column; };
    c.steps = {{.kind = detail::step_kind::scale, .of = side()},
               {.kind = detail::step_kind::bias, .of = side()}};
}

// So wide or large that a few of its rows are multiplied differently: 3xTF32 swaps A and B only
// beyond some thousand columns, and persistent kernels store C differently.
void draw_rows_to_lose(random_numbers& random, product_case& c) {
    const bool is_f32 = c.a_type == dtype::f32;
    if (!random.chance(is_f32 ? 30 : is_fp8(c.a_type) ? 50 : 400)) return;
    const bool suits = c.group == grouping::one && c.how == trial::ordinary && !c.chained &&
                       c.far == far_operand::none && !c.is_gated();
    if (!suits || c.a_type == dtype::f64 || is_integer(c.a_type)) return;
    c.loses_rows = c.batch_invariant = true;
    c.by_blocks = false;
    if (is_f32) {
        c.f32 = f32_as::three_tf32;
        c.sizes[0] = {66 + random.below(60), 3500 + random.below(2000), 40 + random.below(100)};
        c.whole = c.signed_zeros = false;
        c.a_numbers = c.b_numbers = numbers::uniform;
        return;
    }
    // One block of 128 or several, for fp8.
    const std::size_t depth = random.chance(3) ? 16 : 130;
    c.sizes[0] = {1536 + random.below(200), 1536 + random.below(200), depth + random.below(60)};
    c.whole = c.has_epilogue = c.signed_zeros = true;
    c.a_numbers = c.b_numbers = c.e_numbers = numbers::whole;
    const auto side = [&] { return random.chance(2) ? by::row : by::column; };
    c.steps = {{.kind = detail::step_kind::scale, .of = side()},
               {.kind = detail::step_kind::bias, .of = side()}};
}

// Refused calls on a GPU: C or the amax overlaps an operand, host memory, wrong arguments.
void draw_refusal(random_numbers& random, product_case& c) {
    if (c.how != trial::ordinary || !random.chance(24)) return;
    c.how = random.chance(2) ? trial::aliased : trial::bad_argument;
    c.chained = false;
    c.far = far_operand::none;
    if (c.how != trial::aliased || c.c_type == dtype::i32 || random.chance(3)) return;
    c.has_epilogue = true;
    if (c.place_of_largest() == c.steps.size())
        c.steps.push_back({.kind = detail::step_kind::amax});
}

// A list in which each product has its own rows and one matrix of a batch: experts.
void draw_experts(random_numbers& random, product_case& c) {
    if (c.group != grouping::listed || c.a_for_all || c.b_for_all || !random.chance(3)) return;
    c.b_strided = true;
    double most = 1;
    const auto work = [](const product_size& s) {
        return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    };
    for (const product_size& s : c.sizes) most = std::max(most, work(s));
    for (product_size& s : c.sizes) {
        s.n = c.sizes[0].n;
        s.k = c.sizes[0].k;
        while (work(s) > most) s.m /= 2;
    }
}

void draw_ways_to_say_it(random_numbers& random, product_case& c) {
    draw_experts(random, c);
    c.turned = random.chance(8);
    if (c.on_gpu && random.chance(4)) c.device = 0;
    const auto alike = [&](const product_size& s) {
        return s.m == c.sizes[0].m && s.n == c.sizes[0].n;
    };
    c.e_for_all = c.group != grouping::one && c.e == addend::own && random.chance(4) &&
                  std::ranges::all_of(c.sizes, alike);
    if (c.whole || !random.chance(8)) return;
    if (is_integer(c.a_type)) return;
    (random.chance(2) || c.chained ? c.b_numbers : c.a_numbers) = numbers::small;
}

}  // namespace

product_case draw_case(random_numbers& random, std::uint64_t number, bool on_gpu) {
    product_case c;
    c.number = number;
    c.on_gpu = on_gpu;
    c.how = draw_trial(random, on_gpu);
    const types t = on_gpu ? draw_gpu_types(random) : draw_types(random);
    c.a_type = t.a;
    c.b_type = t.b;
    c.c_type = t.c;
    draw_group(random, c);
    c.whole = random.below(3) == 0;
    const bool needs_epilogue = is_byte_integer(t.c);
    c.has_epilogue = c.c_type != dtype::i32 && (needs_epilogue || random.chance(4));
    if (c.has_epilogue) draw_steps(random, c);
    mend_steps(c);
    draw_prepared(random, c);
    constexpr addend addends[] = {addend::none, addend::none, addend::own, addend::c};
    c.e = random.pick(addends);
    const bool whole_factors = c.whole || c.c_type == dtype::i32;
    c.a_factor = draw_factor(random, whole_factors);
    c.b_factor = random.chance(6) ? draw_factor(random, whole_factors) : 1;
    c.beta = draw_factor(random, whole_factors);
    constexpr int threads[] = {1, 1, 1, 2, 2, 3, 0, 7};
    c.threads = random.pick(threads);
    c.f16_sums = c.a_type == dtype::f16 && !on_gpu && random.chance(12);
    if (on_gpu) {
        constexpr f32_as precisions[] = {f32_as::f32, f32_as::three_tf32, f32_as::tf32};
        if (c.a_type == dtype::f32) c.f32 = random.pick(precisions);
        c.batch_invariant = random.chance(4);
    }
    if (c.whole) {
        c.a_numbers = c.b_numbers = c.e_numbers = numbers::whole;
    } else {
        c.a_numbers = draw_numbers(random, c.a_type);
        c.b_numbers = draw_numbers(random, c.b_type);
        c.e_numbers = draw_numbers(random, c.c_type);
    }
    // Later additions draw from `more`, so that earlier cases stay the same.
    random_numbers copy = random;
    random_numbers more(copy.next(), number);
    on_gpu ? draw_for_gpu(more, c) : draw_deep(more, c);
    c.by_c = fits_c(c) && more.chance(6);
    draw_ways_to_say_it(more, c);
    draw_signs(more, c);
    if (on_gpu) draw_refusal(more, c);
    if (on_gpu) draw_rows_to_lose(more, c);
    c.by_c = c.by_c && fits_c(c) && !c.e_for_all;
    // Also on a GPU, if its memory suits.
    const bool compiled = c.a_type == c.c_type && !is_integer(c.a_type);
    c.shared_out = !on_gpu && compiled && can_be_shared_out(c) && more.chance(24);
    return c;
}

std::size_t product_case::place_of_largest() const {
    const auto is_it = [](const drawn_step& s) { return s.kind == detail::step_kind::amax; };
    return static_cast<std::size_t>(std::ranges::find_if(steps, is_it) - steps.begin());
}

double product_case::work() const {
    double all = 0;
    for (const product_size& s : sizes)
        all += static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    return all;
}

bool product_case::is_gated() const {
    return std::ranges::any_of(steps, [](const drawn_step& s) { return detail::is_gate(s.kind); });
}

}  // namespace carat::fuzz
