// The table of the steps on tile registers.
#include "ladder/cpu/amx/pack.hpp"
#include "ladder/cpu/amx/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

extern const amx_functions functions;
constexpr amx_functions functions = {
    pack_a, pack_b, multiply_panel, multiply_block, multiply_block_streamed, configure, release};

}  // namespace carat::ladder::cpu::CARAT_ISA
