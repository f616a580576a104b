// The operands of a case in the memory of one device: filled, poisoned and checked where they lie,
// in this process or in the one that uses the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lab/verify/operation.hpp"
#include "lab/workers/operands.hpp"

namespace carat::workers {

class operand_store {
  public:
    operand_store() = default;
    operand_store(const operand_store&) = delete;
    operand_store& operator=(const operand_store&) = delete;
    virtual ~operand_store() = default;

    [[nodiscard]] virtual bool on_host() const { return false; }
    // Laid out on first use. Throws carat::error(out_of_memory).
    [[nodiscard]] virtual std::size_t sets() = 0;
    // The following do what those of placed_operands do.
    virtual void fill(const workload::distribution& values, std::uint64_t seed) = 0;
    virtual void fill_ends(const workload::distribution& values, std::uint64_t seed) = 0;
    virtual void load(const verify::exact_passes& pass, std::size_t set) = 0;
    virtual void poison(std::size_t set) = 0;
    // Where beta is not 0: the C that is read, of a pass and of the data that are timed.
    virtual void fill_c(const verify::exact_passes& pass, std::size_t set) = 0;
    virtual void fill_c(const workload::distribution& values, std::uint64_t seed) = 0;  // set 0
    [[nodiscard]] virtual const void* result(std::size_t set) = 0;

    // Checks the C of a set.
    [[nodiscard]] virtual verify::verdict check(const verify::exact_passes& pass,
                                                std::size_t set) = 0;

    // Whether a reference of the first set's values could be made there: a GPU's takes a second
    // where the host's takes minutes.
    [[nodiscard]] virtual bool make_reference() { return false; }
    // Compares the first set's C with it; none where there is no reference.
    [[nodiscard]] virtual std::optional<verify::verdict> against_reference(
        const std::string& /*claim*/) {
        return {};
    }
};

[[nodiscard]] std::unique_ptr<operand_store> local_operand_store(const rows::operation& all,
                                                                 placed_operands& data,
                                                                 space::execution_space& space);

}  // namespace carat::workers
