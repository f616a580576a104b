#include "lab/session/phase_trials.hpp"

#include <exception>

#include "lab/verify/verify.hpp"

namespace carat::session {

void phase_trials::lock_pages(space::execution_space& device, const core::operands& host) {
    if (where_ != request::host_memory::pinned || !locks_.empty()) return;
    const workload::operand_bytes needed = workload::bytes_needed(all_);
    const auto lock = [&](const void* memory, std::int64_t bytes) {
        locks_.emplace_back(device, const_cast<void*>(memory), static_cast<std::size_t>(bytes));
    };
    lock(host.a, needed.a);
    lock(host.b, needed.b);
    lock(host.c, needed.c);
}

void phase_trials::enter(results::result& result, space::execution_space& device,
                         rows::runnable& ready, const core::operands& host,
                         const std::function<std::string(const void*)>& reason_against) {
    results::phases& phases = result.end_to_end.emplace();
    phases.host_memory = request::name(where_);
    try {
        lock_pages(device, host);
        auto sequence = std::make_unique<end_to_end>(all_, device, ready, host);
        verify::poison(problem_of_whole_c(all_), host.c);
        const double first_s = space::host_space().time_s([&] { sequence->run(); });
        phases.reason = reason_against(host.c);
        if (!phases.reason.empty()) return;
        phases.reason = "interrupted before it was timed";
        phases.stop = measure::name(measure::stop_reason::interrupted);
        entries_.push_back({&result, std::move(sequence), first_s});
    } catch (const std::exception& failure) {
        phases.reason = failure.what();
    }
}

void phase_trials::join(std::vector<measure::candidate>& candidates,
                        std::vector<double>& estimates_s) {
    for (const entry& e : entries_) {
        candidates.push_back(e.sequence->candidate());
        estimates_s.push_back(e.first_s);
    }
}

std::string phase_trials::name(std::size_t i) const {
    return entries_[i].result->implementation + " end to end";
}

void phase_trials::finish(std::span<const measure::series> trials) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (trials[i].trials_s.empty() || !entries_[i].result->end_to_end) continue;
        results::phases& phases = *entries_[i].result->end_to_end;
        const std::string where = phases.host_memory;
        phases = entries_[i].sequence->phases(trials[i], seed_);
        phases.host_memory = where;
    }
}

}  // namespace carat::session
