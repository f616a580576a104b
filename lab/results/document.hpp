// The results file (docs/results.md) as types. What is written can be read back: compare, report
// and --resume work on documents, never on text.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/results/chapter.hpp"
#include "lab/results/crossover.hpp"
#include "lab/results/format.hpp"
#include "lab/results/gpu_facts.hpp"
#include "lab/results/phases.hpp"
#include "lab/rows/operation.hpp"

namespace carat::results {

using library = rows::library_facts;

// One product, and as many threads as it may have.
struct product_case {
    std::string dtype;
    std::int64_t m = 0, n = 0, k = 0;
    int threads = 1;
    rows::call asked;  // beyond C = A B

    // The same text of the same case alone.
    [[nodiscard]] std::string id() const;
};

struct result : product_case {
    std::string implementation;  // its name, with its tunables where the file has it with several
    std::string device, computes_in;
    std::string layout = "nn";  // of A and B; "nn" also where an older file does not say
    int threads_used = 1;
    core::tunable_values tunables;  // all it has, with the values used
    library vendor;                 // name empty: not a vendor's

    bool available = false;
    std::string reason;
    bool verified = false;
    std::string verification = "none";
    int exact_passes = 0;  // passed
    double error_ulp = 0, error_bound_ulp = 0, max_abs_error = 0;
    double error_over_sqrt_k =
        0;  // error_ulp / sqrt(k): about 1 or less where roundings are random

    double prepare_s = 0, cold_s = 0;
    std::int64_t repetitions = 0;
    std::vector<double> trials_s;
    // How many of them each process gave, in their order. Trial r of process g ran in the same
    // round as that of any other result of the case. Empty: one process.
    std::vector<std::int64_t> trials_per_process;
    // What each trial lost to others: how often a thread of it lost its processor, seconds that its
    // threads were ready and had none, and seconds that the hypervisor's other guests took. Each is
    // empty where all are 0 or the system does not tell.
    std::vector<std::int64_t> trials_displaced;
    std::vector<double> trials_waited_s, trials_stolen_s;
    std::optional<double> hand_over_s;  // median, from one process to this one's
    std::string stop;
    // The share of the processors' time that other processes and guests took during the trials;
    // none: unknown.
    std::optional<double> background_cpu_share;
    // The share of its threads' time in trials that went by waiting for a processor.
    std::optional<double> waiting_share;
    std::string busy;    // why the figure bears no verdict: other work; empty: it does
    std::string remark;  // on how it ran where that bears on the figure; may be empty

    double flop = 0, arithmetic_intensity = 0;
    double mean_s = 0, sd_s = 0, min_s = 0, max_s = 0, median_s = 0;
    range ci95_median_s = unbounded, ci95_mean_s = unbounded;
    std::string ci_method;  // empty: no interval
    double autocorrelation = 0;
    bool few_trials = false;
    double median_gflops = 0;
    range ci95_gflops = unbounded;
    double roofline_gflops = 0, percent_of_roofline = 0;  // 0: no roofline was measured
    std::string bound;
    bool above_peak = false;
    int rank = 0;  // 0: not ranked
    std::string group;
    std::optional<phases> end_to_end;  // "phases" in the file; where they were asked for

    std::optional<gpu_facts> gpu;             // on a GPU whose driver tells
    std::vector<core::kernel_facts> kernels;  // of our own, on a GPU
    std::string plan;                         // how our own product proceeds; empty: not known

    [[nodiscard]] bool on_cpu() const { return device == rows::name(rows::device::cpu); }
    [[nodiscard]] bool ranked() const { return rank > 0; }
    // Ranked, or it would be had it or another of its case not been disturbed.
    [[nodiscard]] bool has_figure() const {
        return ranked() || (verified && !above_peak && !trials_s.empty());
    }
};

struct pair {
    std::string a, b;  // as in results
    double ratio = 1;  // throughput of a / throughput of b, medians
    range ci95_ratio = unbounded;
    std::string interval_over = {};  // "processes", "one process"; empty: there is no interval
    double confidence = 0;     // of the interval: 0.95 or more, so that all pairs hold together
    double df = 0, p = 1;      // p: the least alpha that decides the pair
    std::string verdict = {};  // of a against b, read off the interval
    double more_s = 0;  // of measuring as before, that would settle an unclear pair; 0: none,
                        // or far too long
};

struct comparison : product_case {
    std::string h0, h1;
    double alpha = 0.05;
    double f = 0, df1 = 0, df2 = 0, p = 1;
    std::string base;       // the second of every pair; empty: every pair is there
    double measured_s = 0;  // what the case took; 0: unknown
    std::vector<pair> pairs;

    // Either way round; null: not compared.
    [[nodiscard]] const pair* find(const std::string& a, const std::string& b) const;
};

struct document {
    std::string carat, revision, date, command;
    bool complete = false;
    nlohmann::json machine = nlohmann::json::object();
    nlohmann::json build = nlohmann::json::object();
    nlohmann::json settings = nlohmann::json::object();
    std::vector<result> results;
    std::vector<comparison> comparisons;
    std::vector<crossover> crossovers;
    std::vector<chapter> studies;
};

[[nodiscard]] nlohmann::json to_json(const document& doc);
[[nodiscard]] nlohmann::json to_json(const crossover& c);
[[nodiscard]] nlohmann::json to_json(const chapter& c);

// Throws carat::error naming `source` and the field that is missing or of the wrong type.
[[nodiscard]] document from_json(const nlohmann::json& json, const std::string& source);

// "name[a=1,b=2]", or the bare name without tunables.
[[nodiscard]] std::string label_of(const std::string& implementation,
                                   const core::tunable_values& tunables);

}  // namespace carat::results
