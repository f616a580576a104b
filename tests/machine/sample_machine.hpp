// Machines and peaks with round numbers, and a folder of files that lasts for one test.
#pragma once

#include <string>

#include "lab/machine/peaks.hpp"
#include "tests/support/scratch_folder.hpp"

namespace carat::machine {

// Four cores with two threads each; 32 KiB and 512 KiB a core, 8 MiB for all.
inline description sample_machine() {
    description machine;
    machine.cpu_model = "Sample 4000";
    machine.vendor = "GenuineSample";
    machine.os = "Sample Linux";
    machine.kernel = "Linux 1.0";
    machine.cores = 4;
    machine.hardware_threads = 8;
    machine.threads_per_core = 2;
    machine.numa_nodes = 1;
    machine.memory_bytes = std::int64_t{16} << 30;
    machine.isa = {"x86-64", "avx2", "avx512"};
    machine.isa_in_use = core::isa::avx512;
    machine.caches = {{1, "data", 32 << 10, 64, 8, 2},
                      {1, "instruction", 32 << 10, 64, 8, 2},
                      {2, "unified", 512 << 10, 64, 8, 2},
                      {3, "unified", 8 << 20, 64, 16, 8}};
    machine.core_cpus = {0, 2, 4, 6};
    return machine;
}

inline peaks sample_peaks() {
    using core::isa;
    peaks limits;
    limits.compute = {
        {"avx2 fma", dtype::f64, isa::avx2, 1, 50, 0.01, 9},
        {"avx2 fma", dtype::f64, isa::avx2, 4, 180, 0.01, 9},
        {"avx512 fma", dtype::f64, isa::avx512, 1, 100, 0.01, 9},
        {"avx512 fma", dtype::f64, isa::avx512, 4, 360, 0.01, 9},
        {"avx512 fma", dtype::f32, isa::avx512, 1, 200, 0.01, 9},
        {"avx512 mul+add", dtype::i32, isa::avx512, 1, 80, 0.01, 9},
        {"avx512 bf16 dot", dtype::bf16, isa::avx512, 1, 90, 0.01, 9},
    };
    limits.bandwidth = {{"L1", 1, 400, 0.01, 9, 32768},   {"L2", 1, 200, 0.01, 9, 524288},
                        {"L3", 1, 40, 0.01, 9, 8388608},  {"DRAM", 1, 10, 0.01, 9, 134217728},
                        {"L1", 4, 1600, 0.01, 9, 32768},  {"L2", 4, 800, 0.01, 9, 524288},
                        {"L3", 4, 120, 0.01, 9, 2097152}, {"DRAM", 4, 25, 0.01, 9, 33554432}};
    // What a set is read at: the rate of the first level that holds it.
    for (const int threads : {1, 4})
        for (std::int64_t bytes = 16384; bytes <= 134217728 / threads; bytes *= 2)
            for (const bandwidth_peak& level : limits.bandwidth) {
                if (level.threads != threads || level.working_set_bytes < bytes) continue;
                limits.reading.push_back({threads, bytes, level.gb_per_s, 0.01, 9});
                break;
            }
    limits.measured_at_s = 1'700'000'000;
    return limits;
}

using test::scratch_folder;

}  // namespace carat::machine
