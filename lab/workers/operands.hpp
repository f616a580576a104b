// The matrices of one case in the memory of one device: as many sets of A, B and C as it takes to
// defeat the caches when inputs rotate, one set when they are declared hot.
#pragma once

#include <map>
#include <vector>

#include "lab/process/shared_memory.hpp"
#include "lab/space/execution_space.hpp"
#include "lab/verify/operation.hpp"
#include "lab/workload/workload.hpp"

namespace carat::workers {

// Whether this is the memory of the GPU in use.
[[nodiscard]] bool on_gpu(const space::execution_space& space);

// Where so many sets lie in one piece of memory, which processes map at addresses of their own.
class operand_map {
  public:
    operand_map(const rows::operation& all, std::size_t sets);

    [[nodiscard]] std::size_t sets() const { return sets_; }
    [[nodiscard]] std::size_t size_bytes() const { return sets_ * set_bytes_; }
    [[nodiscard]] core::operands at(std::byte* memory, std::size_t index) const;

    // Gives each operand that fills a huge page such pages, as host_space() does.
    void use_huge_pages(const process::shared_memory& memory) const;

  private:
    std::size_t sets_;
    std::size_t b_ = 0, c_ = 0, bias_ = 0, e_ = 0,
                scales_ = 0;  // where these of a set begin; A is first
    std::size_t set_bytes_ = 0;
    bool is_huge_ = false;
    bool has_e_ = false;
    bool has_scales_ = false;
};

class operand_sets {
  public:
    // Not filled. Throws carat::error(out_of_memory). `sets` is 1 or more.
    operand_sets(const rows::operation& all, space::execution_space& space, std::size_t sets);
    // Makes sets on the host, in `memory`, which is empty or was so laid out by another process.
    operand_sets(const rows::operation& all, process::shared_memory& memory, std::size_t sets);

    // Set i gets the values of seed + i; C, too, where it is read.
    void fill(const rows::operation& all, space::execution_space& space,
              const workload::distribution& values, std::uint64_t seed);
    void fill(const rows::operation& all, space::execution_space& space,
              const workload::distribution& values, std::uint64_t seed, std::size_t set);

    // C alone.
    void fill_c(const rows::operation& all, space::execution_space& space,
                const workload::distribution& values, std::uint64_t seed, std::size_t set);

    [[nodiscard]] std::size_t size() const { return sets_.size(); }
    [[nodiscard]] core::operands at(std::size_t index) const { return sets_[index]; }

  private:
    void fill_bias(const rows::operation& all, space::execution_space& space,
                   const workload::distribution& values, std::uint64_t seed, std::size_t set);

    std::vector<space::buffer> owned_;
    std::vector<core::operands> sets_;
};

// The operands of a case wherever its implementations run: the same values on every device.
class placed_operands {
  public:
    // `host_sets` for the host, in `shared` where that is given; a device gets as many as defeat
    // its cache.
    placed_operands(const rows::operation& all, std::size_t host_sets,
                    process::shared_memory* shared = nullptr);

    // Laid out on first use, not filled. Throws carat::error(out_of_memory).
    [[nodiscard]] const operand_sets& on(space::execution_space& space);

    // Gives A and B of all sets there the values that are timed. What an exact pass wrote is gone.
    void fill(space::execution_space& space, const workload::distribution& values,
              std::uint64_t seed);

    // The same for the first and the last set alone, which are those that exact passes use.
    void fill_ends(space::execution_space& space, const workload::distribution& values,
                   std::uint64_t seed);

    // Gives A and B of one set the operands of an exact pass. The first set of the host serves a
    // device as staging area.
    void load(const verify::exact_passes& pass, space::execution_space& space, std::size_t set);

    // Writes the C that a product reads, of a pass; or that of set 0 as fill() does.
    void fill_c(const verify::exact_passes& pass, space::execution_space& space, std::size_t set);
    void fill_c(space::execution_space& space, const workload::distribution& values,
                std::uint64_t seed);

    // Overwrites a set's C with what no product gives.
    void poison(space::execution_space& space, std::size_t set = 0);

    // A set's C in host memory, valid until the next call.
    [[nodiscard]] const void* result(space::execution_space& space, std::size_t set = 0);

  private:
    [[nodiscard]] operand_sets& laid_out(space::execution_space& space);

    rows::operation all_;
    operand_sets host_;
    std::map<space::execution_space*, operand_sets> devices_;
};

// How many sets make two caches' worth of data, at most 16.
[[nodiscard]] std::size_t sets_to_defeat(std::int64_t cache_bytes, const rows::operation& all);

}  // namespace carat::workers
