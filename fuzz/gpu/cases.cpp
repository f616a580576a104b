// A call on a GPU, checked like one on a CPU: its trials, and calls that must give the same bits.
#include "cases.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "calls.hpp"
#include "checks.hpp"
#include "fuzz/ragged.hpp"
#include "kernels.hpp"
#include "large.hpp"
#include "large_memory.hpp"
#include "naive.hpp"
#include "ragged.hpp"
#include "refused.hpp"
#include "transfers.hpp"

namespace carat::fuzz {

namespace {

// C is in memory that the capture itself allocates and frees.
outcome start_in_own_memory(const gpu_running& g) {
    const cudaStream_t stream = g.r.of.stream;
    operand& c = g.r.on.c;
    const std::span<std::byte> here = c.remembered();
    if (here.empty() || g.far->has(c)) return start_all(g);
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(here.data()) % 256;
    std::byte* const kept = g.there.of_matrices[3].data() + offset;
    void* taken = nullptr;
    must(cudaMallocAsync(&taken, here.size() + 256, stream), "cudaMallocAsync in a capture");
    std::byte* const own = static_cast<std::byte*>(taken) + offset;
    must(cudaMemcpyAsync(own, kept, here.size(), cudaMemcpyDeviceToDevice, stream), "a copy");
    c.seen_at(own);
    const outcome o = start_all(g);
    c.seen_at(kept);
    must(cudaMemcpyAsync(kept, own, here.size(), cudaMemcpyDeviceToDevice, stream), "a copy");
    must(cudaFreeAsync(taken, stream), "cudaFreeAsync in a capture");
    g.r.count.note(feature::captured_memory);
    return o;
}

// Captures the call in a graph, which then runs twice.
outcome replay(const gpu_running& g) {
    const cudaStream_t stream = g.r.of.stream;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    const bool takes_memory = g.r.random.chance(3) && g.kind == memory_kind::of_device;
    const outcome o = takes_memory ? start_in_own_memory(g) : start_all(g);
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream, &graph), "the end of a capture");
    if (!o.returned) {
        must(cudaGraphDestroy(graph), "a graph");
        return o;
    }
    note_kernels(graph);
    cudaGraphExec_t ready = nullptr;
    must(cudaGraphInstantiate(&ready, graph, 0), "a graph");
    // Runs once if E is C, since the second run would add to the first.
    for (int i = 0; i < (g.r.of.e == addend::c ? 1 : 2); ++i)
        must(cudaGraphLaunch(ready, stream), "a graph's run");
    must(cudaStreamSynchronize(stream), "a graph's run");
    must(cudaGraphExecDestroy(ready), "a graph");
    must(cudaGraphDestroy(graph), "a graph");
    g.r.count.note(feature::graph);
    return o;
}

std::string differs(const running& r, const std::vector<std::byte>& bits, const char* what) {
    ++r.count.repeated;
    return r.on.c.bits() == bits ? std::string() : std::string(what) + ": other bits";
}

// Repeats on another stream, or product by product: batches have the bits of single calls if both
// are batch-invariant.
std::string repeat(const gpu_running& g, const std::vector<std::byte>& bits) {
    const running& r = g.r;
    r.of.stream = g.there.streams[r.random.below(4)];
    r.on.c.restore();
    upload(g);
    const bool one_by_one =
        r.of.group != grouping::one && r.random.chance(2) && r.of.batch_invariant;
    const auto singles = [&] {
        for (std::size_t p = 0; p < r.of.sizes.size(); ++p) start_single_call(r.of, r.on, p);
    };
    const outcome o = one_by_one ? start(singles) : start_all(g);
    if (is_want_of_memory(g, o)) return {};
    if (!o.returned) return "once more: refused: " + o.what;
    download(g);
    r.count.note(feature::one_by_one, one_by_one);
    return differs(r, bits, one_by_one ? "product by product" : "once more, on another stream");
}

// Fewer rows of A must give the same bits in the remaining rows.
std::string with_fewer_rows(const gpu_running& g, const std::vector<std::byte>& bits) {
    const running& r = g.r;
    const std::size_t most = r.on.c.all[0].rows;
    const std::size_t rows =
        1 + r.random.below(r.of.loses_rows ? std::min<std::size_t>(most, 32) : most);
    const std::size_t bytes = rows * r.on.c.all[0].cols * size_bytes(r.of.c_type);
    for (operand* o : {&r.on.a, &r.on.e, &r.on.c}) o->all[0].rows = rows;
    if (r.of.by_blocks) r.on.scales[0].all[0].rows = rows;
    for (std::size_t i = 0; i < r.of.steps.size(); ++i)
        if (r.of.steps[i].of == by::row && r.of.steps[i].kind <= detail::step_kind::scale)
            r.on.values[i].all[0].cols = rows;
    r.on.c.restore();
    upload(g);
    const outcome o = start_all(g);
    if (is_want_of_memory(g, o)) return {};
    if (!o.returned) return "with fewer rows: refused: " + o.what;
    download(g);
    r.count.note(feature::fewer_rows);
    ++r.count.repeated;
    std::vector<std::byte> now = r.on.c.bits();
    now.resize(bytes);
    return std::equal(now.begin(), now.end(), bits.begin())
               ? std::string()
               : "batch-invariant, with " + std::to_string(rows) + " rows: other bits";
}

std::string try_call(const gpu_running& given) {
    const running& r = given.r;
    place_all(r);
    const far_lines far(r, given.there.far);
    gpu_running g = given;
    g.far = &far;
    upload(g);
    const bool captured =
        r.of.stream != nullptr && g.kind != memory_kind::in_order && r.random.chance(6);
    const outcome o = captured ? replay(g) : start_all(g);
    download(g);
    if (is_want_of_memory(g, o)) return check_refusal_for_memory(r);
    if (std::string wrong = check_outcome(r, o); !wrong.empty())
        return (captured ? "in a graph: " : "") + wrong;
    const std::vector<std::byte> bits = r.on.c.bits();
    if (r.random.chance(10)) {
        const auto kind = static_cast<error_kind>(r.random.below(error_kinds));
        if (kind != error_kind::repeat && kind != error_kind::largest)
            if (std::string wrong = check_planted_error(r, kind); !wrong.empty()) return wrong;
    }
    if (std::string wrong = check_memory(r); !wrong.empty()) return wrong;
    if (!r.random.chance(3) && !r.of.loses_rows) return {};
    if (std::string wrong = repeat(g, bits); !wrong.empty()) return wrong;
    if (r.of.batch_invariant && r.of.group == grouping::one && r.on.c.all[0].size() != 0)
        return with_fewer_rows(g, bits);
    return {};
}

// All memory but some megabytes is taken once the matrices exist. The call, whose code may still
// have to be loaded, is right or refused, and right once memory is free again.
std::string try_full_memory(const gpu_running& g) {
    const running& r = g.r;
    place_all(r);
    upload(g);
    must(cudaStreamSynchronize(r.of.stream), "upload");
    const std::size_t most = r.random.chance(2) ? 4 : 64;
    outcome o;
    {
        const taken_memory taken((std::size_t{1} << 20) * r.random.below(most));
        r.count.note(feature::full_memory, static_cast<bool>(taken));
        o = start_all(g);
        must(cudaStreamSynchronize(r.of.stream), "the work on the GPU");
    }
    download(g);
    if (!is_want_of_memory(g, o)) return check_outcome(r, o);
    if (std::string wrong = check_refusal_for_memory(r); !wrong.empty()) return wrong;
    r.count.note(feature::after_full_memory);
    const memory_watch since;
    return try_call({r, g.there, g.kind, since});
}

// Whether no two elements share an address.
bool can_be_written(const matrix_place& m) {
    return (m.rows < 2 || m.row_stride != 0) && (m.cols < 2 || m.col_stride != 0);
}

// The index of a worker, followed by those of its own threads.
std::size_t first_worker(const surroundings& in) {
    return in.thread * (gpu_threads + 1);
}

std::string run_gpu_case(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                         tally& count);

std::string try_threads(const running& r, std::uint64_t seed) {
    return in_threads(r, gpu_threads, [&](std::size_t thread, std::uint64_t number, tally& count) {
        become_worker(first_worker(r.in) + thread + 1);
        return run_gpu_case(~seed, number, r.in, count);
    });
}

// There is no case if the fuzzer itself finds no memory.
std::string run(const gpu_running& g, std::uint64_t seed) {
    const running& r = g.r;
    try {
        if (r.of.how == trial::many_threads) return try_threads(r, seed);
        if (r.of.shared_out) return try_shared_out(g);
        if (r.of.how == trial::aliased || r.of.how == trial::bad_argument) return try_refused(g);
        const bool alone = !r.in.shares_gpu && !r.in.is_watched;
        if (r.of.how == trial::failing_memory && alone) return try_full_memory(g);
        return try_call(g);
    } catch (const no_device_memory& e) {
        if (!g.memory.was_full() && !r.in.shares_gpu) return e.what();
        ++r.count.no_memory;
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return {};
}

void count_case(const gpu_running& g, std::uint64_t nested) {
    tally& to = g.r.count;
    const product_case& c = g.r.of;
    ++to.cases;
    count_features(g.r);
    const auto address = reinterpret_cast<std::uintptr_t>(g.r.on.a.data(g.r.on.a.all[0]));
    to.note(feature::misaligned, address % 16 != 0);
    to.note(feature::stream, c.stream != nullptr);
    to.note(feature::chained, c.chained);
    to.note(feature::in_order, g.kind == memory_kind::in_order);
    to.note(feature::managed, g.kind == memory_kind::managed);
    to.note(feature::pinned, g.kind == memory_kind::pinned);
    to.note(feature::threads, nested);
    to.note(feature::beside_full_memory, g.memory.was_full());
}

// A case that is filled and checked on the GPU.
std::string run_large(random_numbers& random, const surroundings& in, gpu_worker& there,
                      tally& count) {
    const memory_watch memory;
    try {
        return run_large_case(random, in, there, count);
    } catch (const no_device_memory& e) {
        if (!memory.was_full() && !in.shares_gpu) return e.what();
        ++count.no_memory;
    } catch (const std::runtime_error& e) {
        return std::string("large: ") + e.what();
    }
    return {};
}

// The last two are far from the GPU.
memory_kind draw_kind(random_numbers& random, const product_case& c) {
    if (random.chance(8)) return memory_kind::in_order;
    if (!random.chance(50) || c.work() > 1e6) return memory_kind::of_device;
    return random.chance(2) ? memory_kind::managed : memory_kind::pinned;
}

// Whether memory is full during some of the first cases of a process, when kernels' code has yet to
// be loaded.
enum class first_calls { as_drawn, in_full_memory };

std::string run_one(std::uint64_t seed, std::uint64_t number, const surroundings& in, tally& count,
                    first_calls first) {
    static const bool started = [] {
        sums_on_device = naive_sums;
        return load_naive_sums() && load_large_kernels();
    }();
    static_cast<void>(started);
    random_numbers random(seed, number);
    const bool nested = (seed >> 63) != 0;
    if (!nested) become_worker(first_worker(in));
    gpu_worker& there = own_worker();
    const bool fills = first == first_calls::in_full_memory;
    if (!fills && random.chance(12) && !in.is_watched) return run_large(random, in, there, count);
    product_case c = draw_case(random, number, true);
    if (fills) c.how = trial::failing_memory;
    if (in.is_watched && c.work() > 4e6) return {};
    if (nested) c.how = trial::ordinary;
    c.stream = there.streams[random.below(4)];
    const running r = {c, there.on, random, in, count, !nested};
    lay_out(r);
    c.chained = c.chained && can_be_written(there.on.a.all[0]);
    const memory_watch memory;
    const memory_kind kind = draw_kind(random, c);
    c.shared_out =
        !fills && random.chance(16) && kind == memory_kind::of_device && can_be_shared_out(c);
    const std::string text = c.describe();
    if (!nested) tell_description(in, text);
    const gpu_running g = {r, there, kind, memory};
    const std::string wrong = run(g, seed);
    if (c.how != trial::many_threads) count_case(g, nested);
    return wrong.empty() ? wrong : text + ": " + wrong;
}

// A thread's streams and buffers need memory, too.
std::string run_in_progress(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                            tally& count, first_calls first) {
    const bool nested = (seed >> 63) != 0;  // within a case that is in progress
    const std::unique_ptr<case_in_progress> in_progress(nested ? nullptr : new case_in_progress);
    const memory_watch memory;
    try {
        return run_one(seed, number, in, count, first);
    } catch (const std::runtime_error& e) {
        if (!memory.was_full() && !in.shares_gpu) return e.what();
        ++count.no_memory;
        return {};
    }
}

std::string run_gpu_case(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                         tally& count) {
    return run_in_progress(seed, number, in, count, first_calls::as_drawn);
}

std::string run_full_case(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                          tally& count) {
    return run_in_progress(seed, number, in, count, first_calls::in_full_memory);
}

bool gpu_is_lost() {
    cudaError_t status = cudaSuccess;
    try {
        status = cudaStreamQuery(own_worker().of_oracle);
    } catch (const std::runtime_error&) {
    }
    return status != cudaSuccess && status != cudaErrorNotReady;
}

}  // namespace

family of_gpus() {
    constexpr std::uint64_t cases = 20'000;  // CUDA takes long to start
    return {"gpu", run_gpu_case, gpu_is_lost, tell_kernels, cases, true};
}

family of_full_gpus() {
    return {"full", run_full_case, gpu_is_lost, tell_kernels, 16, true};
}

std::string why_no_gpu() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return "no GPU answers";
    return {};
}

}  // namespace carat::fuzz
