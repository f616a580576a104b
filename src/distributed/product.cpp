#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "distributed/choice.hpp"
#include "distributed/parts.hpp"
#include "distributed/prepared.hpp"
#include "distributed/relabel.hpp"

namespace carat::distributed {

namespace detail {

namespace {

// Two epilogues of other steps differ in it. Values and functors are each rank's own.
std::uint64_t fingerprint(const carat::detail::epilogue_steps& steps) {
    std::uint64_t hash = steps.count;
    const auto mix = [&](std::uint64_t x) {
        hash = (hash ^ x) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32U;
    };
    for (std::size_t i = 0; i < steps.count; ++i) {
        mix(static_cast<std::uint64_t>(steps.at[i].kind) << 8U |
            static_cast<std::uint64_t>(steps.at[i].of));
        mix(std::bit_cast<std::uint64_t>(steps.at[i].number));
    }
    return hash;
}

bool has_functor(const operands& given) {
    if (!given.steps) return false;
    const auto steps = std::span(given.steps->at).first(given.steps->count);
    return std::ranges::any_of(steps, [](const carat::detail::epilogue_step& s) {
        return s.kind == carat::detail::step_kind::each;
    });
}

claim claim_of(const operands& given, const options& how, const place& where) {
    claim own;
    own.size = {given.c.where.rows(), given.c.where.cols(), given.a.where.cols()};
    own.layouts = {given.a.where.fingerprint(), given.b.where.fingerprint(),
                   given.c.where.fingerprint()};
    own.types = {given.a.local.type, given.b.local.type, given.c.local.type};
    own.by_columns = {lies_by_columns(given.a.local), lies_by_columns(given.b.local),
                      lies_by_columns(given.c.local)};
    own.alpha = given.alpha();
    own.beta = given.beta();
    own.memory_bytes = how.memory_bytes;
    own.units_of_messages = where.units_of_messages();
    if (how.along) own.along = static_cast<int>(*how.along);
    if (given.steps) own.steps = fingerprint(*given.steps);
    return own;
}

// The layout of messages: that of the local matrices of any rank that has one.
bool by_columns(const std::vector<claim>& claims, std::size_t operand) {
    return std::ranges::any_of(claims, [&](const claim& c) { return c.by_columns[operand]; });
}

schedule schedule_for(const std::vector<claim>& claims, const operands& given, bool overlaps) {
    const claim& first = claims.front();
    task what{{first.size}, static_cast<int>(claims.size()), 0, true};
    if (first.along >= 0) what.along = static_cast<dimension>(first.along);
    std::size_t least = 0;
    for (std::size_t rank = 0; rank < claims.size(); ++rank) {
        const std::uint64_t bytes = claims[rank].memory_bytes;
        if (bytes != 0 && (what.memory_words == 0 || bytes < claims[least].memory_bytes)) {
            least = rank;
            what.memory_words = static_cast<double>(bytes) /
                                static_cast<double>(size_bytes(parts_of(first.types[0])));
        }
    }
    try {
        return choose_schedule(what, {given.a.where, given.b.where, given.c.where}, overlaps);
    } catch (const error& why) {
        throw error(why.code(),
                    "rank " + std::to_string(least) + " has the least memory: " + why.what());
    }
}

// Whether the step computes all that the rank does of C, in one product.
bool is_whole(const step& last, const box& of) {
    return last.products.size() == 1 && last.products.front()[dimension::m] == of[dimension::m] &&
           last.products.front()[dimension::n] == of[dimension::n];
}

}  // namespace

prepared::prepared(communicator& comm, operands given, const options& how)
    : comm_(&comm), given_(std::move(given)) {
    agree_on_errors(comm, error_of([&] { validate(comm, given_); }));
    const std::vector<claim> claims = agree_on_claims(comm, claim_of(given_, how, comm.where()));
    const layouts where = relabelled({given_.a.where, given_.b.where, given_.c.where});
    given_.a.where = where.a;
    given_.b.where = where.b;
    given_.c.where = where.c;
    const schedule plan = schedule_for(claims, given_, comm.overlaps());
    agree_on_errors(comm, error_of([&] {
                        plan_steps(plan, claims);
                        allocate(how.memory_bytes);
                    }));
}

void prepared::plan_steps(const schedule& plan, const std::vector<claim>& claims) {
    const pace by = pace_of(comm_->where(), given_.a.local.type, comm_->overlaps());
    std::vector<std::vector<step>> all(claims.size());
    k_whole_ = plan.pieces() == 1;
    const dtype type = given_.c.local.type;
    const bool keeps_sums =
        is_floating(type) && type == parts_of(given_.a.local.type) && !given_.steps.has_value();
    for (int rank = 0; rank < comm_->size() && given_.alpha() != 0; ++rank) {
        std::vector<step>& own = all[static_cast<std::size_t>(rank)];
        if (!by.overlaps && keeps_sums && plan.pieces() == 1)
            own = steps_in_parts(plan.of(rank), rank, given_.a.where, given_.b.where);
        if (own.empty())
            own = steps_of(plan, rank, given_.a.where.of(rank), given_.b.where.of(rank), by);
        else if (rank == comm_->rank())
            k_whole_ = false;
    }
    const auto arrivals_of = [&](std::optional<arrival> step::*which) {
        return [&all, which](int rank) {
            input::arrivals found;
            for (const step& s : all[static_cast<std::size_t>(rank)]) found.push_back(s.*which);
            return found;
        };
    };
    steps_ = all[static_cast<std::size_t>(comm_->rank())];
    a_.emplace(*comm_, given_.a, by_columns(claims, 0), arrivals_of(&step::a));
    b_.emplace(*comm_, given_.b, by_columns(claims, 1), arrivals_of(&step::b));
    // Sums of several pieces may stay in C, unless an epilogue must not see them before the last.
    const bool sums_fit = plan.pieces() == 1 || keeps_sums;
    // A functor is told where in the local C it is, and the products of pieces do not know.
    if (given_.alpha() != 0 && plan.what().size.volume() > 0 && is_floating(type) && sums_fit &&
        !has_functor(given_) && writes_in_place(plan, given_.c.where)) {
        direct_ = {given_.c.where.of(comm_->rank()), given_.c.local, size_bytes(type)};
        direct_.local.factor = 1;
    } else {
        const auto whole = [&](int rank) {
            const std::vector<step>& own = all[static_cast<std::size_t>(rank)];
            return own.empty() || is_whole(own.back(), plan.of(rank));
        };
        bool in_turns = true;
        for (int rank = 0; rank < comm_->size(); ++rank) in_turns = in_turns && whole(rank);
        const box last = steps_.empty() || !in_turns ? box{} : steps_.back().products.front();
        c_.emplace(*comm_, given_, plan, by_columns(claims, 2), last, in_turns);
    }
}

std::size_t prepared::own_bytes() const {
    std::size_t sum = 0;
    for (const block* b : {&given_.a.local, &given_.b.local, &given_.c.local})
        sum += b->rows * b->cols * size_bytes(b->type);
    return sum;
}

void prepared::allocate(std::size_t limit_bytes) {
    workspace_bytes_ = a_->bytes() + b_->bytes() + (c_ ? c_->bytes() : 0);
    if (const std::size_t all = own_bytes() + workspace_bytes_;
        limit_bytes != 0 && all > limit_bytes)
        throw error(error_code::out_of_memory,
                    "distributed product: " + std::to_string(all) +
                        " bytes are needed here for parts of A, B and C and a workspace, but "
                        "memory_bytes is " +
                        std::to_string(limit_bytes) + ": raise it or use more ranks");
    workspace_ = memory(comm_->where(), workspace_bytes_);
    auto* at = static_cast<std::byte*>(workspace_.get());
    a_->use(at);
    b_->use(at + a_->bytes());
    if (c_) c_->use(at + a_->bytes() + b_->bytes());
}

// A block of C, or of this rank's part of the sums.
void prepared::multiply(const box& of, bool first) {
    const index_range m = of[dimension::m], n = of[dimension::n], k = of[dimension::k];
    block a = a_->find(m, k);
    const block b = b_->find(k, n);
    const block c = c_ ? c_->partial().at(m, n) : direct_.at(m, n);
    block e = c;
    // An epilogue comes after alpha.
    if (!c_ || given_.steps) a.factor = given_.alpha();
    if (!c_ && first) e.factor = given_.beta();
    const bool adds = first ? !c_ && given_.beta() != 0 : true;
    const ending last =
        c_ ? ending{}
           : given_.ending_at(direct_.of.rows.below(m.begin), direct_.of.cols.below(n.begin));
    comm_->where().multiply(a, b, adds ? &e : nullptr, c, last);
}

void prepared::run() {
    // A rank that fails still sends and receives, so that nobody waits for it.
    std::optional<error> failure;
    const std::size_t steps = std::max(a_->steps(), b_->steps());
    std::size_t started = 0;
    const auto start_below = [&](std::size_t end) {
        for (; started < std::min(end, steps); ++started) {
            a_->start(*comm_, started);
            b_->start(*comm_, started);
        }
    };
    // No rank then waits until another has multiplied what came before.
    if (a_->steps_are_apart() && b_->steps_are_apart()) start_below(steps);
    for (std::size_t s = 0; s < steps; ++s) {
        start_below(s + 2);
        a_->arrive(s);
        b_->arrive(s);
        if (s >= steps_.size()) continue;
        const auto multiply_all = [&](const std::vector<box>& products) {
            if (!failure)
                failure = error_of([&] {
                    for (const box& of : products) multiply(of, k_whole_ || s == 0);
                });
        };
        if (s + 1 < steps_.size() || !c_ || c_->turns().empty()) {
            multiply_all(steps_[s].products);
            continue;
        }
        for (const std::vector<box>& turn : c_->turns()) {
            multiply_all(turn);
            c_->send(*comm_);
        }
    }
    a_->finish();
    b_->finish();
    if (c_) c_->reduce(*comm_);
    if (comm_->where().is_host()) {
        if (c_ && !failure) failure = error_of([&] { c_->check(); });
        agree_on_errors(*comm_, failure);
    } else if (failure) {
        throw *failure;
    }
    if (c_) c_->write(*comm_);
}

traffic prepared::moved() const {
    return {a_->elements_received() + b_->elements_received(), c_ ? c_->elements_sent() : 0,
            workspace_bytes_};
}

}  // namespace detail

product::product(communicator& comm, const detail::erased_view& a, const detail::erased_view& b,
                 const std::optional<detail::erased_view>& e, const detail::erased_view& c,
                 const options& how, const carat::detail::epilogue_steps* steps) {
    detail::operands given{a, b, e, c};
    if (steps != nullptr && steps->count > 0) given.steps = *steps;
    prepared_ = std::make_unique<detail::prepared>(comm, given, how);
}

product::~product() = default;

void product::operator()() {
    prepared_->run();
}

traffic product::moved() const {
    return prepared_->moved();
}

layouts best_layouts(const communicator& comm, std::int64_t m, std::int64_t n, std::int64_t k) {
    if (comm.overlaps()) return best_layouts(m, n, k, comm.size());
    const schedule plan = schedule_of_parts({{{m, n, k}}, comm.size(), 0, true});
    return {plan.of_a(has_parts(plan)), plan.of_b(has_parts(plan)), plan.of_c()};
}

layouts best_layouts(std::int64_t m, std::int64_t n, std::int64_t k, int ranks) {
    const schedule plan({{{m, n, k}}, ranks, 0, true});
    return {plan.of_a(), plan.of_b(), plan.of_c()};
}

}  // namespace carat::distributed
