// The end-to-end sequences of all device implementations of one case: each is run once and its
// result verified, then all take part in the interleaved trials beside the bare products.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/request/request.hpp"
#include "lab/results/document.hpp"
#include "lab/session/end_to_end.hpp"

namespace carat::session {

class phase_trials {
  public:
    phase_trials(const rows::operation& all, request::host_memory where, std::uint64_t seed)
        : all_(all), where_(where), seed_(seed) {}

    // Runs the sequence once on `host`, the matrices of this case, whose C it overwrites.
    // `reason_against` says what is wrong with the C that came back; empty when it is right. When
    // the sequence fails the result says why and takes no part in what follows. `result`, `device`
    // and `ready` must outlive this object.
    void enter(results::result& result, space::execution_space& device, rows::runnable& ready,
               const core::operands& host,
               const std::function<std::string(const void*)>& reason_against);

    // Adds a candidate and a first time for each sequence entered.
    void join(std::vector<measure::candidate>& candidates, std::vector<double>& estimates_s);

    // The name of the i-th that joined, for progress.
    [[nodiscard]] std::string name(std::size_t i) const;

    // The trials of those that joined, in their order: fills the results' phases.
    void finish(std::span<const measure::series> trials);

  private:
    void lock_pages(space::execution_space& device, const core::operands& host);

    struct entry {
        results::result* result;
        std::unique_ptr<end_to_end> sequence;
        double first_s;
    };

    rows::operation all_;
    request::host_memory where_;
    std::uint64_t seed_;
    std::vector<space::page_lock> locks_;
    std::vector<entry> entries_;
};

}  // namespace carat::session
