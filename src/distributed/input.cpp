#include <algorithm>

#include "distributed/prepared.hpp"

namespace carat::distributed::detail {

namespace {

share share_of(const region& r) {
    return {r.rows, r.cols};
}

}  // namespace

part input::buffer_for(const arrival& a) const {
    part p;
    p.of = share_of(a.what);
    p.element_bytes = own_.element_bytes;
    p.local = own_.local;
    p.local.rows = static_cast<std::size_t>(a.what.rows.size());
    p.local.cols = static_cast<std::size_t>(a.what.cols.size());
    p.local.row_stride = by_columns_ ? 1 : a.what.cols.size();
    p.local.col_stride = by_columns_ ? a.what.rows.size() : 1;
    // Some address while there are no buffers, from which only strides are read.
    const auto at = static_cast<std::size_t>(a.buffer);
    p.local.data = at < buffers_.size() ? buffers_[at] : nullptr;
    return p;
}

input::input(communicator& comm, const erased_view& given, bool by_columns,
             const std::function<arrivals(int)>& wanted)
    : rank_(comm.rank()),
      own_{given.where.of(comm.rank()), given.local, size_bytes(given.local.type)},
      by_columns_(by_columns),
      mine_(wanted(comm.rank())) {
    own_.local.factor = 1;
    std::vector<arrivals> all;
    std::size_t steps = 0;
    for (int rank = 0; rank < comm.size(); ++rank) {
        all.push_back(rank == rank_ ? mine_ : wanted(rank));
        steps = std::max(steps, all.back().size());
    }
    mine_.resize(steps);
    for (const auto& a : mine_) {
        if (!a) continue;
        const auto at = static_cast<std::size_t>(a->buffer);
        buffer_bytes_.resize(std::max(buffer_bytes_.size(), at + 1));
        const auto elements = static_cast<std::size_t>(a->what.rows.size() * a->what.cols.size());
        buffer_bytes_[at] = std::max(buffer_bytes_[at], padded(elements * own_.element_bytes));
    }
    present_.resize(buffer_bytes_.size());
    for (std::size_t s = 0; s < steps; ++s) {
        movement& m = movements_.emplace_back(comm.where(), by_columns);
        for (int rank = 0; rank < comm.size(); ++rank) {
            const arrivals& theirs = all[static_cast<std::size_t>(rank)];
            const bool from_others = !given.where.is_replicated() && rank != rank_;
            if (from_others && s < theirs.size() && theirs[s])
                m.send(rank, own_, overlap_of(own_.of, share_of(theirs[s]->what)));
            if (!mine_[s]) continue;
            const share want = share_of(mine_[s]->what);
            if (from_others)
                m.receive(rank, buffer_for(*mine_[s]), overlap_of(given.where.of(rank), want));
            else if (rank == rank_)
                m.copy(buffer_for(*mine_[s]), own_, overlap_of(own_.of, want));
        }
        packing_bytes_[s % 2] = std::max(packing_bytes_[s % 2], padded(m.workspace_bytes()));
    }
}

std::size_t input::bytes() const {
    std::size_t sum = packing_bytes_[0] + packing_bytes_[1];
    for (const std::size_t b : buffer_bytes_) sum += b;
    return sum;
}

void input::use(std::byte* memory) {
    for (std::size_t s = 0; s < movements_.size(); ++s)
        movements_[s].use(memory + (s % 2) * packing_bytes_[0]);
    memory += packing_bytes_[0] + packing_bytes_[1];
    for (const std::size_t b : buffer_bytes_) {
        buffers_.push_back(memory);
        memory += b;
    }
    for (std::size_t s = 0; s < movements_.size(); ++s)
        if (mine_[s]) movements_[s].move_targets(buffer_for(*mine_[s]).local.data);
}

void input::start(communicator& comm, std::size_t step) {
    if (step >= movements_.size()) return;
    if (mine_[step]) present_[static_cast<std::size_t>(mine_[step]->buffer)].reset();
    if (step >= 2 && packs()) movements_[step - 2].finish();
    movements_[step].start(comm);
}

void input::finish() {
    for (movement& m : movements_) m.finish();
}

bool input::packs() const {
    return packing_bytes_[0] + packing_bytes_[1] > 0;
}

bool input::steps_are_apart() const {
    const auto arrivals = std::ranges::count_if(mine_, &std::optional<arrival>::has_value);
    return !packs() && arrivals == std::ssize(buffer_bytes_);
}

void input::arrive(std::size_t step) {
    if (step >= movements_.size()) return;
    movements_[step].arrive();
    if (mine_[step]) present_[static_cast<std::size_t>(mine_[step]->buffer)] = mine_[step]->what;
}

block input::find(index_range rows, index_range cols) const {
    for (std::size_t i = 0; i < present_.size(); ++i)
        if (present_[i] && present_[i]->rows.contains(rows) && present_[i]->cols.contains(cols)) {
            const part p = buffer_for({*present_[i], static_cast<int>(i)});
            return p.at(rows, cols);
        }
    if (const auto own = own_.find(rows, cols)) return *own;
    throw error(error_code::invalid_argument,
                "distributed product: a piece of an operand has not arrived: report this");
}

std::int64_t input::elements_received() const {
    std::int64_t sum = 0;
    for (const movement& m : movements_) sum += m.elements_received();
    return sum;
}

}  // namespace carat::distributed::detail
