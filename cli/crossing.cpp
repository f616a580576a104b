#include "cli/crossing.hpp"

#include "lab/crossover/crossover.hpp"

namespace carat::cli {

namespace {

// Sizes are added until those around a crossing are this close to each other.
constexpr double closest_ratio = 1.15;

std::vector<results::crossover> crossings_of(const results::document& doc,
                                             const request::measurement& r) {
    statistics::bootstrap_options how;
    how.seed = r.seed;
    const std::string type(name(r.types.front()));
    const int threads = r.threads.front();
    std::vector<results::crossover> found =
        crossover::find_crossings(crossover::trials_of(doc, type, threads), how);
    for (results::crossover& c : found) {
        c.dtype = type;
        c.threads = threads;
        c.host_memory = request::name(*r.phases);
    }
    return found;
}

}  // namespace

void follow_crossings(session_options& options, const request::measurement& r) {
    options.next_sizes = [&r](const results::document& doc) {
        std::vector<request::shape> next;
        for (const std::int64_t n : crossover::sizes_between(crossings_of(doc, r), closest_ratio))
            next.push_back({n, n, n});
        return next;
    };
    options.conclude = [&r](results::document& doc) { doc.crossovers = crossings_of(doc, r); };
}

}  // namespace carat::cli
