// One product on the GPU, checked to the last bit: whole numbers small enough to be exact in every
// type and order, operands between canaries, padding that is not a number and must stay as it is.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "lab/rows/implementation.hpp"
#include "lab/space/execution_space.hpp"
#include "lab/workload/workload.hpp"
#include "tests/support/whole.hpp"

namespace carat::test {

[[nodiscard]] double read(dtype type, const void* element);
void write(dtype type, void* element, double value);
/// A quiet NaN; for integers a value no product here gives.
void write_poison(dtype type, void* element);

/// An operand in host memory, as bytes, with canaries on both sides.
class guarded {
  public:
    /// Poison everywhere; the matrix begins `offset` elements after the front canary's 256 bytes.
    guarded(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where,
            std::int64_t offset);

    /// Fills it with whole() of tests/support.
    void fill(char operand);
    void draw(const workload::distribution& from, workload::operand which);
    void set(std::int64_t i, std::int64_t j, double value);
    [[nodiscard]] double get(std::int64_t i, std::int64_t j) const;

    [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }
    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
    [[nodiscard]] std::size_t first_byte() const { return first_byte_; }
    [[nodiscard]] verify::source source() const {
        return {bytes_.data() + first_byte_, type_, rows_, cols_, where_};
    }
    /// The bytes with every element of the matrix blanked: what no product may change.
    [[nodiscard]] std::vector<std::byte> surroundings() const;

  private:
    [[nodiscard]] std::size_t position(std::int64_t i, std::int64_t j) const;

    dtype type_;
    std::int64_t rows_;
    std::int64_t cols_;
    core::layout where_;
    std::size_t first_byte_;
    std::vector<std::byte> bytes_;
};

/// The GPU in use.
[[nodiscard]] space::execution_space& gpu();

/// A copy on it.
class device_copy {
  public:
    explicit device_copy(const guarded& of);
    /// The first element.
    [[nodiscard]] std::byte* get() const {
        return static_cast<std::byte*>(memory_.data()) + first_byte_;
    }
    void upload(const guarded& from) const;
    void download(guarded& to) const;

  private:
    space::buffer memory_;
    std::size_t first_byte_;
};

struct operand_set {
    guarded a;
    guarded b;
    guarded c;

    operand_set(const core::problem& p, std::int64_t offset)
        : a(p.a_type, p.m, p.k, p.a_layout, offset),
          b(p.b_type, p.k, p.n, p.b_layout, offset),
          c(p.c_type, p.m, p.n, p.c_layout, offset) {}
};

/// Runs `entry` on the GPU in use over copies of the operands, and copies all of them back.
void run_on_device(const rows::implementation& entry, const core::problem& p,
                   const core::settings& s, operand_set& data);

/// Runs so many products in turn, the C of each being the next one's A; copies the last C to `c`.
void run_chain_on_device(const rows::implementation& entry, const core::problem& p,
                         const core::settings& s, const operand_set& data, std::int64_t products,
                         guarded& c);

/// A product with K-major A and B and nothing special.
[[nodiscard]] core::problem along_k_problem(const core::signature& types, std::int64_t m,
                                            std::int64_t n, std::int64_t k);

/// All problems of the sweep for one signature, as many as `shapes` x layouts x factors allow.
struct trial {
    core::problem p;
    std::int64_t offset = 0;
};
[[nodiscard]] std::vector<trial> trials(const core::signature& types);

/// What is wrong: how many elements, within which rows and columns, and the first ones; empty when
/// all is right.
[[nodiscard]] std::string check(const rows::implementation& entry, const core::settings& s,
                                const trial& t);

}  // namespace carat::test
