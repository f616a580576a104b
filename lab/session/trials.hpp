// The trials of one case, in generations: each implementation has one process at a time; those of a
// generation take their trials together, interleaved in common rounds, and then all are replaced by
// fresh ones. What differs from process to process (addresses, threads, choices made at the start)
// is seen between generations, and no interval of fewer could see it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lab/measure/background_load.hpp"
#include "lab/session/case.hpp"
#include "lab/session/contender.hpp"
#include "lab/session/phase_trials.hpp"
#include "lab/session/verification.hpp"
#include "lab/workers/worker_set.hpp"

namespace carat::session {

// How one of `generations` measures, so that all together take what `whole` grants.
[[nodiscard]] measure::options share_of(const measure::options& whole, int generation,
                                        int generations);

class trials {
  public:
    // All of them must outlive this object. `phases` may be null.
    trials(const request::measurement& r, const request::case_key& key, const surroundings& around,
           workers::worker_set& everybody, verification& checks, phase_trials* phases)
        : request_(r),
          key_(key),
          around_(around),
          crew_(everybody),
          checks_(checks),
          phases_(phases) {}

    // Takes the trials of all that are verified, and fills what results say of them.
    void take(std::span<contender> all);

  private:
    [[nodiscard]] bool stopped() const { return around_.interrupted && around_.interrupted(); }
    void tell(const std::string& what, double share) const {
        if (around_.progress) around_.progress(what, share);
    }

    [[nodiscard]] bool one_generation(std::span<contender> all, int generation, int generations);
    void renew_shared(std::span<contender> all) const;
    [[nodiscard]] measure::options how(int generation, int generations);
    void look_and_tell(std::size_t i, std::size_t taken, double share);
    void keep(contender& c, const measure::series& more) const;
    void keep_phases(std::span<const measure::series> more);
    void conclude(std::span<contender> all, const measure::background_load& others);
    [[nodiscard]] double time_runs(contender& c, std::int64_t runs);
    [[nodiscard]] double stolen_so_far_s() const;
    [[nodiscard]] measure::work_probe probe() const;
    [[nodiscard]] measure::conditions under_load(measure::conditions seen,
                                                 std::span<const contender> all) const;
    [[nodiscard]] measure::conditions of_one(measure::conditions seen, const contender& c) const;
    [[nodiscard]] gpu_sensors& sensors();
    void measure_energy(contender& c);

    const request::measurement& request_;
    const request::case_key& key_;
    const surroundings& around_;
    workers::worker_set& crew_;
    verification& checks_;
    phase_trials* phases_;
    int losses_ = 0;                       // of processes before the generation at hand
    std::vector<contender*> timed_;        // of the generation at hand, in the candidates' order
    std::vector<measure::series> phased_;  // of all generations
    measure::work_probe probe_;            // of all processors, while trials are taken
    std::optional<gpu_sensors> sensors_;   // of the GPU, once asked for
};

}  // namespace carat::session
