#include "distributed/movement.hpp"

#include <numeric>

namespace carat::distributed {

namespace {

std::vector<index_range> common_runs(const index_set& x, const index_set& y) {
    std::vector<index_range> found;
    for (const index_range run : x.runs(y.within))
        for (const index_range both : y.runs(run)) {
            if (!found.empty() && found.back().end == both.begin)
                found.back().end = both.end;
            else
                found.push_back(both);
        }
    return found;
}

std::int64_t total(const std::vector<index_range>& runs) {
    return std::accumulate(runs.begin(), runs.end(), std::int64_t{0},
                           [](std::int64_t sum, index_range r) { return sum + r.size(); });
}

// Whether the elements are next to each other in this order.
bool is_dense(const block& b, bool by_columns) {
    const auto line = static_cast<std::ptrdiff_t>(by_columns ? b.rows : b.cols);
    const std::size_t lines = by_columns ? b.cols : b.rows;
    const std::ptrdiff_t next = by_columns ? b.col_stride : b.row_stride;
    const std::ptrdiff_t inside = by_columns ? b.row_stride : b.col_stride;
    return (line == 1 || inside == 1) && (lines == 1 || next == line);
}

}  // namespace

overlap overlap_of(const share& x, const share& y) {
    overlap both{common_runs(x.rows, y.rows), common_runs(x.cols, y.cols)};
    both.row_count = total(both.rows);
    both.col_count = total(both.cols);
    return both;
}

std::optional<block> part::find(index_range rows, index_range cols) const {
    const overlap have = overlap_of(of, {rows, cols});
    if (!have.is_one_block() || have.size() != rows.size() * cols.size()) return {};
    return at(rows, cols);
}

movement::moved movement::prepared(int peer, const part& local, const overlap& what) {
    moved m{peer, local, what, {}};
    if (what.is_one_block() &&
        is_dense(local.at(what.rows.front(), what.cols.front()), by_columns_))
        return m;
    m.packed = workspace_bytes_;
    workspace_bytes_ += padded(static_cast<std::size_t>(what.size()) * local.element_bytes);
    return m;
}

void movement::send(int peer, const part& from, const overlap& what) {
    if (what.empty()) return;
    sends_.push_back(prepared(peer, from, what));
    sent_ += what.size();
}

void movement::receive(int peer, const part& to, const overlap& what) {
    if (what.empty()) return;
    receives_.push_back(prepared(peer, to, what));
    received_ += what.size();
}

void movement::receive_apart(int peer, dtype type, std::size_t element_bytes, const overlap& what) {
    part nowhere;
    nowhere.local.type = type;
    nowhere.element_bytes = element_bytes;
    moved m{peer, nowhere, what, workspace_bytes_};
    workspace_bytes_ += padded(static_cast<std::size_t>(what.size()) * element_bytes);
    apart_.push_back(m);
    received_ += what.size();
}

void movement::copy(const part& to, const part& from, const overlap& what) {
    if (!what.empty()) copies_.push_back({to, from, what});
}

void movement::move_sources(void* data) {
    for (moved& m : sends_) m.local.local.data = data;
    for (copied& c : copies_) c.from.local.data = data;
}

void movement::move_targets(void* data) {
    for (moved& m : receives_) m.local.local.data = data;
    for (copied& c : copies_) c.to.local.data = data;
}

block movement::dense(const moved& m) const {
    if (!m.packed) return m.local.at(m.what.rows.front(), m.what.cols.front());
    block packed = m.local.local;
    packed.data = workspace_ + *m.packed;
    packed.rows = static_cast<std::size_t>(m.what.row_count);
    packed.cols = static_cast<std::size_t>(m.what.col_count);
    packed.row_stride = by_columns_ ? 1 : m.what.col_count;
    packed.col_stride = by_columns_ ? m.what.row_count : 1;
    packed.factor = 1;
    return packed;
}

message movement::message_of(const moved& m) const {
    return {m.peer, dense(m).data, static_cast<std::size_t>(m.what.size()) * m.local.element_bytes};
}

// Calls with the blocks of one run of rows by one of columns, in the local matrix and in the dense
// block.
template <class Call>
static void for_each_block(const part& local, const overlap& what, const block& packed,
                           const Call& call) {
    std::int64_t i = 0;
    for (const index_range rows : what.rows) {
        std::int64_t j = 0;
        for (const index_range cols : what.cols) {
            call(local.at(rows, cols),
                 block_at(packed, i, j, rows.size(), cols.size(), local.element_bytes));
            j += cols.size();
        }
        i += rows.size();
    }
}

void movement::gather(const moved& m) const {
    if (!m.packed) return;
    for_each_block(m.local, m.what, dense(m),
                   [&](const block& local, const block& packed) { where_->copy(packed, local); });
}

void movement::scatter(const moved& m) const {
    if (!m.packed) return;
    for_each_block(m.local, m.what, dense(m),
                   [&](const block& local, const block& packed) { where_->copy(local, packed); });
}

void movement::start(communicator& comm) {
    for (const moved& m : sends_) gather(m);
    std::vector<message> sends, receives;
    for (const moved& m : sends_) sends.push_back(message_of(m));
    for (const std::vector<moved>* all : {&receives_, &apart_})
        for (const moved& m : *all) receives.push_back(message_of(m));
    if (!sends.empty() || !receives.empty()) running_ = comm.start(sends, receives);
    arrived_ = false;
    for (const copied& c : copies_)
        for (const index_range rows : c.what.rows)
            for (const index_range cols : c.what.cols)
                where_->copy(c.to.at(rows, cols), c.from.at(rows, cols));
}

void movement::arrive() {
    if (arrived_) return;
    if (running_) running_->arrive();
    for (const moved& m : receives_) scatter(m);
    arrived_ = true;
}

void movement::finish() {
    arrive();
    if (running_) running_->finish();
    running_.reset();
}

block movement::apart(std::size_t i) const {
    return dense(apart_[i]);
}

}  // namespace carat::distributed
