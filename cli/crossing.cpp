#include "cli/crossing.hpp"

#include "lab/crossover/results.hpp"

namespace carat::cli {

namespace {

// Sizes are added until those around a crossing are this close to each other.
constexpr double closest_ratio = 1.15;

}  // namespace

std::vector<crossover::crossing> crossings_of(const results::document& doc,
                                              const request::measurement& r) {
    statistics::bootstrap_options how;
    how.seed = r.seed;
    return crossover::find_crossings(
        crossover::trials_of(doc, std::string(name(r.types.front())), r.threads.front()), how);
}

void follow_crossings(session_options& options, const request::measurement& r) {
    options.next_sizes = [&r](const results::document& doc) {
        std::vector<request::shape> next;
        for (const std::int64_t n : crossover::sizes_between(crossings_of(doc, r), closest_ratio))
            next.push_back({n, n, n});
        return next;
    };
    options.conclude = [&r](results::document& doc) {
        doc.crossovers = crossover::told(crossings_of(doc, r), std::string(name(r.types.front())),
                                         r.threads.front(), std::string(request::name(*r.phases)));
    };
}

}  // namespace carat::cli
