#include "transfers.hpp"

#include <span>

#include "calls.hpp"
#include "chain.hpp"

namespace carat::fuzz {

namespace {

template <class Visit>
void each_operand(const gpu_running& g, const Visit& visit) {
    operand* const matrices[] = {&g.r.on.a, &g.r.on.b, &g.r.on.e, &g.r.on.c};
    for (std::size_t i = 0; i < 4; ++i) visit(*matrices[i], g.there.of_matrices[i]);
    for (std::size_t i = 0; g.r.of.by_blocks && i < 2; ++i)
        visit(g.r.on.scales[i], g.there.of_scales[i]);
    for (std::size_t i = 0; i < g.r.of.steps.size(); ++i)
        visit(g.r.on.values[i], g.there.of_values[i]);
}

}  // namespace

void upload(const gpu_running& g) {
    const cudaStream_t stream = g.r.of.stream;
    each_operand(g, [&](operand& o, device_bytes& there) {
        const std::span<std::byte> here = o.remembered();
        if (here.empty()) return;
        if (g.far != nullptr && g.far->has(o)) return g.far->upload(stream);
        const std::size_t offset = reinterpret_cast<std::uintptr_t>(here.data()) % 256;
        const std::size_t bytes = here.size() + 256;
        std::byte* const memory = there.reserve(bytes, g.kind, stream);
        must(cudaMemcpyAsync(memory + offset, here.data(), here.size(), cudaMemcpyDefault, stream),
             "upload");
        o.seen_at(memory + offset);
    });
    if (g.r.of.chained) upload_for_chain(g.r, g.there);
}

void download(const gpu_running& g) {
    const cudaStream_t stream = g.r.of.stream;
    each_operand(g, [&](operand& o, device_bytes& there) {
        const std::span<std::byte> here = o.remembered();
        if (here.empty()) return;
        if (g.far != nullptr && g.far->has(o)) return g.far->download(stream);
        const std::size_t offset = reinterpret_cast<std::uintptr_t>(here.data()) % 256;
        must(cudaMemcpyAsync(here.data(), there.data() + offset, here.size(), cudaMemcpyDefault,
                             stream),
             "download");
    });
    must(cudaStreamSynchronize(stream), "the work on the GPU");
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

outcome start_all(const gpu_running& g) {
    return start([&] {
        if (g.r.of.chained) make_a(g.r, g.there);
        start_call(g.r.of, g.r.on);
    });
}

bool is_want_of_memory(const gpu_running& g, const outcome& o) {
    if (o.returned || o.code != error_code::out_of_memory || !g.memory.was_full()) return false;
    ++g.r.count.no_memory;
    return true;
}

}  // namespace carat::fuzz
