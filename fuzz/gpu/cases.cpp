// A call on a GPU: its matrices laid out on the host, canaries and all, copied there as they are,
// and copied back to be checked as those of a CPU.
#include "cases.hpp"

#include <array>
#include <thread>

#include "calls.hpp"
#include "device.hpp"
#include "fuzz/oracle.hpp"
#include "naive.hpp"

namespace carat::fuzz {

namespace {

// The copies of a thread's operands.
struct copies {
    std::array<device_bytes, 4> of_matrices;
    std::array<device_bytes, detail::most_steps> of_values;
};

struct gpu_running {
    const running& r;
    copies& there;
    bool in_order;  // C's memory comes from cudaMallocAsync
};

template <class Visit>
void each_operand(const gpu_running& g, const Visit& visit) {
    operand* const matrices[] = {&g.r.on.a, &g.r.on.b, &g.r.on.e, &g.r.on.c};
    for (std::size_t i = 0; i < 4; ++i) visit(*matrices[i], g.there.of_matrices[i]);
    for (std::size_t i = 0; i < g.r.of.steps.size(); ++i)
        visit(g.r.on.values[i], g.there.of_values[i]);
}

// At the same distance from a multiple of 256 bytes as on the host.
void upload(const gpu_running& g) {
    const cudaStream_t stream = g.r.of.stream;
    each_operand(g, [&](operand& o, device_bytes& there) {
        const std::span<std::byte> here = o.remembered();
        if (here.empty()) return;
        const std::size_t offset = reinterpret_cast<std::uintptr_t>(here.data()) % 256;
        const std::size_t bytes = here.size() + 256;
        std::byte* const memory = g.in_order && &o == &g.r.on.c
                                      ? there.reserve_in_order(bytes, stream)
                                      : there.reserve(bytes);
        must(cudaMemcpyAsync(memory + offset, here.data(), here.size(), cudaMemcpyHostToDevice,
                             stream),
             "upload");
        o.seen_at(memory + offset);
    });
}

void download(const gpu_running& g) {
    const cudaStream_t stream = g.r.of.stream;
    each_operand(g, [&](operand& o, device_bytes& there) {
        const std::span<std::byte> here = o.remembered();
        if (here.empty()) return;
        const std::size_t offset = reinterpret_cast<std::uintptr_t>(here.data()) % 256;
        must(cudaMemcpyAsync(here.data(), there.data() + offset, here.size(),
                             cudaMemcpyDeviceToHost, stream),
             "download");
    });
    must(cudaStreamSynchronize(stream), "the work on the GPU");
}

// Matrices that must not be read are none: E or operands of a factor of 0 keep their canaries.
void place_on_gpu(const running& r) {
    for (operand* o : {&r.on.a, &r.on.b, &r.on.e, &r.on.c}) o->place(r.random);
    if (r.of.alpha() != 0) {
        r.on.a.write_values();
        r.on.b.write_values();
    }
    if (r.of.reads_e() && r.of.e == addend::own) r.on.e.write_values();
    if (r.of.e == addend::c) r.on.c.write_values();
    for (std::size_t i = 0; i < r.of.steps.size(); ++i) {
        r.on.values[i].place(r.random);
        r.on.values[i].write_values();
    }
}

outcome start(const std::function<void()>& work) {
    outcome o;
    try {
        work();
        o.returned = true;
    } catch (const error& e) {
        o.code = e.code();
        o.what = e.what();
    }
    return o;
}

// The call within a graph, which then runs twice.
outcome replay(const gpu_running& g) {
    const cudaStream_t stream = g.r.of.stream;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    const outcome o = start([&] { start_call(g.r.of, g.r.on); });
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream, &graph), "the end of a capture");
    if (!o.returned) return o;
    cudaGraphExec_t ready = nullptr;
    must(cudaGraphInstantiate(&ready, graph, 0), "a graph");
    // Once where E is C: the second run would add to the first.
    for (int i = 0; i < (g.r.of.e == addend::c ? 1 : 2); ++i)
        must(cudaGraphLaunch(ready, stream), "a graph's run");
    must(cudaStreamSynchronize(stream), "a graph's run");
    must(cudaGraphExecDestroy(ready), "a graph");
    must(cudaGraphDestroy(graph), "a graph");
    return o;
}

std::string compare(const running& r, const std::vector<std::byte>& bits, const char* what) {
    ++r.count.repeated;
    return r.on.c.bits() == bits ? std::string() : std::string(what) + ": other bits";
}

// Another stream, or product by product: lists have the bits of single calls where both are
// batch-invariant, other batches always.
std::string repeat(const gpu_running& g, const std::vector<std::byte>& bits) {
    const running& r = g.r;
    r.of.stream = stream_for_calls(r.random.below(4));
    r.on.c.restore();
    upload(g);
    const bool one_by_one = r.of.group != grouping::one && r.random.chance(2) &&
                            (r.of.group != grouping::listed || r.of.batch_invariant);
    const outcome o = start([&] {
        if (!one_by_one) return start_call(r.of, r.on);
        for (std::size_t p = 0; p < r.of.sizes.size(); ++p) start_single_call(r.of, r.on, p);
    });
    if (!o.returned) return "once more: refused: " + o.what;
    download(g);
    return compare(r, bits, one_by_one ? "product by product" : "once more, on another stream");
}

// With few rows of A the bits of the rows that are there.
std::string with_fewer_rows(const gpu_running& g, const std::vector<std::byte>& bits) {
    const running& r = g.r;
    const std::size_t rows = 1 + r.random.below(r.on.c.all[0].rows);
    const std::size_t bytes = rows * r.on.c.all[0].cols * size_bytes(r.of.c_type);
    for (operand* o : {&r.on.a, &r.on.e, &r.on.c}) o->all[0].rows = rows;
    for (std::size_t i = 0; i < r.of.steps.size(); ++i)
        if (r.of.steps[i].of == by::row && r.of.steps[i].kind <= detail::step_kind::scale)
            r.on.values[i].all[0].cols = rows;
    r.on.c.restore();
    upload(g);
    const outcome o = start([&] { start_call(r.of, r.on); });
    if (!o.returned) return "with fewer rows: refused: " + o.what;
    download(g);
    ++r.count.repeated;
    std::vector<std::byte> now = r.on.c.bits();
    now.resize(bytes);
    return std::equal(now.begin(), now.end(), bits.begin())
               ? std::string()
               : "batch-invariant, with " + std::to_string(rows) + " rows: other bits";
}

std::string check_memory(const running& r) {
    r.on.c.restore_elements();
    if (std::string wrong = r.on.c.changed(); !wrong.empty()) return "around C: " + wrong;
    return changed_inputs(r);
}

std::string try_call(const gpu_running& g) {
    const running& r = g.r;
    place_on_gpu(r);
    upload(g);
    const bool captured = r.of.stream != nullptr && !g.in_order && r.random.chance(6);
    const outcome o = captured ? replay(g) : start([&] { start_call(r.of, r.on); });
    download(g);
    if (!o.returned && r.of.how == trial::failing_memory && o.code == error_code::out_of_memory) {
        ++r.count.no_memory;
        return {};
    }
    if (std::string wrong = check_result(r, o, false); !wrong.empty())
        return (captured ? "in a graph: " : "") + wrong;
    const std::vector<std::byte> bits = r.on.c.bits();
    if (r.random.chance(10)) {
        const auto kind = static_cast<plant>(r.random.below(plants));
        if (kind != plant::repeat)
            if (std::string wrong = check_plant(r, kind); !wrong.empty()) return wrong;
    }
    if (std::string wrong = check_memory(r); !wrong.empty()) return wrong;
    if (!r.random.chance(3)) return {};
    if (std::string wrong = repeat(g, bits); !wrong.empty()) return wrong;
    if (r.of.batch_invariant && r.of.group == grouping::one && r.on.c.all[0].size() != 0)
        return with_fewer_rows(g, bits);
    return {};
}

// All but some megabytes taken.
std::string try_full_memory(const gpu_running& g) {
    std::size_t free = 0;
    std::size_t total = 0;
    must(cudaMemGetInfo(&free, &total), "free memory");
    const std::size_t left = (std::size_t{1} << 20) * (1 + g.r.random.below(64));
    void* taken = nullptr;
    if (free <= left || cudaMalloc(&taken, free - left) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return try_call(g);
    }
    std::string wrong;
    try {
        wrong = try_call(g);
    } catch (const std::runtime_error&) {
        // No memory for the matrices themselves.
        static_cast<void>(cudaGetLastError());
    }
    must(cudaFree(taken), "the memory taken");
    return wrong;
}

std::string try_threads(const running& r, std::uint64_t seed) {
    std::array<std::string, 8> wrong;
    std::array<tally, 8> counts;
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < wrong.size(); ++t)
        all.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < 8 && wrong[t].empty(); ++i)
                wrong[t] = run_gpu_case(~seed, r.of.number * 64 + t * 8 + i, r.in, counts[t]);
        });
    for (std::thread& thread : all) thread.join();
    std::string first;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        r.count.add(counts[t]);
        if (first.empty()) first = wrong[t];
    }
    return first;
}

}  // namespace

std::string run_gpu_case(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                         tally& count) {
    thread_local workbench on;
    thread_local copies there;
    static const bool started = [] {
        sums_on_device = naive_sums;
        return true;
    }();
    static_cast<void>(started);
    random_numbers random(seed, number);
    product_case c = draw_case(random, number, true);
    const bool nested = (seed >> 63) != 0;
    if (nested) c.how = trial::ordinary;
    c.stream = stream_for_calls(random.below(4));
    const running r = {c, on, random, in, count};
    lay_out(r);
    const std::string text = c.describe();
    tell_description(in, text);
    const gpu_running g = {r, there, random.chance(8)};
    std::string wrong;
    try {
        wrong = c.how == trial::many_threads     ? try_threads(r, seed)
                : c.how == trial::failing_memory ? try_full_memory(g)
                                                 : try_call(g);
    } catch (const std::runtime_error& e) {
        wrong = e.what();
    }
    if (c.how != trial::many_threads) ++count.cases;
    return wrong.empty() ? wrong : text + ": " + wrong;
}

std::string why_no_gpu() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return "no GPU answers";
    return {};
}

bool built_for_gpus() {
    return true;
}

}  // namespace carat::fuzz
