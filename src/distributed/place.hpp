// Where the local matrices of a rank lie: host memory or a GPU's. All matrices are blocks with two
// strides. On a GPU the calls start work and return.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <carat/distributed.hpp>
#include <carat/erased.hpp>
#include <carat/sums.hpp>

namespace carat::distributed {

using block = carat::detail::erased_matrix;

// An epilogue, and where in the local C the block begins that it is applied to.
struct ending {
    const carat::detail::epilogue_steps* steps = nullptr;  // null: none
    std::int64_t row = 0;
    std::int64_t col = 0;
};

class place {
  public:
    place() = default;
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    virtual ~place() = default;

    // Throws carat::error(out_of_memory).
    [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* memory) noexcept = 0;

    // Same sizes and type.
    virtual void copy(const block& to, const block& from) = 0;
    // c = e + ending(a b), matrices times their factors; null `e`: c = ending(a b).
    virtual void multiply(const block& a, const block& b, const block* e, const block& c,
                          const ending& last = {}) = 0;

    // Sums of parts: `sums` is of the type that sums_of() names, `part` of the one parts_of() does.
    virtual void clear(const block& sums) = 0;
    virtual void add(const block& sums, const block& part) = 0;
    // Whether every alpha sums + beta c is a number of C's type. c is not read if beta is 0.
    [[nodiscard]] virtual bool fits(const block& sums, double alpha, double beta,
                                    const block& c) = 0;
    // to = alpha (sums + parts) + beta c, rounded once. `sums` may hold anything afterwards.
    virtual void finish(const block& to, const block& sums, std::span<const block> parts,
                        double alpha, double beta, const block& c) = 0;
    // to = ending(sums) + beta c.
    virtual void finish(const block& to, const block& sums, double beta, const block& c,
                        const ending& last) = 0;

    // The SMs that messages take and products beside them leave; the same on all ranks.
    [[nodiscard]] virtual int units_of_messages() const { return 0; }
    // Whether calls are done when they return, and errors known.
    [[nodiscard]] virtual bool is_host() const = 0;
};

// Host memory; `threads` as in carat::cpu.
[[nodiscard]] CARAT_API std::unique_ptr<place> host(int threads);

// The type in which parts of C are multiplied and moved, and in which they are added up.
[[nodiscard]] constexpr dtype parts_of(dtype operands) {
    return is_integer(operands) ? dtype::i32 : operands == dtype::f64 ? dtype::f64 : dtype::f32;
}
[[nodiscard]] constexpr std::size_t bytes_of_sum(dtype part) {
    return part == dtype::f32 ? 4 : 8;  // i32 is added up in 64 bits
}

// The bytes of a part of a workspace, so that the next begins at a line.
[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) {
    constexpr std::size_t line = 256;
    return (bytes + line - 1) / line * line;
}

// Memory of a place, released at the end of its scope.
class memory {
  public:
    memory() = default;
    memory(place& where, std::size_t bytes)
        : data_(bytes == 0 ? nullptr : where.allocate(bytes), releaser{&where}) {}
    [[nodiscard]] void* get() const { return data_.get(); }

  private:
    struct releaser {
        place* where;
        void operator()(void* data) const noexcept { where->release(data); }
    };
    std::unique_ptr<void, releaser> data_{nullptr, releaser{nullptr}};
};

[[nodiscard]] inline block transposed(block of) {
    std::swap(of.rows, of.cols);
    std::swap(of.row_stride, of.col_stride);
    return of;
}

[[nodiscard]] inline bool lies_by_columns(const block& b) {
    return b.rows > 1 && b.cols > 1 && b.col_stride != 1;
}

// The rows x cols block of `of` that begins at (i, j).
[[nodiscard]] inline block block_at(const block& of, std::int64_t i, std::int64_t j,
                                    std::int64_t rows, std::int64_t cols, std::size_t size_bytes) {
    block part = of;
    part.rows = static_cast<std::size_t>(rows);
    part.cols = static_cast<std::size_t>(cols);
    if (of.data != nullptr && rows > 0 && cols > 0)
        part.data = static_cast<std::byte*>(of.data) + (i * of.row_stride + j * of.col_stride) *
                                                           static_cast<std::ptrdiff_t>(size_bytes);
    return part;
}

// The steps for a block of C, with the values that are for it.
[[nodiscard]] inline carat::detail::epilogue_steps steps_of(const ending& last, const block& a,
                                                            const block& c) {
    return carat::detail::multiply_steps_at(*last.steps, parts_of(a.type),
                                            static_cast<std::size_t>(last.row),
                                            static_cast<std::size_t>(last.col), c.rows, c.cols);
}

}  // namespace carat::distributed
