// The memory of a thread's cases, reused from one to the next.
#pragma once

#include <array>

#include "operand.hpp"
#include "product_case.hpp"

namespace carat::fuzz {

struct workbench {
    operand a;
    operand b;
    operand e;
    operand c;
    std::array<operand, 2> scales;                   // of blocks of A and of B
    std::array<operand, detail::most_steps> values;  // of each step of an epilogue: one row
};

}  // namespace carat::fuzz
