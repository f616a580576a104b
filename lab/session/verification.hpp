// What must hold before a case's figures count: exact passes before the first trial and after the
// last, on another set of operands, and between them, on the data that is timed, the bound of
// verify::reference. C is poisoned before each run that is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "lab/request/request.hpp"
#include "lab/session/contender.hpp"
#include "lab/verify/operation.hpp"
#include "lab/workers/operands.hpp"

namespace carat::session {

// "0.3 s"
[[nodiscard]] std::string seconds(double time_s);

class verification {
  public:
    // Told what is being done and the share of that done; false stops.
    using go_on = std::function<bool(const std::string& what, double share)>;

    verification(const request::measurement& r, const rows::operation& all,
                 workers::placed_operands& data, go_on tell)
        : request_(r), all_(all), data_(data), tell_(std::move(tell)) {}

    // Makes every contender ready, and verified or ruled out with a reason. The sets hold the data
    // to be timed then. The first run of each, the cold one, is of an exact pass.
    void before_timing(std::span<contender> all);

    // Everybody passes exactly, and has a fresh process then, or shares one. `number`: of the
    // fresh one, from 2.
    void change_over(std::span<contender> all, int number);
    // Makes those ready whose process is new; their first run has to pass exactly.
    void welcome(std::span<contender> all, int number);

    // Rules out who passes no longer, without figures: nobody knows since when.
    void after_timing(std::span<contender> all);

    // Checks a C of the timed data in host memory, where phases are timed; empty: it is right.
    [[nodiscard]] std::string reason_against(const void* c, const contender& of) const;

  private:
    struct passage {
        verify::exact_kind kind;
        bool last_set = false;
        bool first_run = false;  // of its process: it is made ready before
        std::string when;        // begins what is said of a failure
    };

    void pass_exactly(std::span<contender> all, const passage& how,
                      const std::function<bool(const contender&)>& takes_part);
    void run_and_check(contender& c, const verify::exact_passes& pass, const passage& how);
    void run_first(contender& c, std::size_t set) const;
    void skip_if_too_long(contender& c, std::size_t set) const;
    static void trust_exact_passes(std::span<contender> all);
    void fill(std::span<contender> all);
    void compute_references(std::span<contender> all);
    void compute_on_host();
    [[nodiscard]] verify::verdict judge(contender& c);
    void hold_against_reference(contender& c);

    const request::measurement& request_;
    rows::operation all_;
    workers::placed_operands& data_;
    std::uint64_t passes_ = 0;
    go_on tell_;
    std::optional<verify::references<verify::reference>> on_host_;
};

}  // namespace carat::session
