// What a product made ready tells of itself, for people and for models.
#pragma once

#include <cstdint>
#include <string>

namespace carat::core {

// What one of an implementation's GPU kernels takes of a multiprocessor.
struct kernel_facts {
    std::string name;
    int threads = 0;       // in a block
    int registers = 0;     // of each thread
    int local_bytes = 0;   // of each thread: spilled registers and arrays the compiler can't place
    int shared_bytes = 0;  // of each block
    double occupancy = 0;  // threads resident on a multiprocessor over the most it can hold
};

// How a product is cut and why. Sizes are in the kernel's own turn, in which A and B may have
// changed places. 0: not cut that way; without mc nothing is packed.
struct plan_facts {
    std::string why;  // lines of text; empty where nothing is known
    std::int64_t rows = 0, cols = 0;
    std::int64_t mr = 0, nr = 0;          // sums in registers
    std::int64_t mc = 0, nc = 0, kc = 0;  // blocks of A are mc x kc, panels of B kc x nc
    int threads_m = 1, threads_n = 1;     // rectangles of C, one a thread
    bool keeps_c = false;                 // sums leave the nearest large cache once, complete
};

}  // namespace carat::core
