// A product by the engine, with operands drawn once: what it gives on any number of threads, in
// parts, in a batch, and with a prepared operand.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cpu/engine.hpp"
#include "lab/workload/workload.hpp"

namespace carat::test {

class engine_product {
  public:
    using bytes = std::vector<std::byte>;

    // What the elements of an operand look like.
    using data_of = workload::distribution(dtype);

    explicit engine_product(
        const core::problem& p,
        const cpu_engine::kernel_set& with = cpu_engine::kernels_for(core::isa_in_use()),
        const plan::blocking& blocks = {}, data_of* data = any_numbers);

    // Numbers whose sums cost roundings.
    static workload::distribution any_numbers(dtype type);

    // Sizes and layouts must stay.
    [[nodiscard]] core::problem& problem() { return p_; }

    [[nodiscard]] cpu_engine::product make(int threads,
                                           const cpu_engine::epilogue_request* last = nullptr,
                                           const detail::prepared_operand* ready = nullptr) const;
    [[nodiscard]] bool says(int threads, const char* what) const;

    // C by so many threads.
    [[nodiscard]] bytes by(int threads, const cpu_engine::epilogue_request* last = nullptr,
                           const detail::prepared_operand* ready = nullptr) const;
    [[nodiscard]] bytes prepared(side place, int threads) const;
    [[nodiscard]] bytes in_parts() const;
    [[nodiscard]] bytes one_of_many() const;

    void prepare(detail::prepared_operand& ready, side place) const;

    // Why C is not the product within the bound of its types; empty if it is.
    [[nodiscard]] std::string wrong(const bytes& c) const;
    [[nodiscard]] core::operands operands(bytes& c) const;

  private:
    core::problem p_;
    const cpu_engine::kernel_set& with_;
    plan::blocking blocks_;
    bytes a_, b_, before_;
};

}  // namespace carat::test
