// Who sends what to whom, computed from index ranges: what a rank wants of a matrix and others hold
// is the product of two lists of runs, whatever the layouts are. It travels as one dense block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <carat/distributed.hpp>

#include "distributed/place.hpp"

namespace carat::distributed {

// Whether all indices of a range are in the set.
[[nodiscard]] constexpr bool is_range(const index_set& s) {
    return s.block >= s.period;
}
[[nodiscard]] constexpr bool is_range(const share& s) {
    return is_range(s.rows) && is_range(s.cols);
}

// The rows and columns that two shares have in common.
struct overlap {
    std::vector<index_range> rows;
    std::vector<index_range> cols;
    std::int64_t row_count = 0;
    std::int64_t col_count = 0;

    [[nodiscard]] bool empty() const { return row_count == 0 || col_count == 0; }
    [[nodiscard]] std::int64_t size() const { return row_count * col_count; }
    [[nodiscard]] bool is_one_block() const { return rows.size() == 1 && cols.size() == 1; }
};

[[nodiscard]] overlap overlap_of(const share& x, const share& y);

// A local matrix and the rows and columns that it has.
struct part {
    share of;
    block local;
    std::size_t element_bytes = 0;

    // The block of these rows and columns, which must be runs of the share.
    [[nodiscard]] block at(index_range rows, index_range cols) const {
        return block_at(local, of.rows.below(rows.begin), of.cols.below(cols.begin), rows.size(),
                        cols.size(), element_bytes);
    }
    // The same, if the part has all of them and consecutive.
    [[nodiscard]] std::optional<block> find(index_range rows, index_range cols) const;
};

// Everything that is moved in one step between parts of the same matrix. Messages are dense, by
// rows or by columns, which all ranks must choose alike. A block that is dense where it lies is
// sent from there and received there.
class movement {
  public:
    movement(place& where, bool by_columns) : where_(&where), by_columns_(by_columns) {}

    void send(int peer, const part& from, const overlap& what);
    void receive(int peer, const part& to, const overlap& what);
    // Receives a block that stays as it came, at `at` once the workspace is given.
    void receive_apart(int peer, dtype type, std::size_t element_bytes, const overlap& what);
    void copy(const part& to, const part& from, const overlap& what);

    // Memory for blocks that are not dense where they lie.
    [[nodiscard]] std::size_t workspace_bytes() const { return workspace_bytes_; }
    void use(void* workspace) { workspace_ = static_cast<std::byte*>(workspace); }
    // The memory of the matrix from which, or to which, everything is moved, if it was made later.
    void move_sources(void* data);
    void move_targets(void* data);

    // Starts it. After arrive() everything is where it goes, and after finish() what it came from
    // may be overwritten. They do nothing where there is nothing to move, and each once.
    void start(communicator& comm);
    void arrive();
    void finish();

    // The block received by the i-th receive_apart().
    [[nodiscard]] block apart(std::size_t i) const;
    [[nodiscard]] std::int64_t elements_received() const { return received_; }
    [[nodiscard]] std::int64_t elements_sent() const { return sent_; }

  private:
    struct moved {
        int peer;
        part local;
        overlap what;
        std::optional<std::size_t> packed;  // its place in the workspace
    };
    [[nodiscard]] moved prepared(int peer, const part& local, const overlap& what);
    [[nodiscard]] block dense(const moved& m) const;
    [[nodiscard]] message message_of(const moved& m) const;
    void gather(const moved& m) const;   // from the local matrix to the dense block
    void scatter(const moved& m) const;  // and back

    struct copied {
        part to, from;
        overlap what;
    };

    place* where_;
    bool by_columns_;
    std::vector<moved> sends_, receives_, apart_;
    std::vector<copied> copies_;
    std::size_t workspace_bytes_ = 0;
    std::byte* workspace_ = nullptr;
    std::int64_t received_ = 0, sent_ = 0;
    std::unique_ptr<transfer> running_;
    bool arrived_ = true;
};

}  // namespace carat::distributed
