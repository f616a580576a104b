// A valid call of carat.h with small whole numbers, whose result is exact. Cases spoil it, or make
// it with their own threads and memory.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <carat/carat.h>

#include "random.hpp"

namespace carat::fuzz {

enum class c_call { single, strided, ragged, ragged_k, prepared };

struct c_product {
    c_call what = c_call::single;
    std::array<std::vector<double>, 3> memory = {};  // of A, B and C; more than is used
    std::array<carat_matrix, 3> of = {};
    std::array<const carat_matrix*, 3> told = {};
    carat_options options = CARAT_OPTIONS_INIT;
    const carat_options* told_options = nullptr;
    std::array<carat_step, 9> steps = {};
    std::vector<double> bias;
    std::vector<std::int32_t> ends;
    const std::int32_t* told_ends = nullptr;
    std::array<std::ptrdiff_t, 3> strides = {};
    std::size_t count = 1;
    std::vector<double> before;  // C's memory

    // Sides are at most `most`; one is 0 if `empty`.
    c_product(random_numbers& random, std::size_t most, bool empty);
    c_product(const c_product&) = delete;
    c_product& operator=(const c_product&) = delete;

    [[nodiscard]] carat_status call() const;
    void restore() { memory[2] = before; }
    // Empty, or the first wrong entry, or a write outside C.
    [[nodiscard]] std::string check() const;
    [[nodiscard]] bool is_untouched() const { return memory[2] == before; }
    [[nodiscard]] std::string describe() const;

  private:
    void multiply(std::vector<double>& to, std::size_t product) const;
    [[nodiscard]] std::array<std::size_t, 2> share_of(std::size_t product) const;
};

}  // namespace carat::fuzz
