// The matrices of one case in the memory of one device: as many sets of A, B and C as it takes to
// defeat the caches when inputs rotate, one set when they are declared hot.
#pragma once

#include <map>
#include <vector>

#include "core/execution_space.hpp"
#include "lab/session/request.hpp"
#include "lab/verify/exact.hpp"

namespace carat::session {

// Whether this is the memory of the GPU in use.
[[nodiscard]] bool on_gpu(const core::execution_space& space);

class operand_sets {
  public:
    // Not filled. Throws carat::error(out_of_memory). `sets` is 1 or more.
    operand_sets(const core::problem& p, core::execution_space& space, std::size_t sets);

    // Set i gets the values of seed + i.
    void fill(const core::problem& p, core::execution_space& space,
              const workload::distribution& values, std::uint64_t seed);

    [[nodiscard]] std::size_t size() const { return sets_.size(); }
    [[nodiscard]] core::operands at(std::size_t index) const;

  private:
    struct set {
        core::buffer a, b, c;
    };
    std::vector<set> sets_;
};

// The operands of a case wherever its implementations run: the same values on every device.
class placed_operands {
  public:
    // `host_sets` for the host; a device gets as many as defeat its cache.
    placed_operands(const core::problem& p, std::size_t host_sets);

    // Laid out on first use, not filled. Throws carat::error(out_of_memory).
    [[nodiscard]] const operand_sets& on(core::execution_space& space);

    // Gives A and B of all sets the values that are timed. What an exact pass wrote is gone.
    void fill(const workload::distribution& values, std::uint64_t seed);

    // Gives A and B of one set the operands of an exact pass. The first set of the host serves a
    // device as staging area.
    void load(const verify::exact_pass& pass, core::execution_space& space, std::size_t set);

    // Overwrites a set's C with what no product gives.
    void poison(core::execution_space& space, std::size_t set = 0);

    // A set's C in host memory, valid until the next call.
    [[nodiscard]] const void* result(core::execution_space& space, std::size_t set = 0);

  private:
    core::problem problem_;
    operand_sets host_;
    std::map<core::execution_space*, operand_sets> devices_;
};

// How many sets make two caches' worth of data, at most 16.
[[nodiscard]] std::size_t sets_to_defeat(std::int64_t cache_bytes, const core::problem& p);

}  // namespace carat::session
