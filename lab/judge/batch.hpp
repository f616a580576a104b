// The calls of one go and their memory: matrices with guard bands around them and between their
// rows, filled with data drawn for this go alone, and compared byte by byte afterwards. See
// docs/adr/0119-judge.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "lab/judge/device/gpu_memory.hpp"
#include "lab/judge/draws.hpp"
#include "lab/judge/judge.hpp"
#include "lab/judge/memory.hpp"
#include "lab/verify/exact.hpp"

namespace carat::judge {

enum class data_kind : std::uint8_t {
    general,  // random, all bits of the significand in use: what is timed
    exact,    // the two passes of verify::exact_pass, among general ones
    sums,     // one of them alone
    significands
};

// The type's number in carat_kernel.h, or 0 if it has none.
[[nodiscard]] std::uint32_t kernel_type(dtype type);

// A row-major product; C has the type in which A and B are summed.
[[nodiscard]] core::problem problem_of(dtype type, request::shape size, row_layout how);
// The same with random leading dimensions.
[[nodiscard]] core::problem draw_problem(dtype type, request::shape size, stream& places);

class batch {
  public:
    // Matrices begin at elements that `places` draws or, if it is null, at multiples of 64 bytes.
    batch(std::vector<core::problem> problems, int threads, stream* places = nullptr);

    // Draws and compares in a GPU's memory from now on; null: in host memory.
    void place_on(gpu_memory* gpu) { gpu_ = gpu; }

    // Counts from the beginning of the memory.
    [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] std::int32_t calls() const { return static_cast<std::int32_t>(calls_.size()); }
    [[nodiscard]] const core::problem& problem(std::int32_t i) const {
        return calls_[static_cast<std::size_t>(i)].problem;
    }

    // Writes the table for command 'p'.
    void announce(const shared_memory& to) const;
    // Reads the answers to 'p' and drops the products that the target refused.
    void keep_supported(const shared_memory& from);

    // Draws new data while the target's process is stopped.
    void draw(data_kind kind, stream& operands, const shared_memory& to);

    // Returns what is wrong with the target's results, or an empty string. It compares every byte
    // outside C, every exact pass, and general data for up to `most_s` seconds (all of it on a
    // GPU). The samples are drawn only now, so the target cannot know them.
    [[nodiscard]] std::string check(const shared_memory& from, double most_s, stream& checks);

    // Returns whether any C has changed since check().
    [[nodiscard]] bool changed_since(const shared_memory& memory) const;

    [[nodiscard]] std::int64_t calls_checked() const { return checked_; }

  private:
    struct entry {
        core::problem problem;
        call row;
        std::int64_t a_bytes = 0, b_bytes = 0, c_bytes = 0;
        std::optional<verify::exact_kind> exact;
        std::uint64_t seed = 0;         // of the operands
        std::uint64_t c_begins_as = 0;  // 0 NaN, 1 zeros, 2 numbers as plausible as the result
        std::uint64_t check_seed = 0;
    };

    void lay_out(stream* places);
    void draw_on_host(std::uint64_t seed, const shared_memory& to);
    void draw_on_gpu(std::uint64_t seed);
    void fill(const entry& e);
    void fill_c(const entry& e);
    void fill_on_gpu(const entry& e);
    [[nodiscard]] std::string failed_call(const shared_memory& from) const;
    [[nodiscard]] std::string check_on_host(double most_s);
    [[nodiscard]] std::string check_on_gpu();
    [[nodiscard]] std::string changed_on_gpu();
    [[nodiscard]] std::string check_exact_on_gpu(const entry& e);
    [[nodiscard]] std::string check_general_on_gpu(const entry& e) const;
    [[nodiscard]] std::string stale_on_gpu(const entry& e) const;
    [[nodiscard]] std::vector<device_rows> all_c() const;
    [[nodiscard]] std::string tampered() const;
    [[nodiscard]] std::string place_of(std::int64_t byte) const;
    [[nodiscard]] core::operands operands_of(const entry& e) const;
    [[nodiscard]] std::string check_exact(const entry& e) const;
    [[nodiscard]] std::string check_general(const entry& e) const;
    [[nodiscard]] std::string where(const entry& e) const;
    // The error of C divided by what rounding allows; well below 1 for every correct C.
    [[nodiscard]] double screened(const entry& e) const;
    [[nodiscard]] std::string stale(const entry& e) const;

    std::vector<entry> calls_;
    std::int64_t size_bytes_ = 0;
    int threads_;
    std::vector<char> image_;     // as drawn
    std::vector<char> seen_;      // as the target left it
    std::vector<char> previous_;  // as it left the go before; of a GPU the first bytes of each C
    gpu_memory* gpu_ = nullptr;
    std::int64_t checked_ = 0;
};

}  // namespace carat::judge
