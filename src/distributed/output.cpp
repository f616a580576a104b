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

}  // namespace

output::output(communicator& comm, const operands& given, const schedule& plan, bool by_columns)
    : where_(&comm.where()),
      given_(&given),
      target_(given.c.where.is_replicated() ? plan.of_c() : given.c.where),
      parts_(comm.where(), by_columns),
      copies_(comm.where(), by_columns) {
    const int me = comm.rank();
    const dtype type = given.c.local.type, part_type = parts_of(given.a.local.type);
    c_ = {given.c.where.of(me), given.c.local, size_bytes(type)};
    c_.local.factor = 1;
    const share mine = face_of(plan.of(me), given), held = target_.of(me);
    partial_ = matrix_of(mine, part_type, size_bytes(part_type), by_columns);
    sums_ = matrix_of(held, part_type, bytes_of_sum(part_type), by_columns);
    own_ = overlap_of(held, held);
    for (int rank = 0; rank < comm.size(); ++rank) {
        const share theirs = face_of(plan.of(rank), given);
        if (const overlap what = overlap_of(theirs, held); !what.empty()) {
            from_.emplace_back(rank, what);
            if (rank != me) parts_.receive_apart(rank, part_type, partial_.element_bytes, what);
        }
        if (rank != me) parts_.send(rank, partial_, overlap_of(mine, target_.of(rank)));
    }
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

std::size_t output::bytes() const {
    return bytes_of(partial_) + bytes_of(sums_) + bytes_of(result_) +
           padded(parts_.workspace_bytes()) + padded(copies_.workspace_bytes());
}

void output::use(std::byte* memory) {
    for (part* p : {&partial_, &sums_, &result_}) {
        p->local.data = memory;
        memory += bytes_of(*p);
    }
    parts_.move_sources(partial_.local.data);
    copies_.move_sources(result_.local.data);
    parts_.use(memory);
    copies_.use(memory + padded(parts_.workspace_bytes()));
}

void output::reduce(communicator& comm) {
    where_->clear(sums_.local);
    parts_.start(comm);
    parts_.finish();
    std::size_t received = 0;
    for (const auto& [rank, what] : from_) {
        const bool own = rank == comm.rank();
        const block dense = own ? block{} : parts_.apart(received++);
        std::int64_t i = 0;
        for (const index_range rows : what.rows) {
            std::int64_t j = 0;
            for (const index_range cols : what.cols) {
                where_->add(
                    sums_.at(rows, cols),
                    own ? partial_.at(rows, cols)
                        : block_at(dense, i, j, rows.size(), cols.size(), partial_.element_bytes));
                j += cols.size();
            }
            i += rows.size();
        }
    }
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
        where_->finish(
            to, sums, given_->beta(), c,
            given_->ending_at(c_.of.rows.below(rows.begin), c_.of.cols.below(cols.begin)));
    else
        where_->finish(to, sums, given_->alpha(), given_->beta(), c);
}

void output::write(communicator& comm) {
    const part& to = given_->c.where.is_replicated() ? result_ : c_;
    for (const index_range rows : own_.rows)
        for (const index_range cols : own_.cols) finish(to.at(rows, cols), rows, cols);
    copies_.start(comm);
    copies_.finish();
}

}  // namespace carat::distributed::detail
