// One product or batch, drawn from a seed: all arguments of the call, and the trial that it
// undergoes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <carat/accuracy.hpp>
#include <carat/epilogue.hpp>
#include <carat/policy.hpp>
#include <carat/types.hpp>

#include "operand.hpp"
#include "random.hpp"

namespace carat::fuzz {

// `small` numbers are between those around 1 and the subnormal ones.
enum class numbers { whole, uniform, positive, wide, small, tiny, large, special, sparse };
enum class addend { none, own, c };
enum class prepared { none, left, right };
// An operand whose lines are so far apart that it spans more than 2^31 elements.
enum class far_operand { none, a, b, e, c };

// The trial: what is done besides making the call.
enum class trial { ordinary, aliased, bad_argument, failing_memory, many_threads };

struct product_size {
    std::size_t m;
    std::size_t n;
    std::size_t k;
};

struct drawn_step {
    detail::step_kind kind;
    by of = by::column;
    double number = 1;
};

struct product_case {
    std::uint64_t number = 0;
    trial how = trial::ordinary;
    dtype a_type = dtype::f64;
    dtype b_type = dtype::f64;
    dtype c_type = dtype::f64;
    grouping group = grouping::one;
    std::vector<product_size> sizes;
    bool a_for_all = false;
    bool b_for_all = false;
    bool e_for_all = false;
    bool b_strided = false;  // the B of lists
    bool turned = false;     // each operand is told as the transpose of its transpose
    prepared ready = prepared::none;
    addend e = addend::none;
    double a_factor = 1;
    double b_factor = 1;
    double beta = 1;
    std::vector<drawn_step> steps;
    bool has_epilogue = false;
    bool signed_zeros = false;  // among the values of steps
    int threads = 1;
    bool f16_sums = false;
    bool on_gpu = false;
    bool batch_invariant = false;
    f32_as f32 = f32_as::f32;
    bool by_c = false;        // through carat.h
    bool by_blocks = false;   // A and B have scales of blocks
    bool shared_out = false;  // it becomes several by carat::ragged
    bool loses_rows = false;  // batch-invariant, and called again with few of many rows
    bool chained = false;     // a call ahead of it, on its stream, makes A
    far_operand far = far_operand::none;
    CUstream_st* stream = nullptr;
    int device = -1;     // as the call names it
    bool whole = false;  // all numbers are small and whole
    numbers a_numbers = numbers::uniform;
    numbers b_numbers = numbers::uniform;
    numbers e_numbers = numbers::uniform;

    // alpha as the call computes it from its factors.
    [[nodiscard]] double alpha() const { return a_factor * b_factor; }
    // The type in which sums and the epilogue are computed.
    [[nodiscard]] dtype sums() const {
        if (c_type == dtype::i32) return dtype::i32;
        return a_type == dtype::f64 ? dtype::f64 : dtype::f32;
    }
    // A gate takes two columns of A B for one of C.
    [[nodiscard]] bool is_gated() const;
    [[nodiscard]] std::size_t columns_of_b(std::size_t product) const {
        return sizes[product].n * (is_gated() ? 2 : 1);
    }
    // The index of the amax step, or the number of steps.
    [[nodiscard]] std::size_t place_of_largest() const;
    // The multiplications of all products.
    [[nodiscard]] double work() const;
    [[nodiscard]] bool reads_e() const { return e != addend::none && beta != 0; }
    [[nodiscard]] std::string describe() const;
};

// The case of that number; later draws (positions, values) continue `random`.
[[nodiscard]] product_case draw_case(random_numbers& random, std::uint64_t number, bool on_gpu);

void draw_values(random_numbers& random, numbers of, dtype type, std::size_t depth,
                 std::vector<double>& to);

}  // namespace carat::fuzz
