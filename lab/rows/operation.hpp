// What one run of an implementation does, where that may be more than one product: a batch, of one
// size, or a group, whose rows differ. Everybody who carries a case carries this value; what is
// asked beyond types, sizes and strides is a `call`, which the command parses, files keep and
// tables name. A new dimension is a field of `call` with its text, its part in operation_of(), and
// what rows answer to it.
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

// How an implementation is told where the products of a batch are.
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

// What is done to sums on their way to C. gelu is the one with tanh.
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
// The one described so, but for none.
[[nodiscard]] std::optional<epilogue> find_epilogue(std::string_view text);

// What is asked beyond C = A B.
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

// "", "batch 64", "batch 64 by pointers, beta 1": as results are told apart and people read it.
[[nodiscard]] std::string describe(const call& asked);

// "64 x 512x512x512", "8 groups, 4096x512x512", or the size alone.
[[nodiscard]] std::string sized(const call& asked, std::int64_t m, std::int64_t n, std::int64_t k);

// A number as short as tells it from all others.
[[nodiscard]] std::string shortest(double value);

// The matrices of a batch lie one after the other, the leading dimension included: by rows they are
// one tall matrix, by columns one wide one. So do the B of a group, whose A and C are rows of one
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
    // A product is one, too, for whoever takes both.
    operation(const core::problem& each, std::int64_t products = 1,
              placement how = placement::strided)  // NOLINT(google-explicit-constructor)
        : one(each), count(products), lies(how) {}

    [[nodiscard]] bool is_group() const { return !rows.empty(); }
    // What calls for products of different sizes do.
    [[nodiscard]] bool is_listed() const { return is_group() || lies == placement::listed; }
    [[nodiscard]] bool is_one_product() const { return count == 1 && !is_group(); }
    // What the functions of rows for single products do.
    [[nodiscard]] bool is_plain() const {
        return is_one_product() && last.is_none() && !prepared && !other_e && !block_scales;
    }
};

[[nodiscard]] operation operation_of(core::problem p, const call& asked);

// Product i, and the largest; of a group some may have no rows.
[[nodiscard]] core::problem problem_of(const operation& all, std::int64_t i);
[[nodiscard]] core::problem largest_of(const operation& all);

// From one product to the next, in elements of each operand; of a group from row to row of A and C,
// where product i begins with row first_rows[i].
struct distances {
    std::int64_t a = 0, b = 0, c = 0;
    std::vector<std::int64_t> first_rows = {};
};
[[nodiscard]] distances distances_of(const operation& all);

// The operands of product i; those of all are `data`. Whoever runs products knows `apart`.
[[nodiscard]] core::operands product_at(const operation& all, const distances& apart,
                                        const core::operands& data, std::int64_t i);
[[nodiscard]] core::operands product_at(const operation& all, const core::operands& data,
                                        std::int64_t i);

// The same where `lies` is not strided: a permutation of the products that is in no order.
[[nodiscard]] std::int64_t shuffled(const operation& all, std::int64_t i);

// The operands of all products as one matrix each: m, k of A, k, n of B and m, n of C in turn. Only
// for those who fill, poison or count them.
struct whole_matrix {
    std::int64_t rows, cols;
    core::layout where;
};
[[nodiscard]] whole_matrix whole_a(const operation& all);
[[nodiscard]] whole_matrix whole_b(const operation& all);
[[nodiscard]] whole_matrix whole_c(const operation& all);
// Of C alone, as a problem: for what reads or writes nothing else.
[[nodiscard]] core::problem problem_of_whole_c(const operation& all);

// A bias lies there twice, for what an epilogue computes in and, behind that, as libraries store
// it: of C's type, but beside fp8 never wider than 16 bits. Its numbers are those of both.
[[nodiscard]] dtype bias_type_of(const operation& all);
[[nodiscard]] dtype stored_bias_type_of(const operation& all);
[[nodiscard]] std::int64_t bias_bytes(const operation& all);  // of both; 0 without one
[[nodiscard]] const void* stored_bias(const operation& all, const void* bias);

// The same operands with, as `c`, the matrix that beta multiplies: for who fills or reads that one.
[[nodiscard]] core::operands with_read_c(const operation& all, core::operands data);

// What the public call would be told, to which `bias` belongs.
[[nodiscard]] detail::epilogue_steps steps_of(const operation& all, const void* bias);

// Why no epilogue is done by a row that does nothing else of an operation, or by a loop over single
// products; empty: none is asked.
[[nodiscard]] std::string reason_against_epilogue(const operation& all);
[[nodiscard]] std::string reason_against_loop(const operation& all);

// m n k of all products.
[[nodiscard]] double multiply_adds(const operation& all);

// Elements of the A, B and C that are read or written, in turn.
struct elements {
    double a, b, c;
};
[[nodiscard]] elements elements_of(const operation& all);

// As reason_against(entry, problem, settings), of all that `all` is.
[[nodiscard]] std::string reason_against(const implementation& entry, const operation& all,
                                         const core::settings& s);

// Only where nothing is against it.
[[nodiscard]] std::unique_ptr<runnable> prepare(const implementation& entry, const operation& all,
                                                const core::settings& s);

// Runs each product, one after the other, by what `make` has made ready for its size.
[[nodiscard]] std::unique_ptr<runnable> loop_over(
    const std::function<std::unique_ptr<runnable>(const core::problem&)>& make,
    const operation& all);

}  // namespace carat::rows
