// A case in words.
#include <algorithm>
#include <array>

#include "product_case.hpp"

namespace carat::fuzz {

std::string product_case::describe() const {
    std::string text(name(a_type));
    text += " x " + std::string(name(b_type)) + " into " + std::string(name(c_type));
    constexpr std::array groups = {"", " strided", " pointers", " listed"};
    if (group != grouping::one)
        text += ", " + std::to_string(sizes.size()) + groups[static_cast<std::size_t>(group)];
    for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 3); ++i)
        text += ", " + std::to_string(sizes[i].m) + "x" + std::to_string(sizes[i].n) + "x" +
                std::to_string(sizes[i].k);
    text += ", alpha " + std::to_string(alpha());
    if (e != addend::none) text += e == addend::c ? ", E is C" : ", E";
    if (e != addend::none) text += " times " + std::to_string(beta);
    if (e_for_all) text += " for all";
    if (b_strided) text += ", B strided";
    if (turned) text += ", told as transposes";
    if (has_epilogue) text += ", epilogue of " + std::to_string(steps.size()) + ":";
    constexpr std::array kinds = {"bias", "scale", "scale_all", "relu",   "gelu", "silu",
                                  "each", "reglu", "geglu",     "swiglu", "amax"};
    for (const drawn_step& step : steps)
        text += std::string(" ") + kinds[static_cast<std::size_t>(step.kind)];
    if (ready != prepared::none) text += ready == prepared::left ? ", A prepared" : ", B prepared";
    if (f16_sums) text += ", sums of f16";
    if (f32 != f32_as::f32) text += f32 == f32_as::tf32 ? ", as tf32" : ", as 3xtf32";
    if (batch_invariant) text += ", batch-invariant";
    if (loses_rows) text += ", then of few rows";
    if (by_c) text += ", by carat.h";
    if (by_blocks) text += ", scaled by blocks";
    if (shared_out) text += ", shared out";
    if (chained) text += ", A made by the call ahead";
    constexpr std::array far_ones = {"", "A", "B", "E", "C"};
    if (far != far_operand::none)
        text += std::string(", beyond 2^31: ") + far_ones[static_cast<std::size_t>(far)];
    constexpr std::array trials = {"", ", aliased", ", bad argument", ", failing memory",
                                   ", many threads"};
    return text + ", threads " + std::to_string(threads) + trials[static_cast<std::size_t>(how)];
}

}  // namespace carat::fuzz
