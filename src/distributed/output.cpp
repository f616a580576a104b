#include <algorithm>

#include "distributed/prepared.hpp"

namespace carat::distributed::detail {

namespace {

// A dense matrix of a share, whose memory comes later.
part matrix_of(const share& s, dtype type, std::size_t element_bytes, bool by_columns) {
    part p;
    p.of = s;
    p.element_bytes = element_bytes;
    p.local.type = type;
    p.local.factor = 1;
    p.local.rows = static_cast<std::size_t>(s.rows.size());
    p.local.cols = static_cast<std::size_t>(s.cols.size());
    p.local.row_stride = by_columns ? 1 : s.cols.size();
    p.local.col_stride = by_columns ? s.rows.size() : 1;
    return p;
}

std::size_t bytes_of(const part& p) {
    return padded(p.local.rows * p.local.cols * p.element_bytes);
}

// What a rank multiplies of C.
share face_of(const box& b, const operands& given) {
    if (b.empty() || given.alpha() == 0) return {};
    return {b[dimension::m], b[dimension::n]};
}

// The part of a product that computes this block of C.
box part_of(const box& product, const overlap& block) {
    return {{block.rows.front(), block.cols.front(), product[dimension::k]}};
}

// Whether it takes less time to send each part of C beside the next one's product than to send all
// of them after one product. All ranks ask this of rank 0, so that they decide alike.
bool turns_pay(const schedule& plan, const distribution& target, const pace& by,
               double words_of_element) {
    const box whole = plan.of(0);
    if (whole.empty() || !by.overlaps) return false;
    double multiplied = 0, sent = 0, words = 0;
    for (int shift = 1; shift <= plan.what().ranks; ++shift) {
        const int rank = shift % plan.what().ranks;
        const overlap what =
            overlap_of({whole[dimension::m], whole[dimension::n]}, target.of(rank));
        if (what.empty()) continue;
        multiplied += time_of(part_of(whole, what), words > 0 ? by.beside_messages() : by);
        if (rank == 0) continue;
        const double of_these = static_cast<double>(what.size()) * words_of_element;
        sent = std::max(sent, multiplied) + by.latency_s + of_these / by.words_per_s;
        words += of_these;
    }
    const double together = time_of(whole, by) + by.latency_s + words / by.words_per_s;
    return words > 0 && std::max(multiplied, sent) < together;
}

bool all_are_ranges(const distribution& of, int ranks) {
    for (int rank = 0; rank < ranks; ++rank)
        if (!is_range(of.of(rank))) return false;
    return true;
}

}  // namespace

output::output(communicator& comm, const operands& given, const schedule& plan, bool by_columns,
               const box& last, bool in_turns)
    : where_(&comm.where()),
      given_(&given),
      target_(given.c.where.is_replicated() ? plan.of_c() : given.c.where),
      ranks_(comm.size()),
      copies_(comm.where(), by_columns) {
    const int me = comm.rank();
    const dtype type = given.c.local.type, part_type = parts_of(given.a.local.type);
    c_ = {given.c.where.of(me), given.c.local, size_bytes(type)};
    c_.local.factor = 1;
    const share mine = face_of(plan.of(me), given), held = target_.of(me);
    partial_ = matrix_of(mine, part_type, size_bytes(part_type), by_columns);
    sums_ = matrix_of(held, part_type, bytes_of_sum(part_type), by_columns);
    own_ = overlap_of(held, held);
    in_place_ = is_floating(part_type) && own_.is_one_block() &&
                overlap_of(mine, held).size() == own_.size();
    const dtype operands_type = given.a.local.type;
    const double words = static_cast<double>(partial_.element_bytes) /
                         static_cast<double>(size_bytes(operands_type));
    if (in_turns && all_are_ranges(target_, ranks_) &&
        turns_pay(plan, target_, pace_of(*where_, operands_type, comm.overlaps()), words))
        plan_turns(last, me);
    plan_parts(comm, plan, by_columns);
    adds_last_ = in_place_ && !given.steps && std::ranges::all_of(from_, [&](const incoming& i) {
                     return i.own || (i.what.is_one_block() && i.what.size() == own_.size());
                 });
    if (!given.c.where.is_replicated()) return;
    result_ = matrix_of(held, type, c_.element_bytes, by_columns);
    for (int rank = 0; rank < comm.size(); ++rank) {
        if (rank == me) {
            copies_.copy(c_, result_, own_);
            continue;
        }
        copies_.send(rank, result_, own_);
        const share theirs = target_.of(rank);
        copies_.receive(rank, c_, overlap_of(theirs, theirs));
    }
}

// Ranks that are equally far apart send to each other in the same turn.
std::size_t output::turn_of(int from, int to) const {
    const auto shift = static_cast<std::size_t>((to - from + ranks_) % ranks_);
    if (turns_.empty()) return 0;
    if (shift == 0) return turns_.size() - 1;
    return (shift - 1) * (turns_.size() - 1) / static_cast<std::size_t>(ranks_ - 1);
}

void output::plan_turns(const box& last, int me) {
    constexpr int most = 8;
    turns_.resize(static_cast<std::size_t>(std::min(ranks_ - 1, most) + 1));
    for (int shift = 1; shift <= ranks_; ++shift) {
        const int rank = (me + shift) % ranks_;
        const overlap what = overlap_of({last[dimension::m], last[dimension::n]}, target_.of(rank));
        if (!what.empty()) turns_[turn_of(me, rank)].push_back(part_of(last, what));
    }
}

void output::plan_parts(communicator& comm, const schedule& plan, bool by_columns) {
    const int me = comm.rank();
    const share mine = face_of(plan.of(me), *given_), held = target_.of(me);
    const std::size_t turns = turns_.empty() ? 1 : turns_.size() - 1;
    for (std::size_t i = 0; i < turns; ++i) parts_.emplace_back(*where_, by_columns);
    std::vector<std::size_t> received(turns);
    for (int rank = 0; rank < ranks_; ++rank) {
        const bool own = rank == me;
        const share theirs = face_of(plan.of(rank), *given_);
        if (const overlap what = overlap_of(theirs, held); !what.empty()) {
            const std::size_t turn = own ? 0 : turn_of(rank, me);
            from_.push_back({own, what, turn, own ? 0 : received[turn]++});
            if (!own)
                parts_[turn].receive_apart(rank, partial_.local.type, partial_.element_bytes, what);
        }
        if (!own)
            parts_[turn_of(me, rank)].send(rank, partial_, overlap_of(mine, target_.of(rank)));
    }
}

std::size_t output::bytes() const {
    std::size_t sum = bytes_of(partial_) + (in_place_ ? 0 : bytes_of(sums_)) + bytes_of(result_) +
                      padded(copies_.workspace_bytes());
    for (const movement& m : parts_) sum += padded(m.workspace_bytes());
    return sum;
}

void output::use(std::byte* memory) {
    const auto take = [&](std::size_t bytes) {
        std::byte* const found = memory;
        memory += bytes;
        return found;
    };
    for (part* p : {&partial_, &result_}) p->local.data = take(bytes_of(*p));
    if (in_place_)
        sums_.local = partial_.at(own_.rows.front(), own_.cols.front());
    else
        sums_.local.data = take(bytes_of(sums_));
    copies_.move_sources(result_.local.data);
    copies_.use(take(padded(copies_.workspace_bytes())));
    for (movement& m : parts_) {
        m.move_sources(partial_.local.data);
        m.use(take(padded(m.workspace_bytes())));
    }
}

void output::send(communicator& comm) {
    if (sent_turns_ < parts_.size()) parts_[sent_turns_++].start(comm);
}

void output::reduce(communicator& comm) {
    while (sent_turns_ < parts_.size()) send(comm);
    sent_turns_ = 0;
    if (!in_place_) where_->clear(sums_.local);
    for (movement& m : parts_) m.finish();
    if (adds_last_) return;
    for (const incoming& from : from_) {
        if (from.own && in_place_) continue;
        const block dense = from.own ? block{} : parts_[from.turn].apart(from.index);
        std::int64_t i = 0;
        for (const index_range rows : from.what.rows) {
            std::int64_t j = 0;
            for (const index_range cols : from.what.cols) {
                where_->add(sums_.at(rows, cols),
                            from.own ? partial_.at(rows, cols)
                                     : block_at(dense, i, j, rows.size(), cols.size(),
                                                partial_.element_bytes));
                j += cols.size();
            }
            i += rows.size();
        }
    }
}

std::int64_t output::elements_sent() const {
    std::int64_t sum = 0;
    for (const movement& m : parts_) sum += m.elements_sent();
    return sum;
}

void output::check() const {
    const double alpha = given_->alpha();
    for (const index_range rows : own_.rows)
        for (const index_range cols : own_.cols)
            if (!where_->fits(sums_.at(rows, cols), alpha, given_->beta(), c_.at(rows, cols)))
                throw error(error_code::overflow,
                            "distributed product: a sum does not fit in 32 bits: use smaller "
                            "factors or floating types");
}

void output::finish(const block& to, index_range rows, index_range cols) {
    const block sums = sums_.at(rows, cols), c = c_.at(rows, cols);
    if (given_->steps)
        return where_->finish(
            to, sums, given_->beta(), c,
            given_->ending_at(c_.of.rows.below(rows.begin), c_.of.cols.below(cols.begin)));
    std::vector<block> parts;
    if (adds_last_)
        for (const incoming& from : from_)
            if (!from.own) parts.push_back(parts_[from.turn].apart(from.index));
    where_->finish(to, sums, parts, given_->alpha(), given_->beta(), c);
}

void output::write(communicator& comm) {
    const part& to = given_->c.where.is_replicated() ? result_ : c_;
    for (const index_range rows : own_.rows)
        for (const index_range cols : own_.cols) finish(to.at(rows, cols), rows, cols);
    copies_.start(comm);
    copies_.finish();
}

}  // namespace carat::distributed::detail
