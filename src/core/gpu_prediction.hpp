// The predicted time of a product on this GPU, and its parts: tiles, bytes and the units' time, at
// the rates that were measured here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carat::core {

/// The two measured rates of this GPU that bound a product.
struct roofline_rates {
    double unit_gflops = 0;      // of the unit the product is computed on, all SMs, random data
    double memory_gb_per_s = 0;  // reading
};

struct gpu_prediction {
    std::string kind;        // of kernel: "single_tile", "cooperative", "pingpong", "thin", "fma",
                             // "in_place", "gemv"
    std::int64_t tiles = 0;  // of C, a share of K each
    std::int64_t at_once = 0;  // that the GPU has room for
    double waves = 0;          // tiles / at_once
    double idle_share = 0;     // of the room, all waves taken together

    double memory_bytes = 0;  // read, with what comes again
    double l2_bytes = 0;      // read by all tiles
    double stored_bytes = 0;
    double packed_bytes = 0;  // read and written before the product

    struct part {
        std::string_view name;
        double time_s;
        // These run at the same time: the longest counts, and a share of the others.
        bool at_once_with_others;
    };
    std::vector<part> parts;
    double time_s = 0;
    double low_s = 0;  // where four of five measured ones lie
    double high_s = 0;
};

}  // namespace carat::core
