#include "lab/session/operands.hpp"

#include <algorithm>

#include "lab/gpu/gpu.hpp"
#include "lab/gpu/verify/verify.hpp"
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

bool on_gpu(const core::execution_space& space) {
    return &space != &core::host_space() && gpu::count() > 0 &&
           &space == &gpu::space(gpu::in_use());
}

operand_sets::operand_sets(const core::problem& p, core::execution_space& space, std::size_t sets) {
    const workload::operand_bytes bytes = workload::bytes_needed(p);
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    for (std::size_t i = 0; i < sets; ++i)
        sets_.push_back({core::buffer(space, size(bytes.a)), core::buffer(space, size(bytes.b)),
                         core::buffer(space, size(bytes.c))});
}

void operand_sets::fill(const core::problem& p, core::execution_space& space,
                        const workload::distribution& values, std::uint64_t seed) {
    for (const set& s : sets_) {
        fill_from_host(space, s.a, p.a_type, p.m, p.k, p.a_layout, values, seed,
                       workload::operand::a);
        fill_from_host(space, s.b, p.b_type, p.k, p.n, p.b_layout, values, seed,
                       workload::operand::b);
        ++seed;
    }
}

core::operands operand_sets::at(std::size_t index) const {
    return {sets_[index].a.data(), sets_[index].b.data(), sets_[index].c.data()};
}

placed_operands::placed_operands(const core::problem& p, std::size_t host_sets)
    : problem_(p), host_(p, core::host_space(), host_sets) {}

const operand_sets& placed_operands::on(core::execution_space& space) {
    if (&space == &core::host_space()) return host_;
    const auto found = devices_.find(&space);
    if (found != devices_.end()) return found->second;
    const auto cache_bytes = static_cast<std::int64_t>(space.cache_bytes());
    operand_sets sets(problem_, space, sets_to_defeat(cache_bytes, problem_));
    return devices_.emplace(&space, std::move(sets)).first->second;
}

void placed_operands::fill(const workload::distribution& values, std::uint64_t seed) {
    host_.fill(problem_, core::host_space(), values, seed);
    for (auto& [space, sets] : devices_) sets.fill(problem_, *space, values, seed);
}

void placed_operands::load(const verify::exact_pass& pass, core::execution_space& space,
                           std::size_t set) {
    const core::operands target = on(space).at(set);
    if (&space == &core::host_space()) return pass.fill(target.a, target.b);
    if (on_gpu(space)) return gpu::fill(pass, problem_, target);
    const core::operands staging = host_.at(0);
    pass.fill(staging.a, staging.b);
    const workload::operand_bytes bytes = workload::bytes_needed(problem_);
    space.upload(const_cast<void*>(target.a), staging.a, static_cast<std::size_t>(bytes.a));
    space.upload(const_cast<void*>(target.b), staging.b, static_cast<std::size_t>(bytes.b));
}

void placed_operands::poison(core::execution_space& space, std::size_t set) {
    const core::operands target = on(space).at(set);
    if (&space == &core::host_space()) return verify::poison(problem_, target.c);
    if (on_gpu(space)) return gpu::poison(problem_, target.c);
    const core::operands host = host_.at(0);
    verify::poison(problem_, host.c);
    space.upload(target.c, host.c, static_cast<std::size_t>(workload::bytes_needed(problem_).c));
}

// The host's own C serves as the staging area of a device's.
const void* placed_operands::result(core::execution_space& space, std::size_t set) {
    const core::operands source = on(space).at(set);
    if (&space == &core::host_space()) return source.c;
    const core::operands host = host_.at(0);
    space.download(host.c, source.c, static_cast<std::size_t>(workload::bytes_needed(problem_).c));
    return host.c;
}

std::size_t sets_to_defeat(std::int64_t cache_bytes, const core::problem& p) {
    const std::int64_t each = std::max<std::int64_t>(1, workload::bytes_needed(p).total());
    return static_cast<std::size_t>(std::clamp<std::int64_t>(2 * cache_bytes / each + 1, 2, 16));
}

}  // namespace carat::session
