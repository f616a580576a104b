// A study: a question of the source documents, as sessions to measure and a chapter to read. It
// runs with what the machine has, and its chapter says what was not run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "lab/request/request.hpp"
#include "lab/results/document.hpp"
#include "lab/study/chapter.hpp"
#include "lab/study/published.hpp"

namespace carat::study {

enum class extent : std::uint8_t {
    quick,  // under a minute on two cores
    usual,  // some minutes
    full,   // the document's sizes and trials
};

[[nodiscard]] std::string_view name(extent e);

struct options {
    extent how_much = extent::usual;
    bool as_published = false;  // also repeat the original's method where it misled
    int threads = 1;            // of CPU products that use several
    bool on_gpu = false;        // there is one that can be used
    std::uint64_t seed = 1;
    std::vector<dtype> types = {};  // instead of the document's, for a study that takes them
    double most_budget_s = 1e9;     // for each implementation and case, where a study has more
};

// One interleaved session. The sessions of a study never share a case (type, size, threads, call).
struct part {
    request::measurement request;
    bool finds_crossing = false;  // sizes are added where a GPU starts to win, with its phases
};

struct definition {
    std::string_view name;
    std::string_view title;
    std::string_view question;
    std::vector<part> (*parts)(const options&);
    // Writes the chapter from the results of all parts that were measured.
    chapter (*tell)(const results::document&, const options&);
    // Measures what is not a single product and adds it to the chapter, or null.
    void (*add)(chapter&, const options&, const std::function<bool()>& interrupted) = nullptr;
    const published::source* document = nullptr;  // that asks the question, with its hardware
    bool takes_types = false;                     // see options::types
};

// Listed in the order in which `carat study all` runs them.
[[nodiscard]] std::span<const definition> studies();

// The studies with these names, separated by commas, or "all". Throws carat::error with the nearest
// and all names if one is unknown.
[[nodiscard]] std::vector<const definition*> find(std::string_view names);

extern const definition five_algorithms;
extern const definition crossover;
extern const definition ladder;
extern const definition tile_size;
extern const definition precision;
extern const definition workloads;

}  // namespace carat::study
