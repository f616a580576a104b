// Where and how a product runs: the optional first argument of a call.
#pragma once

namespace carat {

// On the CPU with at most `threads` threads; 0 takes what OMP_NUM_THREADS or the machine offers.
struct cpu {
    int threads = 0;
};

}  // namespace carat
