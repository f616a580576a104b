// How long a schedule takes by a model of latency and bandwidth: a rank's messages follow each
// other, products run at one rate, and pieces of A and B arrive while earlier ones are multiplied.
//
//     time = max(products, arrivals + the last product) + what C takes to be added up
#pragma once

#include "distributed/schedule.hpp"

namespace carat::distributed {

// The defaults were measured on eight H200s, NVLink all to all: bf16 at 32768^3, send and receive
// of 2 GB; the latency is that of a small NCCL message.
struct links {
    double latency_s = 12e-6;
    double bytes_per_s = 361e9;  // of one rank, each way
    double flops = 697e12;       // of one rank
    double element_bytes = 2;
};

struct prediction {
    double multiply_s = 0;
    double move_inputs_s = 0;
    double move_output_s = 0;
    double time_s = 0;
    double efficiency = 1;  // of `ranks` times the rate of one
};

[[nodiscard]] prediction predict(const schedule& plan, const links& over);

}  // namespace carat::distributed
