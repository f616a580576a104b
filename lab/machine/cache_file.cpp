// Keeps a measurement together with the full description of its machine, so that a file of another
// machine, version or set of units is recognised by its contents, not only by its name. If anything
// is odd about a file, it is measured again.
#include "lab/machine/cache_file.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <carat/error.hpp>

#include "files/read.hpp"
#include "lab/files/document.hpp"
#include "lab/files/draft.hpp"
#include "lab/files/fields.hpp"
#include "lab/machine/memory_levels.hpp"
#include "lab/machine/plan.hpp"

namespace carat::machine {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

json identity(const owner& whose) {
    return {{"carat", CARAT_VERSION}, {"machine", whose.identity}};
}

// FNV-1a, which unlike std::hash is the same in every program.
std::uint64_t hash(std::string_view text) {
    std::uint64_t h = 14695981039346656037u;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h;
}

fs::path file_for(const owner& whose, const fs::path& directory) {
    char name[40];
    std::snprintf(name, sizeof name, "peaks-%016llx.json",
                  static_cast<unsigned long long>(hash(identity(whose).dump())));
    return directory / name;
}

double age_of(const peaks& limits) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count() - static_cast<double>(limits.measured_at_s);
}

// The better of both figures, and those that only `known` has.
template <class Peak, class Same>
void keep_better(std::vector<Peak>& fresh, const std::vector<Peak>& known, double Peak::*rate,
                 Same same) {
    std::vector<Peak> others;
    for (const Peak& old : known) {
        const auto now =
            std::ranges::find_if(fresh, [&](const Peak& peak) { return same(peak, old); });
        if (now == fresh.end())
            others.push_back(old);
        else if (old.*rate > (*now).*rate)
            *now = old;
    }
    fresh.insert(fresh.end(), others.begin(), others.end());
}

void keep_better(peaks& fresh, const peaks& known, const owner& whose) {
    keep_better(fresh.compute, known.compute, &compute_peak::gflops,
                [](const compute_peak& a, const compute_peak& b) {
                    return a.unit == b.unit && a.type == b.type && a.threads == b.threads;
                });
    keep_better(fresh.reading, known.reading, &reading_peak::gb_per_s,
                [](const reading_peak& a, const reading_peak& b) {
                    return a.threads == b.threads && a.working_set_bytes == b.working_set_bytes;
                });
    if (whose.levels)
        fresh.bandwidth = whose.levels(fresh.reading);
    else
        keep_better(fresh.bandwidth, known.bandwidth, &bandwidth_peak::gb_per_s,
                    [](const bandwidth_peak& a, const bandwidth_peak& b) {
                        return a.level == b.level && a.threads == b.threads;
                    });
}

}  // namespace

// The momentary clock changes no peak.
owner owner_of(const description& machine, const std::vector<int>& threads) {
    json key = to_json(machine);
    key.erase("frequency_mhz");
    return {
        key,
        [plan = plan_measurement(machine, threads)](const peaks& limits) {
            return covers(limits, plan);
        },
        [machine](const std::vector<reading_peak>& curve) { return levels_of(machine, curve); }};
}

std::optional<peaks> load_kept(const owner& whose, const measure_options& options,
                               const cache_options& kept) {
    if (kept.directory.empty()) return {};
    try {
        const fs::path at = file_for(whose, kept.directory);
        const json file = files::parse(files::read(at), at.string());
        const files::fields in(file, at.string() + ":", "not what carat keeps there");
        if (in.at("identity") != identity(whose)) return {};
        peaks limits = peaks_from_json(in.at("peaks"));
        limits.age_s = age_of(limits);
        // One second of tolerance: measured_at_s is a whole number.
        if (limits.age_s < -1 || limits.age_s > kept.max_age_s) return {};
        if (options.thorough && !limits.thorough) return {};
        if (!whose.covered_by(limits)) return {};
        limits.age_s = std::max(0.0, limits.age_s);
        return limits;
    } catch (const error&) {
        return {};
    }
}

// Written whole or not at all. What is not kept is measured again, so failures do not matter.
void keep(const owner& whose, const peaks& limits, const cache_options& kept) {
    if (kept.directory.empty()) return;
    std::error_code ignored;
    fs::create_directories(kept.directory, ignored);
    files::draft next(file_for(whose, kept.directory));
    const json all = {{"identity", identity(whose)}, {"peaks", to_json(limits)}};
    if (next.write(all.dump(1) + "\n")) next.take_place();
}

peaks load_or_measure(const owner& whose, const measuring& measure, const measure_options& options,
                      const cache_options& kept) {
    if (std::optional<peaks> limits = load_kept(whose, options, kept)) return *limits;
    peaks limits = measure();
    keep(whose, limits, kept);
    return limits;
}

peaks refresh(const owner& whose, const measuring& measure, const peaks& known,
              const cache_options& kept) {
    peaks fresh = measure();
    keep_better(fresh, known, whose);
    keep(whose, fresh, kept);
    return fresh;
}

peaks load_or_measure(const description& machine, const measure_options& options,
                      const cache_options& kept) {
    const owner whose = owner_of(machine, options.threads);
    const auto measure = [&] { return measure_peaks(machine, options); };
    if (!options.threads.empty() && !load_kept(whose, options, kept))
        if (const auto others = load_kept(owner_of(machine), options, kept))
            return refresh(whose, measure, *others, kept);
    return load_or_measure(whose, measure, options, kept);
}

peaks refresh(const description& machine, const peaks& known, const measure_options& options,
              const cache_options& kept) {
    const auto measure = [&] { return measure_peaks(machine, options); };
    return refresh(owner_of(machine), measure, known, kept);
}

}  // namespace carat::machine
