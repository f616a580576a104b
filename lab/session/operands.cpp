#include "lab/session/operands.hpp"

#include <algorithm>

#include "lab/verify/verify.hpp"

namespace carat::session {

namespace {

void fill_from_host(core::execution_space& space, const core::buffer& target, dtype type,
                    std::int64_t rows, std::int64_t cols, const core::layout& where,
                    const workload::distribution& values, std::uint64_t seed,
                    workload::operand which) {
    if (&space == &core::host_space()) {
        workload::fill(target.data(), type, rows, cols, where, values, seed, which);
        return;
    }
    const core::buffer staging(core::host_space(), target.size_bytes());
    workload::fill(staging.data(), type, rows, cols, where, values, seed, which);
    space.upload(target.data(), staging.data(), staging.size_bytes());
}

}  // namespace

operand_sets::operand_sets(const core::problem& p, core::execution_space& space, std::size_t sets,
                           const workload::distribution& values, std::uint64_t seed) {
    const workload::operand_bytes bytes = workload::bytes_needed(p);
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    for (std::size_t i = 0; i < sets; ++i) {
        sets_.push_back({core::buffer(space, size(bytes.a)), core::buffer(space, size(bytes.b)),
                         core::buffer(space, size(bytes.c))});
        const set& s = sets_.back();
        fill_from_host(space, s.a, p.a_type, p.m, p.k, p.a_layout, values, seed + i,
                       workload::operand::a);
        fill_from_host(space, s.b, p.b_type, p.k, p.n, p.b_layout, values, seed + i,
                       workload::operand::b);
    }
}

core::operands operand_sets::at(std::size_t index) const {
    return {sets_[index].a.data(), sets_[index].b.data(), sets_[index].c.data()};
}

placed_operands::placed_operands(const core::problem& p, std::size_t host_sets,
                                 const workload::distribution& values, std::uint64_t seed)
    : problem_(p),
      values_(values),
      seed_(seed),
      host_(p, core::host_space(), host_sets, values, seed) {}

const operand_sets& placed_operands::on(core::execution_space& space) {
    if (&space == &core::host_space()) return host_;
    const auto found = devices_.find(&space);
    if (found != devices_.end()) return found->second;
    const auto cache_bytes = static_cast<std::int64_t>(space.cache_bytes());
    operand_sets sets(problem_, space, sets_to_defeat(cache_bytes, problem_), values_, seed_);
    return devices_.emplace(&space, std::move(sets)).first->second;
}

// The host's own C serves as the staging area of a device's.
void placed_operands::poison(core::execution_space& space) {
    const core::operands host = host_.at(0);
    const core::operands target = on(space).at(0);
    verify::poison(problem_, host.c);
    if (target.c != host.c)
        space.upload(target.c, host.c,
                     static_cast<std::size_t>(workload::bytes_needed(problem_).c));
}

const void* placed_operands::result(core::execution_space& space) {
    const core::operands host = host_.at(0);
    const core::operands source = on(space).at(0);
    if (source.c != host.c)
        space.download(host.c, source.c,
                       static_cast<std::size_t>(workload::bytes_needed(problem_).c));
    return host.c;
}

std::size_t sets_to_defeat(std::int64_t cache_bytes, const core::problem& p) {
    const std::int64_t each = std::max<std::int64_t>(1, workload::bytes_needed(p).total());
    return static_cast<std::size_t>(std::clamp<std::int64_t>(2 * cache_bytes / each + 1, 2, 16));
}

}  // namespace carat::session
