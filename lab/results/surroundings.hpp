// What reports, comparisons and studies read of a document's machine, build and settings. Anything
// else there is free, as docs/results.md promises to its readers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/results/document.hpp"

namespace carat::results {

struct measured_peak {
    std::string of;     // the unit that computes, or the level of the memory
    std::string dtype;  // of arithmetic; may be empty
    std::int64_t threads = 0;
    double rate = 0;  // GFLOP/s or GB/s
};

struct measured_peaks {
    std::vector<measured_peak> compute, bandwidth;
};

struct gpu_seen {
    std::string name = "GPU";
    std::map<std::string, std::string> versions;  // of "driver", "cuda_driver" and "cuda_runtime"
    measured_peaks peaks;
};

struct data_cache {
    std::int64_t size_bytes = 0;
    int level = 0;
};

struct surroundings {
    std::string cpu_model = "an unknown processor";
    std::string hypervisor;  // empty: none is known
    std::vector<data_cache> caches;
    measured_peaks peaks;  // of the CPU
    std::vector<gpu_seen> gpus;
    bool is_debug_build = false;
    double equivalence_margin = 0;  // 0: not recorded

    // The GPU in use, whose peaks were measured, or else the first; null: there is none.
    [[nodiscard]] const gpu_seen* gpu_in_use() const;
};

// Throws carat::error naming the field that is missing or of the wrong type, with `where` before
// it; never for a document that was read.
[[nodiscard]] surroundings surroundings_of(const document& doc, const std::string& where = "");

// A value as text: of a string what it says, of anything else its JSON.
[[nodiscard]] std::string text_of(const nlohmann::json& value);

// A field of the machine, the build or the settings as text; "not recorded" where it is absent.
[[nodiscard]] std::string recorded(const nlohmann::json& owner, const char* field);

}  // namespace carat::results
