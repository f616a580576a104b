// What one run of an implementation computes: a product, a batch of one size, or a group of
// different rows. Everything that carries a case carries this value. Its `call` holds what is
// requested beyond types, sizes and strides; the command parses it, files store it and tables name
// it. A new dimension is a field of `call` with its text, its part in operation_of(), and the rows'
// support.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <carat/epilogue.hpp>

#include "core/problem.hpp"
#include "lab/rows/implementation.hpp"

namespace carat::rows {

// How an implementation is given the products of a batch.
enum class placement : std::uint8_t {
    strided,   // by the distance from one to the next
    pointers,  // by an address for each, which are in no order
    listed     // one by one, as if no two were of one size, in no order either
};

[[nodiscard]] constexpr std::string_view name(placement p) {
    constexpr std::string_view names[] = {"strided", "pointers", "listed"};
    return names[static_cast<std::size_t>(p)];
}
[[nodiscard]] std::optional<placement> find_placement(std::string_view text);

// What is applied to sums on their way to C. gelu is the tanh variant.
enum class activation : std::uint8_t { none, relu, gelu, silu };

[[nodiscard]] constexpr std::string_view name(activation f) {
    constexpr std::string_view names[] = {"none", "relu", "gelu", "silu"};
    return names[static_cast<std::size_t>(f)];
}

// C = f(alpha A B + bias) + beta C, where bias has a number for each column of C.
struct epilogue {
    bool bias = false;
    activation f = activation::none;

    [[nodiscard]] bool is_none() const { return !bias && f == activation::none; }
    bool operator==(const epilogue&) const = default;
};

// "bias+gelu"; empty for none.
[[nodiscard]] std::string describe(const epilogue& last);
// The epilogue that describe() gives this text, except the empty one; nullopt if unknown.
[[nodiscard]] std::optional<epilogue> find_epilogue(std::string_view text);

// What is requested beyond C = A B.
struct call {
    std::int64_t batch = 1;   // products of the same sizes
    std::string groups = {};  // rows of products of one n and k, as rows_of_groups() reads them
    placement lies = placement::strided;
    double alpha = 1;
    double beta = 0;
    bool other_e = false;           // what beta multiplies is a matrix other than C
    bool block_scales = false;      // of fp8, by which what is stored is multiplied
    std::optional<dtype> out = {};  // the type of C; none: what the products are summed in
    epilogue last = {};
    bool prepared = false;  // B is packed once, outside what is timed

    [[nodiscard]] bool is_one_product() const { return batch == 1 && groups.empty(); }
    bool operator==(const call&) const = default;
};

// "", "batch 64", "batch 64 by pointers, beta 1": tells results apart, for people too.
[[nodiscard]] std::string describe(const call& asked);

// "64 x 512x512x512", "8 groups, 4096x512x512", or the size alone.
[[nodiscard]] std::string sized(const call& asked, std::int64_t m, std::int64_t n, std::int64_t k);

// The shortest text that tells a number from all others.
[[nodiscard]] std::string shortest(double value);

// The matrices of a batch follow each other, leading dimension included: row-major ones form one
// tall matrix, column-major ones a wide one. So do the B of a group, whose A and C are rows of one
// matrix each.
struct operation {
    core::problem one;  // each product; of a group all rows with one B
    std::int64_t count = 1;
    placement lies = placement::strided;
    epilogue last = {};
    std::vector<std::int64_t> rows = {};  // of each product of a group
    bool sizes_on_device = false;         // for rows that can read them there
    bool prepared = false;                // B, of one product
    bool other_e = false;                 // what beta multiplies lies as C does, and is not C
    bool block_scales = false;            // of one product

    operation() = default;
    // A single product as an operation, for code that takes both.
    operation(const core::problem& each, std::int64_t products = 1,
              placement how = placement::strided)  // NOLINT(google-explicit-constructor)
        : one(each), count(products), lies(how) {}

    [[nodiscard]] bool is_group() const { return !rows.empty(); }
    // Calls of products of different sizes.
    [[nodiscard]] bool is_listed() const { return is_group() || lies == placement::listed; }
    [[nodiscard]] bool is_one_product() const { return count == 1 && !is_group(); }
    // The same functions as for single products.
    [[nodiscard]] bool is_plain() const {
        return is_one_product() && last.is_none() && !prepared && !other_e && !block_scales;
    }
};

[[nodiscard]] operation operation_of(core::problem p, const call& asked);

// Product i, and the largest one; some products of a group may have no rows.
[[nodiscard]] core::problem problem_of(const operation& all, std::int64_t i);
[[nodiscard]] core::problem largest_of(const operation& all);

// Elements from one product to the next in each operand. In a group, from row to row of A and C,
// where product i begins with row first_rows[i].
struct distances {
    std::int64_t a = 0, b = 0, c = 0;
    std::vector<std::int64_t> first_rows = {};
};
[[nodiscard]] distances distances_of(const operation& all);

// The operands of product i; `data` has those of all. Callers that run products know `apart`.
[[nodiscard]] core::operands product_at(const operation& all, const distances& apart,
                                        const core::operands& data, std::int64_t i);
[[nodiscard]] core::operands product_at(const operation& all, const core::operands& data,
                                        std::int64_t i);

// The same if `lies` is not strided: in the order of a scrambled permutation.
[[nodiscard]] std::int64_t shuffled(const operation& all, std::int64_t i);

// The operands of all products as one matrix each: m, k of A, k, n of B, and m, n of C. Only for
// filling, poisoning and counting them.
struct whole_matrix {
    std::int64_t rows, cols;
    core::layout where;
};
[[nodiscard]] whole_matrix whole_a(const operation& all);
[[nodiscard]] whole_matrix whole_b(const operation& all);
[[nodiscard]] whole_matrix whole_c(const operation& all);
// C alone as a problem, for code that reads or writes nothing else.
[[nodiscard]] core::problem problem_of_whole_c(const operation& all);

// A bias is stored twice: in the type in which an epilogue computes, and then in C's type as
// libraries store it, but for fp8 never wider than 16 bits. Both have the same numbers.
[[nodiscard]] dtype bias_type_of(const operation& all);
[[nodiscard]] dtype stored_bias_type_of(const operation& all);
[[nodiscard]] std::int64_t bias_bytes(const operation& all);  // of both; 0 without one
[[nodiscard]] const void* stored_bias(const operation& all, const void* bias);

// The same operands with the matrix that beta multiplies as `c`, to fill or read it.
[[nodiscard]] core::operands with_read_c(const operation& all, core::operands data);

// The epilogue steps for the public call, which refer to `bias`.
[[nodiscard]] detail::epilogue_steps steps_of(const operation& all, const void* bias);

// Why rows without epilogues, and loops over single products, cannot do this; empty if no epilogue
// is requested.
[[nodiscard]] std::string reason_against_epilogue(const operation& all);
[[nodiscard]] std::string reason_against_loop(const operation& all);

// m n k of all products.
[[nodiscard]] double multiply_adds(const operation& all);

// The elements of A, B and C that are read or written.
struct elements {
    double a, b, c;
};
[[nodiscard]] elements elements_of(const operation& all);

// The same as reason_against(entry, problem, settings), for the whole operation.
[[nodiscard]] std::string reason_against(const implementation& entry, const operation& all,
                                         const core::settings& s);

// Only for operations without a reason against them.
[[nodiscard]] std::unique_ptr<runnable> prepare(const implementation& entry, const operation& all,
                                                const core::settings& s);

// Runs each product in turn with what `make` has prepared for its size.
[[nodiscard]] std::unique_ptr<runnable> loop_over(
    const std::function<std::unique_ptr<runnable>(const core::problem&)>& make,
    const operation& all);

}  // namespace carat::rows
