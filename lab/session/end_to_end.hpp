// A product on a device as a program meets it that has its matrices in host memory and nothing on
// the device yet: memory is allocated there, A and B are copied in, the product runs, C is copied
// back, the memory is freed; each phase ends when the device is done with it.
//
// Not counted, because a program pays for them once: the device's context, handles and whatever
// else prepare() does, the host's own matrices, and locking their pages where they are pinned.
#pragma once

#include "lab/measure/interleave.hpp"
#include "lab/measure/laps.hpp"
#include "lab/results/phases.hpp"
#include "lab/rows/operation.hpp"
#include "lab/space/execution_space.hpp"

namespace carat::session {

class end_to_end {
  public:
    // `host` are all operands in host memory; `ready` was prepared for `all` on `device`.
    // All of them must outlive this object.
    end_to_end(const rows::operation& all, space::execution_space& device, rows::runnable& ready,
               const core::operands& host, measure::laps clock = {});

    // The whole sequence once. Throws carat::error(out_of_memory) when the device is full.
    void run();

    // Trials of run() by the host's clock. Refers to this object.
    [[nodiscard]] measure::candidate candidate();

    // The phases with their intervals; `total` are the trials of candidate(),
    // one at least.
    [[nodiscard]] results::phases phases(const measure::series& total, std::uint64_t seed) const;

  private:
    rows::operation all_;
    space::execution_space& device_;
    std::vector<rows::stage> stages_;
    core::operands host_;
    measure::laps clock_;
};

}  // namespace carat::session
