// What a prepared product reports of itself, for people and for models.
#pragma once

#include <cstdint>
#include <string>

namespace carat::core {

// The resources of an SM that one of an implementation's kernels takes.
struct kernel_facts {
    std::string name;
    int threads = 0;       // in a block
    int registers = 0;     // of each thread
    int local_bytes = 0;   // of each thread: spilled registers and arrays the compiler can't place
    int shared_bytes = 0;  // of each block
    double occupancy = 0;  // threads resident on a multiprocessor over the most it can hold
};

// How a product is divided and why. Sizes are the kernel's, which may have swapped A and B. 0 means
// not divided that way; without mc nothing is packed.
struct plan_facts {
    std::string why;  // lines of text; empty where nothing is known
    std::int64_t rows = 0, cols = 0;
    std::int64_t mr = 0, nr = 0;          // sums in registers
    std::int64_t mc = 0, nc = 0, kc = 0;  // blocks of A are mc x kc, panels of B kc x nc
    int threads_m = 1, threads_n = 1;     // rectangles of C, one a thread
    bool keeps_c = false;                 // sums leave the nearest large cache once, complete
};

}  // namespace carat::core
