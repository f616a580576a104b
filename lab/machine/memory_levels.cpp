#include "lab/machine/memory_levels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "lab/machine/plan.hpp"

namespace carat::machine {

namespace {

// A set cannot be read faster than a smaller one; if it seems so, the smaller one was disturbed.
std::vector<reading_peak> without_dips(std::vector<reading_peak> curve) {
    std::ranges::sort(curve, {}, &reading_peak::working_set_bytes);
    for (std::size_t i = curve.size(); i-- > 1;)
        if (curve[i - 1].gb_per_s < curve[i].gb_per_s) {
            const std::int64_t bytes = curve[i - 1].working_set_bytes;
            curve[i - 1] = curve[i];
            curve[i - 1].working_set_bytes = bytes;
        }
    return curve;
}

using plateau = std::span<const reading_peak>;

std::int64_t end_of(plateau one) {
    return one.back().working_set_bytes;
}

// Finds runs of sizes, each read nearly as fast as the one before, that span at least a factor of
// two: the slopes between levels have shorter ones. At the ends of the curve even short runs may be
// a level.
std::vector<plateau> plateaus_of(plateau curve) {
    constexpr double nearly = 0.92;
    constexpr double least_factor = 1.9;  // sizes are whole pages
    std::vector<plateau> found;
    for (std::size_t first = 0, next = 0; first < curve.size(); first = next) {
        while (++next < curve.size() && curve[next].gb_per_s > nearly * curve[next - 1].gb_per_s) {
        }
        const plateau run = curve.subspan(first, next - first);
        const double factor =
            static_cast<double>(end_of(run)) / static_cast<double>(run.front().working_set_bytes);
        if (factor >= least_factor || first == 0 || next == curve.size()) found.push_back(run);
    }
    return found;
}

struct known_cache {
    std::string name;
    std::int64_t bytes;  // what a thread has of it
};

std::vector<known_cache> caches_of(const description& machine, int threads) {
    std::vector<known_cache> caches;
    for (int level = 1; level <= 3; ++level)
        if (const cache* c = data_cache(machine, level); c != nullptr && c->size_bytes > 0)
            caches.push_back(
                {"L" + std::to_string(level), c->size_bytes / sharing_cores(machine, *c, threads)});
    return caches;
}

// Joins the most similar plateaus until at most `most` remain.
void join(std::vector<plateau>& all, std::size_t most) {
    while (all.size() > std::max<std::size_t>(1, most)) {
        std::size_t at = 1;
        const auto drop = [&](std::size_t i) {
            return all[i - 1].front().gb_per_s / all[i].front().gb_per_s;
        };
        for (std::size_t i = 2; i < all.size(); ++i)
            if (drop(i) < drop(at)) at = i;
        all[at - 1] = {all[at - 1].data(), all[at].data() + all[at].size()};
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

// Chooses, of the caches from `first` on that leave one for each of the `after` later plateaus, the
// one whose share is nearest to the end of this plateau.
std::size_t nearest(std::span<const known_cache> caches, std::size_t first, std::size_t after,
                    std::int64_t end_bytes) {
    const auto distance = [&](std::size_t i) {
        return std::abs(
            std::log(static_cast<double>(caches[i].bytes) / static_cast<double>(end_bytes)));
    };
    std::size_t best = first;
    for (std::size_t i = first + 1; i + after < caches.size(); ++i)
        if (distance(i) < distance(best)) best = i;
    return best;
}

std::vector<bandwidth_peak> levels_for(const description& machine,
                                       std::span<const reading_peak> curve) {
    const int threads = curve.front().threads;
    const std::vector<known_cache> caches = caches_of(machine, threads);
    std::vector<plateau> plateaus = plateaus_of(curve);
    const bool reaches_memory =
        caches.empty() || end_of(plateaus.back()) >= 2 * caches.back().bytes;
    join(plateaus, caches.size() + (reaches_memory ? 1 : 0));
    const std::size_t in_caches = plateaus.size() - (reaches_memory ? 1 : 0);
    std::vector<bandwidth_peak> levels;
    for (std::size_t i = 0, next = 0; i < plateaus.size(); ++i) {
        std::string name = "DRAM";
        if (i < in_caches) {
            const std::size_t at = nearest(caches, next, in_caches - i - 1, end_of(plateaus[i]));
            name = caches[at].name;
            next = at + 1;
        }
        const reading_peak& best = plateaus[i].front();
        levels.push_back(
            {name, threads, best.gb_per_s, best.spread, best.rounds, end_of(plateaus[i])});
    }
    return levels;
}

}  // namespace

std::vector<bandwidth_peak> levels_of(const description& machine,
                                      const std::vector<reading_peak>& curve) {
    std::map<int, std::vector<reading_peak>> by_threads;
    for (const reading_peak& point : curve) by_threads[point.threads].push_back(point);
    std::vector<bandwidth_peak> levels;
    for (auto& [threads, points] : by_threads) {
        const std::vector<reading_peak> smooth = without_dips(std::move(points));
        const std::vector<bandwidth_peak> own = levels_for(machine, smooth);
        levels.insert(levels.end(), own.begin(), own.end());
    }
    return levels;
}

}  // namespace carat::machine
