#include "ladder/cuda/lines.hpp"

#include <cstdint>
#include <utility>

#include <carat/error.hpp>

namespace carat::ladder::cuda {

namespace {

// `is_turned`: kernels see the transpose.
std::string unsupported_layout(const char* name, core::layout where, bool is_turned, int multiple) {
    if (is_turned) std::swap(where.row_stride, where.col_stride);
    if (where.col_stride == 1 && where.row_stride % multiple == 0) return {};
    return std::string(name) + " has the strides " +
           std::to_string(is_turned ? where.col_stride : where.row_stride) + " and " +
           std::to_string(is_turned ? where.row_stride : where.col_stride) +
           ": this step wants A, B and C row by row (or all three column by column) with lines a "
           "multiple of " +
           std::to_string(multiple) + " elements apart; pad them, or take cuda.ladder.wmma_shared";
}

void require_16_bytes(const char* name, const void* data) {
    const auto over = reinterpret_cast<std::uintptr_t>(data) % 16;
    if (over == 0) return;
    throw error(error_code::unsupported,
                std::string(name) + " begins " + std::to_string(over) +
                    " bytes after a multiple of 16, where this step cannot read or write it: "
                    "align it, or take cuda.ladder.wmma_shared");
}

}  // namespace

std::string unsupported_lines(const core::problem& p, int multiple) {
    for (const auto& [name, where] :
         {std::pair{"A", p.a_layout}, {"B", p.b_layout}, {"C", p.c_layout}})
        if (std::string why = unsupported_layout(name, where, is_turned(p), multiple); !why.empty())
            return why;
    return {};
}

void require_alignment(const core::operands& data) {
    require_16_bytes("A", data.a);
    require_16_bytes("B", data.b);
    require_16_bytes("C", data.c);
}

}  // namespace carat::ladder::cuda
