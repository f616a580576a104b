// The words that --epilogue takes, for its refusal and for shells that complete them.
#pragma once

#include <array>
#include <string_view>

namespace carat::request {

inline constexpr std::array<std::string_view, 7> epilogue_names = {
    "bias", "relu", "gelu", "silu", "bias+relu", "bias+gelu", "bias+silu"};

}  // namespace carat::request
