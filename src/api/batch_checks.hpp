// Finds everything that can be wrong with a batch before anything is written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <carat/batch.hpp>

#include "core/problem.hpp"

namespace carat::api {

using detail::erased_batch;

// Matrix i of a batch, or the one that all products share.
[[nodiscard]] detail::erased_matrix item(const erased_batch& b, std::size_t i);

// The address of a matrix in a batch that is not a list.
[[nodiscard]] inline void* address_in(const erased_batch& b, std::size_t i) {
    if (b.pointers != nullptr) return const_cast<void*>(b.pointers[i]);
    if (b.count == 0) return b.first.data;
    const auto bytes = static_cast<std::ptrdiff_t>(size_bytes(b.first.type));
    return static_cast<std::byte*>(b.first.data) +
           static_cast<std::ptrdiff_t>(i) * b.stride * bytes;
}

// Throws if its matrices reach beyond 64-bit addresses, or if it has no data.
void check_stride(const erased_batch& b, const std::string& name);

// Throws if a C shares an element with another C, an A, a B or another product's E. Returns how
// many pairs of matrices were compared: a few for each product if the matrices lie in lines.
std::size_t check_places(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                         const erased_batch& c);

// The first product as a problem; all have its sizes and strides. Throws carat::error in one line,
// which names the product that is at fault.
[[nodiscard]] core::problem checked_batch(const erased_batch& a, const erased_batch& b,
                                          const erased_batch* e, const erased_batch& c,
                                          const detail::epilogue_steps* steps);

// Refuses more products than memory can hold a word each for, such as a negative count.
void check_number(std::size_t products);

// Whether sizes or strides may differ from product to product.
[[nodiscard]] bool is_group(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                            const erased_batch& c);

// The problems of such products. Throws likewise.
[[nodiscard]] std::vector<core::problem> checked_group(const erased_batch& a, const erased_batch& b,
                                                       const erased_batch* e, const erased_batch& c,
                                                       const detail::epilogue_steps* steps);

// Calls `work` and adds the product's number to what it throws.
template <class Work>
auto as_product(std::size_t i, const Work& work) {
    static constexpr std::size_t prefix = std::string_view("matrix_product: ").size();
    try {
        return work();
    } catch (const error& why) {
        throw error(why.code(),
                    "matrix_products: product " + std::to_string(i) + ": " + (why.what() + prefix));
    }
}

}  // namespace carat::api
