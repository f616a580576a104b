#include <cmath>
#include <span>
#include <string>

#include "distributed/prepared.hpp"

namespace carat::distributed::detail {

namespace {

std::string sizes(std::int64_t rows, std::int64_t cols) {
    return std::to_string(rows) + " x " + std::to_string(cols);
}

[[noreturn]] void fail(error_code code, const std::string& message) {
    throw error(code, "distributed product: " + message);
}

void validate(const communicator& comm, const erased_view& v, char letter) {
    if (const int ranks = v.where.ranks(); ranks != 0 && ranks != comm.size())
        fail(error_code::size_mismatch,
             std::string(1, letter) + " is distributed over " + std::to_string(ranks) +
                 " ranks, but the communicator has " + std::to_string(comm.size()));
    const share own = v.where.of(comm.rank());
    const std::int64_t rows = own.rows.size(), cols = own.cols.size();
    const auto given_rows = static_cast<std::int64_t>(v.local.rows);
    const auto given_cols = static_cast<std::int64_t>(v.local.cols);
    const bool both_empty = rows * cols == 0 && given_rows * given_cols == 0;
    if (!both_empty && (rows != given_rows || cols != given_cols))
        fail(error_code::size_mismatch,
             std::string("the local matrix of ") + letter + " is " + sizes(given_rows, given_cols) +
                 ", but its layout puts " + sizes(rows, cols) + " of the " +
                 sizes(v.where.rows(), v.where.cols()) + " elements here");
    if (rows * cols > 0 && v.local.data == nullptr)
        fail(error_code::invalid_argument,
             std::string("the data of ") + letter + " are null: give their address");
}

void validate(const carat::detail::epilogue_steps& steps, const erased_view& c) {
    using carat::detail::step_kind;
    if (is_integer(c.local.type))
        fail(error_code::invalid_argument,
             "C is of integers, which have no epilogue: multiply "
             "without one");
    for (const carat::detail::epilogue_step& step : std::span(steps.at).first(steps.count)) {
        if (is_gate(step.kind) || step.kind == step_kind::amax)
            fail(error_code::unsupported, std::string(is_gate(step.kind) ? "gates" : "amax") +
                                              " of an epilogue work on one GPU alone: apply them "
                                              "after the product");
        if (step.kind != step_kind::bias && step.kind != step_kind::scale) continue;
        const bool rows = step.of == by::row;
        const std::size_t needed = rows ? c.local.rows : c.local.cols;
        const char* const name = step.kind == step_kind::bias ? "bias" : "scale";
        if (step.count != needed)
            fail(error_code::size_mismatch,
                 std::string(name) + " has " + std::to_string(step.count) +
                     " values, but the local matrix of C has " + std::to_string(needed) +
                     (rows ? " rows" : " columns") + ": give one for each");
        if (needed > 0 && step.values == nullptr)
            fail(error_code::invalid_argument,
                 std::string("the values of ") + name + " are null: give their address");
    }
}

}  // namespace

void validate(const communicator& comm, const operands& given) {
    const auto mismatch = [&](const char* what, std::int64_t x, std::int64_t y) {
        if (x != y)
            fail(error_code::size_mismatch,
                 std::string(what) + " differ: " + std::to_string(x) + " and " + std::to_string(y));
    };
    mismatch("the columns of A and the rows of B", given.a.where.cols(), given.b.where.rows());
    mismatch("the rows of A and of C", given.a.where.rows(), given.c.where.rows());
    mismatch("the columns of B and of C", given.b.where.cols(), given.c.where.cols());
    validate(comm, given.a, 'A');
    validate(comm, given.b, 'B');
    validate(comm, given.c, 'C');
    if (given.e && (given.e->local.data != given.c.local.data ||
                    given.e->local.row_stride != given.c.local.row_stride ||
                    given.e->local.col_stride != given.c.local.col_stride))
        fail(error_code::invalid_argument, "E is another matrix than C: it must be C itself");
    if (given.steps) validate(*given.steps, given.c);
    if (is_integer(given.c.local.type))
        for (const double factor : {given.alpha(), given.beta()})
            if (factor != std::floor(factor) || std::abs(factor) > 0x1p31)
                fail(error_code::invalid_argument,
                     "a factor of " + std::to_string(factor) +
                         ": products of integers need whole numbers up to 2^31");
}

bool writes_in_place(const schedule& plan, const distribution& c) {
    if (c.is_replicated() || plan.splits_k()) return false;
    for (int rank = 0; rank < plan.what().ranks; ++rank) {
        const box own = plan.of(rank);
        const share held = c.of(rank);
        const index_range rows = own[dimension::m], cols = own[dimension::n];
        const std::int64_t face = own.empty() ? 0 : rows.size() * cols.size();
        if (held.rows.size() * held.cols.size() != face) return false;
        if (face == 0) continue;
        const overlap both = overlap_of(held, {rows, cols});
        if (!both.is_one_block() || both.size() != face) return false;
    }
    return true;
}

}  // namespace carat::distributed::detail
