// The matrices of one case in the memory of one device: as many sets of A, B and C as it takes to
// defeat the caches when inputs rotate, one set when they are declared hot.
#pragma once

#include <map>
#include <vector>

#include "core/execution_space.hpp"
#include "lab/session/request.hpp"

namespace carat::session {

class operand_sets {
  public:
    // Throws carat::error(out_of_memory). `sets` is 1 or more.
    operand_sets(const core::problem& p, core::execution_space& space, std::size_t sets,
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
    placed_operands(const core::problem& p, std::size_t host_sets,
                    const workload::distribution& values, std::uint64_t seed);

    // Laid out on first use. Throws carat::error(out_of_memory).
    [[nodiscard]] const operand_sets& on(core::execution_space& space);

    // Overwrites the first set's C with what no product gives.
    void poison(core::execution_space& space);

    // The first set's C in host memory, valid until the next call.
    [[nodiscard]] const void* result(core::execution_space& space);

  private:
    core::problem problem_;
    workload::distribution values_;
    std::uint64_t seed_;
    operand_sets host_;
    std::map<core::execution_space*, operand_sets> devices_;
};

// How many sets make two caches' worth of data, at most 16.
[[nodiscard]] std::size_t sets_to_defeat(std::int64_t cache_bytes, const core::problem& p);

}  // namespace carat::session
