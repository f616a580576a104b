#include "ragged.hpp"

#include <algorithm>
#include <array>

#include "calls.hpp"
#include "checks.hpp"
#include "fuzz/ragged.hpp"
#include "fuzz/ragged_calls.hpp"
#include "kernels.hpp"

namespace carat::fuzz {

namespace {

// Calls that products divided by ends in a GPU's memory do not support.

using detail::step_kind;

// Whether it is f64 or f32 in its own arithmetic.
bool is_wide(const product_case& c) {
    return c.a_type == dtype::f64 || (c.a_type == dtype::f32 && c.f32 == f32_as::f32);
}

// docs/gpu.md: scales, then a bias, then an activation, at most one each except scalar scales.
bool is_fused(const std::vector<drawn_step>& steps) {
    const auto phase = [](const drawn_step& s) {
        if (s.kind == step_kind::scale || s.kind == step_kind::scale_all) return 0;
        if (s.kind == step_kind::bias) return 1;
        return s.kind == step_kind::amax || detail::is_gate(s.kind) ? 3 : 2;
    };
    const auto count = [&](auto is) { return std::ranges::count_if(steps, is); };
    const bool zero = std::ranges::any_of(
        steps, [](const drawn_step& s) { return s.kind == step_kind::scale_all && s.number == 0; });
    return !zero && std::ranges::is_sorted(steps, {}, phase) &&
           count([](const drawn_step& s) { return s.kind == step_kind::scale; }) <= 1 &&
           count([&](const drawn_step& s) { return phase(s) == 1; }) <= 1 &&
           count([&](const drawn_step& s) { return phase(s) == 2; }) <= 1 &&
           count([&](const drawn_step& s) { return phase(s) == 3; }) == 0;
}

// An epilogue kernel writes C.
bool takes_a_pass(const product_case& c) {
    const bool has_steps = c.has_epilogue && !c.steps.empty();
    const bool fuses = is_half(c.a_type) || is_fp8(c.a_type);
    return (c.a_type == dtype::f32 && c.c_type != dtype::f32) ||
           (has_steps && (!fuses || !is_fused(c.steps)));
}

bool changes_sums(const product_case& c) {
    return c.has_epilogue && std::ranges::any_of(c.steps, [](const drawn_step& s) {
               return s.kind != step_kind::scale_all;
           });
}

bool is_contiguous(const matrix_place& m) {
    return m.rows < 2 || m.cols < 2 || m.row_stride == 1 || m.col_stride == 1;
}

// Kernels that read unpacked operands.
bool can_be_read_in_place(const product_case& c, const sharing& s) {
    const bool multiplies = c.alpha() != 0 && s.whole[0].cols != 0;
    const bool writes_c = !takes_a_pass(c) || (c.c_type == c.sums() && !c.is_gated() &&
                                               !(c.e == addend::c && c.reads_e()));
    return (!multiplies || (is_contiguous(s.whole[0]) && is_contiguous(s.whole[1]))) &&
           (!writes_c || is_contiguous(s.whole[3]));
}

bool shares_out_k(const product_case& c, const sharing& s) {
    if (is_integer(c.a_type) || is_fp8(c.a_type) || takes_a_pass(c)) return false;
    const bool across_k = s.whole[0].row_stride == 1 && s.whole[1].col_stride == 1;
    if (is_half(c.a_type) && across_k) return true;
    return !changes_sums(c) && can_be_read_in_place(c, s);
}

// Whether batch.hpp allows such a call to be refused as unsupported. All others must be right.
bool may_be_left_out(const product_case& c, const sharing& s) {
    if (c.a_type == dtype::e5m2 && s.what == shared_out::columns) return true;
    const bool has_own_e = c.e == addend::own && c.reads_e();
    const bool adds_own_e = is_wide(c) || is_half(c.a_type) || is_fp8(c.a_type);
    if (has_own_e && !adds_own_e && !takes_a_pass(c)) return true;
    if (s.what == shared_out::depth) return !shares_out_k(c, s);
    return is_wide(c) && !can_be_read_in_place(c, s);
}

template <class A, class B, class C>
void call(const shared_request& r) {
    const shared_call<cuda, A, B, C> it(r);
    it();
}

template <class A, class B>
void call_into(const shared_request& r) {
    if (r.of.c_type == dtype::f32) return call<A, B, float>(r);
    if constexpr (detail::half<A>)
        call<A, B, A>(r);
    else
        call<A, B, bf16>(r);
}

void dispatch(const shared_request& r) {
    switch (r.of.a_type) {
        case dtype::f64:
            return call<double, double, double>(r);
        case dtype::i8:
            return call<std::int8_t, std::int8_t, std::int32_t>(r);
        case dtype::f32:
            return call_into<float, float>(r);
        case dtype::f16:
            return call_into<f16, f16>(r);
        case dtype::bf16:
            return call_into<bf16, bf16>(r);
        case dtype::e4m3:
            return call_into<e4m3, e4m3>(r);
        default:
            return call_into<e5m2, e4m3>(r);
    }
}

// Changes C to a type that is compiled.
void mend_types(product_case& c) {
    const dtype narrow = is_half(c.a_type) ? c.a_type : dtype::bf16;
    if (c.sums() == dtype::f32 && c.c_type != dtype::f32) c.c_type = narrow;
}

void upload_ends(const gpu_running& g, sharing& s) {
    draw_ends(g.r.random, true, s);
    g.there.ends.upload(s.ends.data(), s.ends.size() * sizeof(std::int32_t), g.r.of.stream);
    must(cudaStreamSynchronize(g.r.of.stream), "upload");
    s.told = reinterpret_cast<const std::int32_t*>(g.there.ends.data());
    cut_by_ends(g.r, s);
}

std::string check_all(const gpu_running& g, const sharing& s, const outcome& o) {
    download(g);
    if (is_want_of_memory(g, o)) return check_refusal_for_memory(g.r);
    const bool unsupported = !o.returned && o.code == error_code::unsupported;
    if (unsupported && may_be_left_out(g.r.of, s)) {
        ++g.r.count.refused;
        return unchanged_after_refusal(g.r);
    }
    if (std::string wrong = check_outcome(g.r, o); !wrong.empty()) return wrong;
    if (g.r.random.chance(10))
        if (std::string wrong = check_planted_error(g.r, error_kind::entry); !wrong.empty())
            return wrong;
    return check_memory(g.r);
}

// The call is captured, and the graph runs once for each drawn set of sizes.
std::string replay(const gpu_running& g, sharing& s) {
    const cudaStream_t stream = g.r.of.stream;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    const outcome o = start([&] { dispatch({g.r.of, g.r.on, s}); });
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream, &graph), "the end of a capture");
    std::string wrong;
    if (o.returned) {
        note_kernels(graph);
        cudaGraphExec_t ready = nullptr;
        must(cudaGraphInstantiate(&ready, graph, 0), "a graph");
        for (int run = 0; run < 3 && wrong.empty(); ++run) {
            if (run > 0) {
                g.r.on.c.restore();
                upload(g);
                upload_ends(g, s);
            }
            must(cudaGraphLaunch(ready, stream), "a graph's run");
            wrong = check_all(g, s, o);
            if (!wrong.empty()) wrong = "in a graph, run " + std::to_string(run) + ": " + wrong;
        }
        must(cudaGraphExecDestroy(ready), "a graph");
        g.r.count.note(feature::graph);
    } else {
        wrong = check_all(g, s, o);
    }
    must(cudaGraphDestroy(graph), "a graph");
    return wrong;
}

// f64 and f32 do not have the bits of single calls, nor does a zero of E to which nothing is added
// have its sign: batch.hpp.
bool has_bits_of_single_calls(const running& r) {
    const bool adds_nothing =
        r.of.reads_e() && std::ranges::any_of(r.of.sizes, [](const auto& s) { return s.k == 0; });
    return r.of.batch_invariant && size_bytes(r.of.a_type) < 4 && !adds_nothing;
}

// Product by product, if both guarantee the same bits.
std::string repeat(const gpu_running& g, const std::vector<std::byte>& bits) {
    const running& r = g.r;
    r.on.c.restore();
    upload(g);
    const outcome o = start([&] {
        for (std::size_t p = 0; p < r.of.sizes.size(); ++p) start_single_call(r.of, r.on, p);
    });
    if (is_want_of_memory(g, o)) return {};
    if (!o.returned) return "product by product: refused: " + o.what;
    download(g);
    ++r.count.repeated;
    return r.on.c.bits() == bits ? "" : "product by product: other bits";
}

std::string try_sharing(const gpu_running& g, sharing& s) {
    const running& r = g.r;
    place_all(r);
    upload(g);
    upload_ends(g, s);
    if (r.of.stream != nullptr && r.random.chance(3)) return replay(g, s);
    const outcome o = start([&] { dispatch({r.of, r.on, s}); });
    const std::vector<std::byte> bits = (download(g), r.on.c.bits());
    if (std::string wrong = check_all(g, s, o); !wrong.empty()) return wrong;
    return o.returned && has_bits_of_single_calls(r) && r.random.chance(2) ? repeat(g, bits)
                                                                           : std::string();
}

}  // namespace

std::string try_shared_out(const gpu_running& g) {
    mend_types(g.r.of);
    sharing s = lay_out_shared(g.r);
    g.r.count.note(feature::shared_out);
    const std::string wrong = try_sharing(g, s);
    constexpr std::array names = {"rows", "columns", "K"};
    return wrong.empty() ? wrong
                         : std::string(names[static_cast<std::size_t>(s.what)]) +
                               " shared out by " + std::to_string(s.products) + ": " + wrong;
}

}  // namespace carat::fuzz
