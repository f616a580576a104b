#include "lab/session/end_to_end.hpp"

#include "lab/statistics/bootstrap.hpp"
#include "lab/statistics/replicates.hpp"
#include "lab/workload/workload.hpp"

namespace carat::session {

namespace {

results::phase summarized(std::string_view name, std::span<const double> trials_s,
                          std::uint64_t seed) {
    statistics::bootstrap_options how;
    how.seed = seed;
    const statistics::bootstrap_interval median = statistics::bootstrap(trials_s, how).median;
    // The interval is over this process's trials; for a few it would be their range.
    if (trials_s.size() < statistics::fewest_rounds)
        return {std::string(name), median.estimate, results::unbounded};
    return {std::string(name), median.estimate, {median.percentile.lower, median.percentile.upper}};
}

}  // namespace

end_to_end::end_to_end(const rows::operation& all, space::execution_space& device,
                       rows::runnable& ready, const core::operands& host, measure::laps clock)
    : all_(all), device_(device), stages_(ready.stages()), host_(host), clock_(std::move(clock)) {}

void end_to_end::run() {
    const workload::operand_bytes needed = workload::bytes_needed(all_);
    const auto size = [](std::int64_t bytes) { return static_cast<std::size_t>(bytes); };
    clock_.start();
    {
        const space::buffer a(device_, size(needed.a));
        const space::buffer b(device_, size(needed.b));
        const space::buffer c(device_, size(needed.c));
        clock_.lap("allocate");
        device_.upload(a.data(), host_.a, size(needed.a));
        device_.upload(b.data(), host_.b, size(needed.b));
        if (all_.one.beta != 0) device_.upload(c.data(), host_.c, size(needed.c));
        clock_.lap("copy_in");
        for (const rows::stage& stage : stages_) {
            stage.run({a.data(), b.data(), c.data()});
            device_.wait();
            clock_.lap(stage.name);
        }
        device_.download(host_.c, c.data(), size(needed.c));
        clock_.lap("copy_out");
    }
    clock_.lap("free");
}

measure::candidate end_to_end::candidate() {
    return {.run = [this] { run(); },
            .space = &space::host_space(),
            .trial_begins = [this] { clock_.begin_trial(); },
            .trial_ends = [this] { clock_.end_trial(); }};
}

results::phases end_to_end::phases(const measure::series& total, std::uint64_t seed) const {
    results::phases out;
    out.total_trials_s = total.trials_s;
    out.repetitions = total.repetitions;
    out.stop = measure::name(total.stop);
    for (const measure::part& part : clock_.parts())
        out.parts.push_back(summarized(part.name, part.trials_s, seed));
    out.total = summarized("total", total.trials_s, seed);
    return out;
}

}  // namespace carat::session
