// The counts. Bytes follow from the tiles, and so do wavefronts. Instructions are of the loop over
// K, summed over the warps of a CTA and rounded: those of steps 1 to 7, 11 to 13, 21 and 22 were
// counted on the path of whole tiles, compiled for 9.0 by nvcc 13.0 (`cuobjdump -sass`). The
// instructions of the others, and the wavefronts of WMMA, are estimates from the source, and marked
// `estimated`. Waits and ends are estimates in every step.
#include "lab/explain/steps.hpp"

#include <array>

namespace carat::explain {

namespace {

// mma.sync does so much of what wgmma does on the same tensor cores (results/h200/mma_peak.json).
constexpr double by_mma_sync = 0.66;
// Estimates, in cycles of an SM: from the order for a copy to its arrival, and for 48 KB at 64
// bytes a cycle.
constexpr double latency = 700, transfer = 768;

// What steps have in common, but for their counts.
constexpr gpu_step threads_on_f32 = {
    .counted_for = "f32", .unit = "ffma", .tile_m = 32, .tile_n = 32, .tile_k = 1, .ctas = 2};
constexpr gpu_step shared_f32 = {
    .counted_for = "f32", .unit = "ffma", .tile_m = 32, .tile_n = 32, .tile_k = 32, .ctas = 2};
constexpr gpu_step registers_f32 = {
    .counted_for = "f32", .unit = "ffma", .tile_m = 128, .tile_n = 128, .tile_k = 16, .ctas = 2};
constexpr gpu_step wmma_f16 = {.counted_for = "f16",
                               .unit = "tensor f16",
                               .unit_share = by_mma_sync,
                               .tile_m = 32,
                               .tile_n = 32,
                               .tile_k = 16,
                               .ctas = 8};
constexpr gpu_step wgmma_bf16 = {
    .counted_for = "bf16", .unit = "tensor bf16", .tile_m = 128, .tile_n = 256, .tile_k = 64};

constexpr gpu_step parts_by_wgmma = [] {
    gpu_step of = wgmma_bf16;
    of.in_rounds = false;
    return of;
}();
constexpr gpu_step by_mma_of(std::string_view type, std::string_view unit) {
    gpu_step of = wgmma_bf16;
    of.counted_for = type;
    of.unit = unit;
    of.unit_share = by_mma_sync;
    return of;
}
constexpr gpu_step mma_bf16 = by_mma_of("bf16", "tensor bf16");
constexpr gpu_step shared_f16 = by_mma_of("f16", "tensor f16");
constexpr gpu_step rounded_f32 = by_mma_of("f32", "tensor f16");

struct instructions {
    double count;
    bool estimated = false;
};
constexpr instructions about(double count) {
    return {count, true};
}

constexpr gpu_step step(std::string_view name, gpu_step of, instructions issued, double bytes,
                        double wavefronts, double waits, double ends, std::string_view next) {
    of.implementation = name;
    of.instructions = issued.count;
    of.estimated = issued.estimated;
    of.bytes = bytes;
    of.wavefronts = wavefronts;
    of.waits = waits;
    of.ends = ends;
    of.next = next;
    return of;
}

// name, tile, instructions, bytes, wavefronts, waits and ends, what the next step changes
constexpr std::array of_gpu = {
    step("cuda.ladder.naive", threads_on_f32, {300}, 256, 1056, 0, 0,
         "threads of a warp lie along a row, so that a load takes one line instead of 32"),
    step("cuda.ladder.coalesced", threads_on_f32, {300}, 256, 64, 0, 0,
         "a tile of each operand is copied to shared memory and used 32 times there"),
    step("cuda.ladder.tiled", shared_f32, {3872}, 8192, 1344, latency, 0,
         "a thread has 8 x 8 sums, so that a number loaded serves eight of them"),
    step("cuda.ladder.register_tiled", registers_f32, {11840}, 16384, 2144, latency, 0,
         "numbers are loaded four at a time, by a quarter of the instructions"),
    step("cuda.ladder.vectorised", registers_f32, {9400}, 16384, 1440, latency, 0,
         "cp.async copies the next tiles while these are multiplied"),
    step("cuda.ladder.double_buffered", registers_f32, {9500}, 16384, 1440, 0, 0,
         "a warp covers 64 x 32 of C, so that it reads fewer different words"),
    step("cuda.ladder.warp_tiled", registers_f32, {9400}, 16384, 1152, 0, 0,
         "A is turned before (step 21), which saves copies of four bytes"),
    step("cuda.ladder.wmma", wmma_f16, about(240), 4096, 128, latency, 0,
         "tiles in shared memory, each fragment of which is used four times"),
    step("cuda.ladder.wmma_shared", shared_f16, about(2600), 49152, 1500, 0, 0,
         "f32 matrices are rounded to f16 first (step 10); step 11 writes the same by mma.sync"),
    step("cuda.ladder.wmma_converted", rounded_f32, about(2600), 49152, 1500, 0, 0,
         "fragments are loaded by ldmatrix and multiplied by mma.sync, in the open"),
    step("cuda.ladder.mma", mma_bf16, {1900}, 49152, 8576, latency + transfer, 4000,
         "chunks of shared memory are swizzled, so that eight rows lie in eight banks"),
    step("cuda.ladder.swizzled", mma_bf16, {1950}, 49152, 1408, latency + transfer, 4000,
         "copies of three further stages are under way while one is multiplied"),
    step("cuda.ladder.staged", mma_bf16, {2400}, 49152, 1408, 0, 5000,
         "TMA copies on the order of one thread, where 256 threads gave twelve each"),
    step("cuda.ladder.tma", mma_bf16, about(1800), 49152, 1408, 0, 5000,
         "wgmma reads both operands from shared memory, and reaches the full rate"),
    step("cuda.ladder.wgmma", wgmma_bf16, about(400), 49152, 1024, 250, 5000,
         "producer and consumers meet at barriers of a stage; nobody waits for everybody"),
    step("cuda.ladder.specialised", wgmma_bf16, about(530), 49152, 1024, 0, 5000,
         "two CTAs load B once for both, which takes a third of the bytes off L2"),
    step("cuda.ladder.multicast", wgmma_bf16, about(550), 32768, 1024, 0, 5000,
         "CTAs stay, and the copies of the next tile begin during this one"),
    step("cuda.ladder.persistent", wgmma_bf16, about(560), 32768, 1024, 0, 4000,
         "C goes out by TMA from staging tiles, while the next tile is multiplied"),
    step("cuda.ladder.deferred_store", wgmma_bf16, about(560), 32768, 1024, 0, 1500,
         "the tiles of the last round are cut along K, so that every SM has as much to do"),
    step("cuda.ladder.stream_k", parts_by_wgmma, about(690), 32768, 1024, 0, 1500, ""),
    step("cuda.ladder.turned", registers_f32, {9056}, 16384, 1152, 0, 0,
         "a thread has 16 x 8 sums: six loads for 128 multiply-adds instead of four for 64"),
    step("cuda.ladder.wide", registers_f32, {8760}, 16384, 896, 0, 0, ""),
};

constexpr std::string_view chain = "the chain of additions";
constexpr std::string_view stores = "stores of C, one each";
constexpr std::string_view multiplies = "multiply-adds, two a cycle";

constexpr std::array<cpu_step, 18> of_cpu = {{
    {"cpu.ladder.naive", -1, 2, chain, model::order::ijk, false,
     "the two inner loops trade places, so that B is read in rows"},
    {"cpu.ladder.reordered", 128, 1, stores, model::order::ikj, false,
     "B is transposed first instead, or cut into tiles that stay in a cache (steps 3 and 4)"},
    {"cpu.ladder.transposed_b", -1, 2, chain, std::nullopt, false,
     "the matrices are cut into tiles that stay in a cache"},
    {"cpu.ladder.tiled", -1, 2, chain, model::order::tiled_ijk, false,
     "inside a tile the loops trade places as in step 2"},
    {"cpu.ladder.tiled_reordered", 128, 1, stores, model::order::tiled_ikj, false,
     "tiles of C are shared out among threads"},
    {"cpu.ladder.openmp", 128, 1, stores, model::order::tiled_ikj, true,
     "a queue hands out tiles, so that a slow thread takes fewer"},
    {"cpu.ladder.threads", 128, 1, stores, model::order::tiled_ikj, true,
     "one core again, with the widest vectors that it has"},
    {"cpu.ladder.simd", 0, 1, stores, model::order::tiled_ikj, false,
     "sums stay in registers while K runs: a store for each K becomes one at its end"},
    {"cpu.ladder.register_tile", 0, 0.5, multiplies, std::nullopt, false,
     "tiles are copied into the order of use, where rows of A and B are streams far apart"},
    {"cpu.ladder.packing", 0, 0.5, multiplies, std::nullopt, false,
     "the next tile of C is asked for ahead"},
    {"cpu.ladder.prefetch", 0, 0.5, multiplies, std::nullopt, false,
     "each level of the memory gets a block of its own size, so that copies serve longer"},
    {"cpu.ladder.multi_level", 0, 0.5, multiplies, std::nullopt, false,
     "few rows read B where it lies (step 13); all cores share the work (14 and 15)"},
    {"cpu.ladder.few_rows", 0, 0.5, multiplies, std::nullopt, false,
     "the rows of C are shared out among threads"},
    {"cpu.ladder.parallel_rows", 0, 0.5, multiplies, std::nullopt, true,
     "threads pack B together, once, and share C in both dimensions"},
    {"cpu.ladder.parallel_shared", 0, 0.5, multiplies, std::nullopt, true,
     "tile registers multiply 16 x 32 by 32 x 16 of bf16 in one instruction"},
    {"cpu.ladder.amx", 0, 0.5, "products of tile registers", std::nullopt, true,
     "sums of a block of C stay in L2 over all of K, and C is written once"},
    {"cpu.ladder.amx_blocked", 0, 0.5, "products of tile registers", std::nullopt, true,
     "a large C leaves past the caches while the next tile is multiplied"},
    {"cpu.ladder.amx_streamed", 0, 0.5, "products of tile registers", std::nullopt, true, ""},
}};

}  // namespace

std::span<const gpu_step> gpu_steps() {
    return of_gpu;
}
std::span<const cpu_step> cpu_steps() {
    return of_cpu;
}

std::string_view step_named(std::string_view text, bool on_gpu) {
    const auto is_meant = [&](std::string_view name) {
        return name == text || (name.ends_with(text) && !text.empty() &&
                                name[name.size() - text.size() - 1] == '.');
    };
    std::string_view on_cpu;
    for (const cpu_step& s : of_cpu)
        if (is_meant(s.implementation)) on_cpu = s.implementation;
    if (!on_cpu.empty() && !on_gpu) return on_cpu;
    for (const gpu_step& s : of_gpu)
        if (is_meant(s.implementation)) return s.implementation;
    return on_cpu;
}

}  // namespace carat::explain
