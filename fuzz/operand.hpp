// An operand of a product or a batch: where its elements are, what they are, and what all memory
// around them held before the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <carat/types.hpp>

#include "arena.hpp"
#include "random.hpp"

namespace carat::fuzz {

// Element (i, j) is number first + i * row_stride + j * col_stride of its operand.
struct matrix_place {
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t col_stride = 0;
    std::ptrdiff_t first = 0;
    std::size_t start = 0;  // of its values, row by row

    [[nodiscard]] std::size_t size() const { return rows * cols; }
    [[nodiscard]] std::ptrdiff_t at(std::size_t i, std::size_t j) const {
        return first + static_cast<std::ptrdiff_t>(i) * row_stride +
               static_cast<std::ptrdiff_t>(j) * col_stride;
    }
};

enum class grouping { one, strided, pointers, listed };

struct shape {
    std::size_t rows;
    std::size_t cols;
};

class operand {
  public:
    dtype type = dtype::f64;
    bool for_all = false;           // one matrix for all products of a batch
    bool tidy = false;              // of a list: all laid out alike, at multiples of 16 elements
    std::ptrdiff_t stride = 0;      // between the matrices of grouping::strided
    std::vector<matrix_place> all;  // one for each product, or one
    std::vector<double> values;     // what its elements are

    // Draws strides and positions for matrices of these shapes; read-only ones may repeat elements.
    void lay_out(random_numbers& random, grouping how, std::span<const shape> shapes, bool written);
    // Called after positions have changed.
    void measure();
    // Replaces the whole by its parts, which may have fewer elements; `known`: reads their values
    // from memory.
    void cut_into(std::vector<matrix_place> parts, bool known);
    // Allocates its memory next to an inaccessible page and fills it with canaries, leaving as many
    // bytes around it for another operand.
    void place(random_numbers& random, std::size_t around_bytes = 0);
    // Places its element 0 somewhere in another operand's memory.
    void place_at(std::byte* element_0) { origin_ = element_0; }
    // Places it in inaccessible memory.
    void place_forbidden() { origin_ = forbidden_place(); }
    void write_values();
    // Called after the case itself has changed it.
    void remember();
    void restore();

    [[nodiscard]] const matrix_place& of(std::size_t product) const {
        return all[for_all ? 0 : product];
    }
    // Its address for a call: here, or the copy announced by seen_at.
    [[nodiscard]] std::byte* data(const matrix_place& m) const {
        return element(m.first) + to_copy_;
    }
    // Announces a copy of remembered() at `memory`.
    void seen_at(std::byte* memory) { to_copy_ = memory - remembered_; }
    // Passes another address of the first matrix to calls, until seen_at() or place().
    void told_at(std::byte* address) {
        to_copy_ = reinterpret_cast<std::intptr_t>(address) -
                   reinterpret_cast<std::intptr_t>(element(all[0].first));
    }
    // The bytes from an element here to where a call finds it.
    [[nodiscard]] std::ptrdiff_t to_copy() const { return to_copy_; }
    // The larger distance of its lines (rows or columns) there, in elements; 0 if it is the same.
    void lines_apart(bool rows, std::ptrdiff_t elements) {
        far_row_ = rows ? elements : 0;
        far_col_ = rows ? 0 : elements;
    }
    [[nodiscard]] std::ptrdiff_t seen_row_stride(const matrix_place& m) const {
        return far_row_ != 0 ? far_row_ : m.row_stride;
    }
    [[nodiscard]] std::ptrdiff_t seen_col_stride(const matrix_place& m) const {
        return far_col_ != 0 ? far_col_ : m.col_stride;
    }
    // All bytes that are compared.
    [[nodiscard]] std::span<std::byte> remembered() const { return {remembered_, before_.size()}; }
    [[nodiscard]] std::byte* element(std::ptrdiff_t number) const {
        return origin_ + number * static_cast<std::ptrdiff_t>(size_bytes(type));
    }
    [[nodiscard]] std::byte* element(const matrix_place& m, std::size_t i, std::size_t j) const {
        return element(m.at(i, j));
    }
    [[nodiscard]] std::size_t span_bytes() const;
    // The byte offset of its lowest element if element 0 were at address 0.
    [[nodiscard]] std::ptrdiff_t low_bytes() const {
        return low_ * static_cast<std::ptrdiff_t>(size_bytes(type));
    }

    // The elements in memory, row by row, as they are now.
    [[nodiscard]] std::vector<double> read(const matrix_place& m) const;
    // The bits of all elements.
    [[nodiscard]] std::vector<std::byte> bits() const;
    // Restores the elements.
    void restore_elements();
    // Describes a write where none is allowed, or empty.
    [[nodiscard]] std::string changed() const;
    // A remembered byte that is no element, or null if there is none.
    [[nodiscard]] std::byte* some_pad(random_numbers& random) const;

  private:
    std::ptrdiff_t low_ = 0;  // numbers of elements: the least, and one past the largest
    std::ptrdiff_t high_ = 0;
    arena memory_;
    std::byte* origin_ = nullptr;
    std::ptrdiff_t to_copy_ = 0;
    std::ptrdiff_t far_row_ = 0;
    std::ptrdiff_t far_col_ = 0;
    std::byte* remembered_ = nullptr;
    std::vector<std::byte> before_;
};

}  // namespace carat::fuzz
