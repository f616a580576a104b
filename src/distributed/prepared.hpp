// A product that is ready to run: who sends what in each step, and the memory for it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <carat/distributed.hpp>

#include "distributed/agreement.hpp"
#include "distributed/movement.hpp"
#include "distributed/place.hpp"
#include "distributed/schedule.hpp"
#include "distributed/steps.hpp"

namespace carat::distributed::detail {

// What a rank is given.
struct operands {
    erased_view a, b;
    std::optional<erased_view> e;
    erased_view c;
    std::optional<carat::detail::epilogue_steps> steps = {};

    [[nodiscard]] ending ending_at(std::int64_t row, std::int64_t col) const {
        return {steps ? &*steps : nullptr, row, col};
    }
    [[nodiscard]] double alpha() const { return a.local.factor * b.local.factor; }
    [[nodiscard]] double beta() const { return e ? e->local.factor : 0; }
};

// A or B: what arrives in each step, and where it then is.
class input {
  public:
    // `wanted(rank)` gives the arrivals of a rank, one for each step of its own; absent ones hold
    // nothing.
    using arrivals = std::vector<std::optional<arrival>>;
    input(communicator& comm, const erased_view& given, bool by_columns,
          const std::function<arrivals(int)>& wanted);

    [[nodiscard]] std::size_t bytes() const;
    void use(std::byte* memory);

    void start(communicator& comm, std::size_t step);
    void arrive(std::size_t step);
    // The end of all steps: what others read of this rank's matrix may be overwritten.
    void finish();
    // Whether no step needs memory of an earlier one, so that all may be started at once.
    [[nodiscard]] bool steps_are_apart() const;
    // The elements of a region that is present.
    [[nodiscard]] block find(index_range rows, index_range cols) const;
    [[nodiscard]] std::int64_t elements_received() const;
    [[nodiscard]] std::size_t steps() const { return movements_.size(); }

  private:
    [[nodiscard]] part buffer_for(const arrival& a) const;
    [[nodiscard]] bool packs() const;

    int rank_;
    part own_;
    bool by_columns_;
    arrivals mine_;
    std::vector<std::size_t> buffer_bytes_;  // of each buffer
    std::vector<std::byte*> buffers_;
    std::array<std::size_t, 2> packing_bytes_{};  // of even and odd steps
    std::vector<movement> movements_;
    std::vector<std::optional<region>> present_;  // in each buffer
};

// C, where parts of it are added up by the ranks that hold it. A rank multiplies what others hold
// first, so that it travels while what the rank itself holds is multiplied:
//
//     product    | for rank 1 | for rank 2 | its own |
//     messages                | to rank 1  | to rank 2 |
class output {
  public:
    // `last`: the last product of this rank. `in_turns`: every rank's is its whole part of C.
    output(communicator& comm, const operands& given, const schedule& plan, bool by_columns,
           const box& last, bool in_turns);

    [[nodiscard]] std::size_t bytes() const;
    void use(std::byte* memory);

    // The rank's own part of the sums, of which `products` write blocks.
    [[nodiscard]] const part& partial() const { return partial_; }
    // The products whose sums are sent together, in this order, and at last those that stay; none
    // if the last product isn't cut.
    [[nodiscard]] const std::vector<std::vector<box>>& turns() const { return turns_; }
    // Sends what the next turn computed.
    void send(communicator& comm);
    // Adds up the parts of all ranks.
    void reduce(communicator& comm);
    // Throws carat::error(overflow) if an integer does not fit.
    void check() const;
    void write(communicator& comm);
    [[nodiscard]] std::int64_t elements_sent() const;

  private:
    struct incoming {
        bool own;
        overlap what;
        std::size_t turn, index;  // among the blocks received in that turn
    };
    void plan_turns(const box& last, int me);
    void plan_parts(communicator& comm, const schedule& plan, bool by_columns);
    [[nodiscard]] std::size_t turn_of(int from, int to) const;
    void finish(const block& to, index_range rows, index_range cols);

    place* where_;
    const operands* given_;
    distribution target_;  // the layout in which parts are added up
    part c_, partial_, sums_, result_;
    overlap own_;
    std::vector<incoming> from_;  // by rank, this one too
    int ranks_;
    std::vector<std::vector<box>> turns_;
    std::vector<movement> parts_;  // of each turn
    std::size_t sent_turns_ = 0;
    movement copies_;
    bool in_place_ = false;   // the other ranks' parts are added to this one's
    bool adds_last_ = false;  // as C is written, so that memory is read once
};

// What a rank's place and communicator make of its products and messages.
[[nodiscard]] inline pace pace_of(const place& where, dtype operands, bool overlaps) {
    return distributed::pace_of(where.is_host(), operands, overlaps, where.units_of_messages());
}

struct prepared {
    prepared(communicator& comm, operands given, const options& how);
    void run();
    [[nodiscard]] traffic moved() const;

  private:
    void plan_steps(const schedule& plan, const std::vector<claim>& claims);
    void allocate(std::size_t limit_bytes);
    void multiply(const box& of, bool first);
    [[nodiscard]] std::size_t own_bytes() const;

    communicator* comm_;
    operands given_;
    std::vector<step> steps_;
    std::optional<input> a_, b_;
    std::optional<output> c_;  // none: products write to C where it lies
    part direct_;
    memory workspace_;
    std::size_t workspace_bytes_ = 0;
    bool k_whole_ = true;
};

// Throws what is wrong with this rank's own arguments.
void validate(const communicator& comm, const operands& given);

// Whether every rank holds exactly the C of its box, so that it can be written there at once.
[[nodiscard]] bool writes_in_place(const schedule& plan, const distribution& c);

}  // namespace carat::distributed::detail
