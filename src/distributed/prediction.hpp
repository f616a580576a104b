// How long a schedule takes by the model that also decides into how many pieces faces are cut
// (steps.hpp): a rank's messages follow each other, products run in rounds of tiles, and pieces
// arrive while earlier ones are multiplied. Where K is cut, parts of C are sent in the same way.
#pragma once

#include "distributed/schedule.hpp"
#include "distributed/steps.hpp"

namespace carat::distributed {

// The defaults were measured on eight H200s, NVLink all to all: bf16 at 32768^3, send and receive
// of 2 GB; the latency is that of a small NCCL message.
struct links {
    double latency_s = 12e-6;
    double bytes_per_s = 361e9;  // of one rank, each way
    double flops = 697e12;       // of one rank
    double element_bytes = 2;
    double start_s = 6e-6;  // of a product
    double units = 132;     // SMs, each of which multiplies a tile of tile x tile at a time
    double tile = 128;
};

struct prediction {
    double multiply_s = 0;
    double move_inputs_s = 0;
    double move_output_s = 0;
    double time_s = 0;
    double efficiency = 1;  // of `ranks` times the rate of one, on the same product
};

[[nodiscard]] prediction predict(const schedule& plan, const links& over);

}  // namespace carat::distributed
