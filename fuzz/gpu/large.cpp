#include "large.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <type_traits>

#include <carat/carat.hpp>

#include "kernels.hpp"
#include "large_memory.hpp"

namespace carat::fuzz {

namespace {

struct large_case {
    large_matrices a;
    large_matrices b;
    large_matrices c;
    large_matrices e;
    large_sums how;
    f32_as f32 = f32_as::f32;
    bool batch_invariant = false;
    bool e_is_c = false;
    bool in_graph = false;
    cudaStream_t stream = nullptr;
    const float* bias = nullptr;
};

// Lines at any distance, or at one that TMA can read; the first element anywhere, or at an even
// one.
large_matrices lay_out(random_numbers& random, dtype type, std::uint64_t rows, std::uint64_t cols,
                       std::uint64_t count) {
    large_matrices m;
    m.type = type;
    m.rows = rows;
    m.cols = cols;
    m.count = count;
    m.salt = static_cast<std::uint32_t>(random.next());
    m.by_rows = random.below(5) < 3;
    m.offset = random.chance(4) ? random.below(70) : 64;
    m.ld = (m.by_rows ? cols : rows) + (random.chance(3) ? random.below(20) : 0);
    if (random.chance(2)) m.ld = (m.ld + 15) / 16 * 16;
    m.apart = m.ld * (m.by_rows ? rows : cols) + (random.chance(4) ? random.below(40) : 0);
    m.size = m.offset + m.apart * count + 64;
    return m;
}

struct pair_of_types {
    dtype operands;
    dtype c;
};

pair_of_types draw_large_types(random_numbers& random) {
    using enum dtype;
    constexpr dtype as[] = {f64, f32, f32, f16, f16, f16, bf16, bf16, bf16, e4m3, e4m3, e5m2, i8};
    const dtype a = random.pick(as);
    if (a == f64) return {f64, f64};
    if (a == i8) return {i8, i32};
    constexpr dtype cs[] = {f32, f16, bf16};
    return {a, random.chance(2) && is_half(a) ? a : random.pick(cs)};
}

// Some millions of entries, so that every SM has several tiles.
void draw_large_sizes(random_numbers& random, large_case& l, const pair_of_types& t) {
    constexpr std::uint64_t sides[] = {1024, 1536, 2048, 2048, 2560, 3072};
    constexpr std::uint64_t heads[] = {128, 192, 256, 384, 512, 768};
    constexpr std::uint64_t depths[] = {64, 128, 128, 256, 512, 1024, 2048, 4096};
    const bool batch = random.chance(2);
    const auto some = [&](std::uint64_t at) {
        return random.chance(3) ? at - random.below(99) : at;
    };
    const std::uint64_t m = some(batch ? random.pick(heads) : random.pick(sides));
    const std::uint64_t n = some(batch ? random.pick(heads) : random.pick(sides));
    std::uint64_t k = random.pick(depths) - (random.chance(3) ? random.below(60) : 0);
    constexpr std::uint64_t most_entries = 6'000'000;
    const std::uint64_t count = batch ? std::max<std::uint64_t>(most_entries / (m * n), 2) : 1;
    const std::uint64_t some_count =
        batch ? 2 + random.below(std::min<std::uint64_t>(count, 200)) : 1;
    constexpr std::uint64_t most_work = 8'000'000'000;  // the GPU's own loops take as long
    while (m * n * k * some_count > most_work) k /= 2;
    const std::uint64_t of_a = random.chance(6) ? 1 : some_count;
    const std::uint64_t of_b = of_a == some_count && random.chance(5) ? 1 : some_count;
    l.a = lay_out(random, t.operands, m, k, of_a);
    l.b = lay_out(random, t.operands == dtype::e5m2 ? dtype::e4m3 : t.operands, k, n, of_b);
    l.c = lay_out(random, t.c, m, n, some_count);
    l.e = lay_out(random, t.c, m, n, some_count);
    l.how.k = k;
}

large_case draw_large_case(random_numbers& random, const gpu_worker& there) {
    large_case l;
    const pair_of_types t = draw_large_types(random);
    draw_large_sizes(random, l, t);
    constexpr std::int32_t alphas[] = {1, 1, 1, -1, 2};
    l.how.alpha = random.pick(alphas);
    constexpr std::int32_t betas[] = {0, 0, 1, -1};
    l.how.beta = random.pick(betas);
    l.e_is_c = l.how.beta != 0 && random.chance(2);
    l.how.has_epilogue = t.operands != dtype::f64 && t.operands != dtype::i8 && random.chance(3);
    l.how.bias_salt = static_cast<std::uint32_t>(random.next());
    constexpr f32_as precisions[] = {f32_as::f32, f32_as::three_tf32, f32_as::tf32};
    if (t.operands == dtype::f32) l.f32 = random.pick(precisions);
    l.batch_invariant = random.chance(6);
    l.stream = there.streams[random.below(4)];
    l.in_graph = l.stream != nullptr && random.chance(4);
    if (l.e_is_c) l.e = l.c;
    l.c.is_blank = !l.e_is_c;
    return l;
}

std::string describe(const large_case& l) {
    const auto order = [](const large_matrices& m) { return m.by_rows ? "n" : "t"; };
    std::string text = "large: " + std::string(name(l.a.type)) + " x " +
                       std::string(name(l.b.type)) + " into " + std::string(name(l.c.type)) + ", ";
    text += std::to_string(l.c.count) + " of " + std::to_string(l.c.rows) + "x" +
            std::to_string(l.c.cols) + "x" + std::to_string(l.how.k) + " " + order(l.a) +
            order(l.b) + order(l.c);
    text += ", alpha " + std::to_string(l.how.alpha) + ", beta " + std::to_string(l.how.beta);
    if (l.e_is_c) text += ", E is C";
    if (l.how.has_epilogue) text += ", bias and relu";
    if (l.f32 != f32_as::f32) text += l.f32 == f32_as::tf32 ? ", as tf32" : ", as 3xtf32";
    if (l.batch_invariant) text += ", batch-invariant";
    return l.in_graph ? text + ", in a graph" : text;
}

template <class T>
matrix_view<T> view_of(const large_matrices& m) {
    auto* const first = static_cast<std::remove_const_t<T>*>(m.data) + m.offset;
    const auto ld = static_cast<std::ptrdiff_t>(m.ld);
    return {first, m.rows, m.cols, m.by_rows ? ld : 1, m.by_rows ? 1 : ld};
}

template <class T>
auto batch_of(const large_matrices& m, std::size_t count) {
    const auto apart = static_cast<std::ptrdiff_t>(m.count == 1 ? 0 : m.apart);
    return strided(view_of<T>(m), count, apart);
}

template <class A, class B, class C>
void call_typed_large(const large_case& l) {
    const cuda where{.stream = l.stream, .batch_invariant = l.batch_invariant, .f32 = l.f32};
    const auto with_epilogue = [&](const auto& product) {
        if constexpr (std::is_same_v<detail::sums_of<A, C>, float>) {
            const std::span values(l.bias, l.c.cols);
            if (l.how.has_epilogue)
                return product(epilogue<float>{detail::epilogue_steps{}} |
                               bias(values, by::column) | relu);
        }
        product();
    };
    const std::size_t count = l.c.count;
    with_epilogue([&](const auto&... chain) {
        if (count == 1) {
            const auto a = scaled(l.how.alpha, view_of<const A>(l.a));
            const auto b = view_of<const B>(l.b);
            const auto e = scaled(l.how.beta, view_of<const C>(l.e));
            l.how.beta == 0 ? matrix_product(where, a, b, view_of<C>(l.c), chain...)
                            : matrix_product(where, a, b, e, view_of<C>(l.c), chain...);
        } else {
            const auto a = scaled(l.how.alpha, batch_of<const A>(l.a, count));
            const auto b = batch_of<const B>(l.b, count);
            const auto c = batch_of<C>(l.c, count);
            const auto e = scaled(l.how.beta, batch_of<const C>(l.e, count));
            l.how.beta == 0 ? matrix_products(where, a, b, c, chain...)
                            : matrix_products(where, a, b, e, c, chain...);
        }
    });
}

template <class A, class B>
void call_into_one(const large_case& l) {
    if (l.c.type == dtype::f32) return call_typed_large<A, B, float>(l);
    if (l.c.type == dtype::f16) return call_typed_large<A, B, f16>(l);
    call_typed_large<A, B, bf16>(l);
}

void call(const large_case& l) {
    switch (l.a.type) {
        case dtype::f64:
            return call_typed_large<double, double, double>(l);
        case dtype::i8:
            return call_typed_large<std::int8_t, std::int8_t, std::int32_t>(l);
        case dtype::f32:
            return call_into_one<float, float>(l);
        case dtype::f16:
            return call_into_one<f16, f16>(l);
        case dtype::bf16:
            return call_into_one<bf16, bf16>(l);
        case dtype::e4m3:
            return call_into_one<e4m3, e4m3>(l);
        default:
            return call_into_one<e5m2, e4m3>(l);
    }
}

void call_in_graph(const large_case& l) {
    must(cudaStreamBeginCapture(l.stream, cudaStreamCaptureModeThreadLocal), "capture");
    std::exception_ptr refused;
    try {
        call(l);
    } catch (const error&) {
        refused = std::current_exception();
    }
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(l.stream, &graph), "the end of a capture");
    if (refused) std::rethrow_exception(refused);
    note_kernels(graph);
    cudaGraphExec_t ready = nullptr;
    must(cudaGraphInstantiate(&ready, graph, 0), "a graph");
    must(cudaGraphLaunch(ready, l.stream), "a graph's run");
    must(cudaStreamSynchronize(l.stream), "a graph's run");
    must(cudaGraphExecDestroy(ready), "a graph");
    must(cudaGraphDestroy(graph), "a graph");
}

void fill_all(large_case& l, gpu_worker& there) {
    large_matrices* const all[] = {&l.a, &l.b, &l.c, &l.e};
    for (std::size_t i = 0; i < 4; ++i) {
        large_matrices& m = *all[i];
        if (i == 3 && l.e_is_c) break;
        m.data = there.of_large[i].reserve(m.size * size_bytes(m.type));
        fill_large(m, l.stream);
    }
    if (l.e_is_c) l.e.data = l.c.data;
    auto* const bias = reinterpret_cast<float*>(there.large_bias.reserve(l.c.cols * sizeof(float)));
    fill_bias(bias, l.c.cols, l.how.bias_salt, l.stream);
    l.bias = bias;
}

using verdicts = std::array<large_verdict, 4>;

// Checks A, B, E and C.
verdicts check_all(const large_case& l, gpu_worker& there) {
    verdicts all;
    there.verdicts.upload(all.data(), sizeof all, l.stream);
    auto* const to = reinterpret_cast<large_verdict*>(there.verdicts.data());
    check_large(l.a, to, l.stream);
    check_large(l.b, to + 1, l.stream);
    if (!l.e_is_c) check_large(l.e, to + 2, l.stream);
    check_large_c(l.c, l.a, l.b, l.e, l.how, to + 3, l.stream);
    there.verdicts.download(all.data(), sizeof all, l.stream);
    return all;
}

std::string text_of(const verdicts& all) {
    constexpr std::array names = {"A", "B", "E", "C"};
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].wrong != 0)
            return std::to_string(all[i].wrong) + " elements of " + names[i] +
                   "'s memory are wrong, the first " + std::to_string(all[i].first);
    return {};
}

std::string plant_one(random_numbers& random, const large_case& l, gpu_worker& there,
                      tally& count) {
    const std::uint64_t at = random.below(l.c.size);
    spoil_large(l.c, at, l.stream);
    const large_verdict of_c = check_all(l, there)[3];
    ++count.planted[static_cast<std::size_t>(error_kind::bit)];
    if (of_c.wrong != 1 || of_c.first != at)
        return "a planted error was not found: a bit of element " + std::to_string(at);
    ++count.caught[static_cast<std::size_t>(error_kind::bit)];
    return {};
}

}  // namespace

std::string run_large_case(random_numbers& random, const surroundings& in, gpu_worker& there,
                           tally& count) {
    large_case l = draw_large_case(random, there);
    const std::string text = describe(l);
    tell_description(in, text);
    fill_all(l, there);
    try {
        l.in_graph ? call_in_graph(l) : call(l);
    } catch (const error& e) {
        const std::string why = text + ": refused: " + e.what();
        if (e.code() == error_code::out_of_memory) throw no_device_memory(why);
        return why;
    }
    ++count.cases;
    count.entries += l.c.rows * l.c.cols * l.c.count;
    count.note(feature::large);
    count.note(feature::large_batch, l.c.count > 1);
    count.note(feature::graph, l.in_graph);
    if (const std::string wrong = text_of(check_all(l, there)); !wrong.empty())
        return text + ": " + wrong;
    return random.chance(8) ? plant_one(random, l, there, count) : std::string();
}

}  // namespace carat::fuzz
