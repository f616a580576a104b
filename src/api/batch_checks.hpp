// Everything that can be wrong with a batch, found before anything is written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <carat/batch.hpp>

#include "core/problem.hpp"

namespace carat::api {

using detail::erased_batch;

// Matrix i of a batch, or the one for all.
[[nodiscard]] detail::erased_matrix item(const erased_batch& b, std::size_t i);

// Where it lies, of no list.
[[nodiscard]] inline void* address_in(const erased_batch& b, std::size_t i) {
    if (b.pointers != nullptr) return const_cast<void*>(b.pointers[i]);
    if (b.count == 0) return b.first.data;
    const auto bytes = static_cast<std::ptrdiff_t>(size_bytes(b.first.type));
    return static_cast<std::byte*>(b.first.data) +
           static_cast<std::ptrdiff_t>(i) * b.stride * bytes;
}

// Throws where its matrices reach beyond 64-bit addresses, or it has no data.
void check_stride(const erased_batch& b, const std::string& name);

// Throws where a C shares an element with another C, an A, a B or another product's E. Returns how
// many pairs of matrices were compared, a few for each product wherever they lie in lines.
std::size_t check_places(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                         const erased_batch& c);

// The first product as a problem; all have its sizes and strides. Throws carat::error, in one line
// that names the product where one is at fault.
[[nodiscard]] core::problem checked_batch(const erased_batch& a, const erased_batch& b,
                                          const erased_batch* e, const erased_batch& c,
                                          const detail::epilogue_steps* steps);

// Refuses more products than memory can hold a word about each, as a negative count would be.
void check_number(std::size_t products);

// Whether sizes or strides may differ from product to product.
[[nodiscard]] bool is_group(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                            const erased_batch& c);

// Of such products all problems. Throws likewise.
[[nodiscard]] std::vector<core::problem> checked_group(const erased_batch& a, const erased_batch& b,
                                                       const erased_batch* e, const erased_batch& c,
                                                       const detail::epilogue_steps* steps);

// Calls `work`; what it throws as one product is told with the product's number.
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
