#include "lab/workers/operands.hpp"

#include <algorithm>
#include <cstring>

#include "core/dtype_traits.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/gpu/verify/verify.hpp"
#include "lab/rows/block_scale_places.hpp"
#include "lab/verify/verify.hpp"
#include "lab/workload/parallel.hpp"

namespace carat::workers {

namespace {

void fill_from_host(space::execution_space& space, const void* operand, std::int64_t bytes,
                    dtype type, const rows::whole_matrix& of, const workload::distribution& values,
                    std::uint64_t seed, workload::operand which) {
    void* target = const_cast<void*>(operand);  // products only read it
    const auto fill = [&](void* memory) {
        workload::fill(memory, type, of.rows, of.cols, of.where, values, seed, which);
    };
    if (&space == &space::host_space()) return fill(target);
    const space::buffer staging(space::host_space(), static_cast<std::size_t>(bytes));
    fill(staging.data());
    space.upload(target, staging.data(), staging.size_bytes());
}

// Both forms of it, into what products only read.
void put_bias(const rows::operation& all, space::execution_space& space, const void* to,
              const std::vector<double>& numbers) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(rows::bias_bytes(all)));
    const auto write = [&](dtype type, const void* at) {
        core::visit(type, [&]<class T>(core::element_tag<T>) {
            auto* const typed = static_cast<T*>(const_cast<void*>(at));
            for (std::size_t j = 0; j < numbers.size(); ++j) typed[j] = static_cast<T>(numbers[j]);
        });
    };
    write(bias_type_of(all), bytes.data());
    write(stored_bias_type_of(all), stored_bias(all, bytes.data()));
    void* const target = const_cast<void*>(to);
    if (&space == &space::host_space())
        std::memcpy(target, bytes.data(), bytes.size());
    else
        space.upload(target, bytes.data(), bytes.size());
}

// 1 or a half, in no order.
float scale_at(std::int64_t place) {
    return (static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15U) >> 63 != 0 ? 0.5F : 1.0F;
}

void put_scales(const rows::operation& all, space::execution_space& space, const float* to) {
    std::vector<float> scales(static_cast<std::size_t>(rows::block_scale_places(all.one).count()));
    for (std::size_t i = 0; i < scales.size(); ++i)
        scales[i] = scale_at(static_cast<std::int64_t>(i));
    auto* const target = const_cast<float*>(to);  // products only read it
    if (&space == &space::host_space())
        std::ranges::copy(scales, target);
    else
        space.upload(target, scales.data(), scales.size() * sizeof(float));
}

// What is stored of an operand, so that with its scales it is what it was: exact, since e4m3 has
// room for twice what exact passes hold.
template <class Place>
void divide(const matrix_view<const e4m3>& x, const Place& place) {
    auto* const data = const_cast<e4m3*>(x.data());  // products only read it
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t j = 0; j < x.cols(); ++j) {
            const auto row = static_cast<std::int64_t>(i);
            const auto col = static_cast<std::int64_t>(j);
            e4m3& one = data[row * x.row_stride() + col * x.col_stride()];
            one = e4m3(static_cast<float>(one) / scale_at(place(row, col)));
        }
}
void divide_by_scales(const core::problem& p, const core::operands& data) {
    const rows::block_scale_places at(p);
    divide(core::a_view<e4m3>(p, data),
           [&](std::int64_t i, std::int64_t k) { return at.of_a(i, k / 128); });
    divide(core::b_view<e4m3>(p, data),
           [&](std::int64_t k, std::int64_t j) { return at.of_b(k / 128, j / 128); });
}

constexpr std::size_t huge = process::shared_memory::huge_page_bytes;

std::size_t in_whole_pages(std::int64_t operand_bytes) {
    constexpr std::size_t page_bytes = 4096;
    const auto bytes = static_cast<std::size_t>(operand_bytes);
    const std::size_t unit = bytes < huge ? page_bytes : huge;
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

bool on_gpu(const space::execution_space& space) {
    return &space != &space::host_space() && gpu::count() > 0 &&
           &space == &gpu::space(gpu::in_use());
}

// Where one operand fills a huge page all begin with one.
operand_map::operand_map(const rows::operation& all, std::size_t sets)
    : sets_(sets), has_e_(all.other_e), has_scales_(all.block_scales) {
    const workload::operand_bytes bytes = workload::bytes_needed(all);
    is_huge_ = std::max({bytes.a, bytes.b, bytes.c}) >= static_cast<std::int64_t>(huge);
    const auto begin_of_next = [&](std::size_t end) {
        return is_huge_ ? (end + huge - 1) / huge * huge : end;
    };
    b_ = begin_of_next(in_whole_pages(bytes.a));
    c_ = begin_of_next(b_ + in_whole_pages(bytes.b));
    bias_ = begin_of_next(c_ + in_whole_pages(bytes.c));
    e_ = begin_of_next(bias_ + in_whole_pages(bytes.bias));
    scales_ = begin_of_next(e_ + in_whole_pages(bytes.e));
    set_bytes_ = begin_of_next(scales_ + in_whole_pages(bytes.scales));
}

core::operands operand_map::at(std::byte* memory, std::size_t index) const {
    std::byte* set = memory + index * set_bytes_;
    return {set,         set + b_,
            set + c_,    has_e_ ? set + e_ : nullptr,
            set + bias_, has_scales_ ? reinterpret_cast<const float*>(set + scales_) : nullptr};
}

// Each page is first touched by the thread that asks for it, so that on several memory nodes they
// are spread as filling would spread them.
void operand_map::use_huge_pages(const process::shared_memory& memory) const {
    if (!is_huge_) return;
    workload::parallel_for(static_cast<std::int64_t>(size_bytes() / huge), 0, [&](std::int64_t i) {
        const std::size_t first = static_cast<std::size_t>(i) * huge;
        volatile std::byte* page = memory.data() + first;
        *page = *page;
        memory.use_huge_pages(first, huge);
    });
}

operand_sets::operand_sets(const rows::operation& all, space::execution_space& space,
                           std::size_t sets) {
    const workload::operand_bytes bytes = workload::bytes_needed(all);
    const auto place = [&](std::int64_t count) {
        return owned_.emplace_back(space, static_cast<std::size_t>(count)).data();
    };
    for (std::size_t i = 0; i < sets; ++i)
        sets_.push_back(
            {place(bytes.a), place(bytes.b), place(bytes.c),
             bytes.e == 0 ? nullptr : place(bytes.e), bytes.bias == 0 ? nullptr : place(bytes.bias),
             bytes.scales == 0 ? nullptr : static_cast<const float*>(place(bytes.scales))});
}

operand_sets::operand_sets(const rows::operation& all, process::shared_memory& memory,
                           std::size_t sets) {
    const operand_map map(all, sets);
    if (memory.data() == nullptr) memory.grow(map.size_bytes());
    map.use_huge_pages(memory);
    for (std::size_t i = 0; i < sets; ++i) sets_.push_back(map.at(memory.data(), i));
}

void operand_sets::fill(const rows::operation& all, space::execution_space& space,
                        const workload::distribution& values, std::uint64_t seed) {
    for (std::size_t i = 0; i < sets_.size(); ++i) fill(all, space, values, seed, i);
}

void operand_sets::fill(const rows::operation& all, space::execution_space& space,
                        const workload::distribution& values, std::uint64_t seed, std::size_t set) {
    const workload::operand_bytes bytes = workload::bytes_needed(all);
    fill_from_host(space, sets_[set].a, bytes.a, all.one.a_type, whole_a(all), values, seed + set,
                   workload::operand::a);
    fill_from_host(space, sets_[set].b, bytes.b, all.one.b_type, whole_b(all), values, seed + set,
                   workload::operand::b);
    if (all.one.beta != 0) fill_c(all, space, values, seed, set);
    if (all.last.bias) fill_bias(all, space, values, seed + set, set);
    if (all.block_scales) put_scales(all, space, sets_[set].scales);
}

void operand_sets::fill_bias(const rows::operation& all, space::execution_space& space,
                             const workload::distribution& values, std::uint64_t seed,
                             std::size_t set) {
    constexpr std::uint64_t of_bias = 7919;
    const dtype type = stored_bias_type_of(all);
    std::vector<std::byte> drawn(static_cast<std::size_t>(all.one.n) * size_bytes(type));
    workload::fill(drawn.data(), type, 1, all.one.n, core::row_major(all.one.n), values,
                   seed + of_bias, workload::operand::c);
    std::vector<double> numbers(static_cast<std::size_t>(all.one.n));
    core::visit(type, [&]<class T>(core::element_tag<T>) {
        for (std::size_t j = 0; j < numbers.size(); ++j)
            numbers[j] = static_cast<double>(reinterpret_cast<const T*>(drawn.data())[j]);
    });
    put_bias(all, space, sets_[set].bias, numbers);
}

void operand_sets::fill_c(const rows::operation& all, space::execution_space& space,
                          const workload::distribution& values, std::uint64_t seed,
                          std::size_t set) {
    fill_from_host(space, with_read_c(all, sets_[set]).c, workload::bytes_needed(all).c,
                   all.one.c_type, whole_c(all), values, seed + set, workload::operand::c);
}

placed_operands::placed_operands(const rows::operation& all, std::size_t host_sets,
                                 process::shared_memory* shared)
    : all_(all),
      host_(shared == nullptr ? operand_sets(all, space::host_space(), host_sets)
                              : operand_sets(all, *shared, host_sets)) {}

operand_sets& placed_operands::laid_out(space::execution_space& space) {
    if (&space == &space::host_space()) return host_;
    const auto found = devices_.find(&space);
    if (found != devices_.end()) return found->second;
    const auto cache_bytes = static_cast<std::int64_t>(space.cache_bytes());
    operand_sets sets(all_, space, sets_to_defeat(cache_bytes, all_));
    return devices_.emplace(&space, std::move(sets)).first->second;
}

const operand_sets& placed_operands::on(space::execution_space& space) {
    return laid_out(space);
}

void placed_operands::fill(space::execution_space& space, const workload::distribution& values,
                           std::uint64_t seed) {
    laid_out(space).fill(all_, space, values, seed);
}

void placed_operands::fill_ends(space::execution_space& space, const workload::distribution& values,
                                std::uint64_t seed) {
    operand_sets& sets = laid_out(space);
    sets.fill(all_, space, values, seed, 0);
    if (sets.size() > 1) sets.fill(all_, space, values, seed, sets.size() - 1);
}

void placed_operands::load(const verify::exact_passes& pass, space::execution_space& space,
                           std::size_t set) {
    const core::operands target = on(space).at(set);
    if (all_.last.bias) put_bias(all_, space, target.bias, pass.bias());
    if (all_.block_scales) put_scales(all_, space, target.scales);
    const bool on_host = &space == &space::host_space();
    const bool by_gpu = on_gpu(space) && !verify::are_many_and_small(all_) && !all_.block_scales;
    if (by_gpu) return gpu::fill(pass, all_, target);
    const core::operands staging = on_host ? target : host_.at(0);
    pass.fill(staging);
    if (all_.block_scales) divide_by_scales(all_.one, staging);
    if (on_host) return;
    const workload::operand_bytes bytes = workload::bytes_needed(all_);
    space.upload(const_cast<void*>(target.a), staging.a, static_cast<std::size_t>(bytes.a));
    space.upload(const_cast<void*>(target.b), staging.b, static_cast<std::size_t>(bytes.b));
}

void placed_operands::fill_c(const verify::exact_passes& pass, space::execution_space& space,
                             std::size_t set) {
    const core::operands target = with_read_c(all_, on(space).at(set));
    if (&space == &space::host_space()) return pass.fill_c(target);
    if (on_gpu(space) && !verify::are_many_and_small(all_)) return gpu::fill_c(pass, all_, target);
    const core::operands host = with_read_c(all_, host_.at(0));
    verify::poison(problem_of_whole_c(all_), host.c);
    pass.fill_c(host);
    space.upload(target.c, host.c, static_cast<std::size_t>(workload::bytes_needed(all_).c));
}

void placed_operands::fill_c(space::execution_space& space, const workload::distribution& values,
                             std::uint64_t seed) {
    laid_out(space).fill_c(all_, space, values, seed, 0);
}

void placed_operands::poison(space::execution_space& space, std::size_t set) {
    const core::operands target = on(space).at(set);
    const core::problem c = problem_of_whole_c(all_);
    if (&space == &space::host_space()) return verify::poison(c, target.c);
    if (on_gpu(space)) return gpu::poison(c, target.c);
    const core::operands host = host_.at(0);
    verify::poison(c, host.c);
    space.upload(target.c, host.c, static_cast<std::size_t>(workload::bytes_needed(all_).c));
}

// The host's own C serves as the staging area of a device's.
const void* placed_operands::result(space::execution_space& space, std::size_t set) {
    const core::operands source = on(space).at(set);
    if (&space == &space::host_space()) return source.c;
    const core::operands host = host_.at(0);
    space.download(host.c, source.c, static_cast<std::size_t>(workload::bytes_needed(all_).c));
    return host.c;
}

std::size_t sets_to_defeat(std::int64_t cache_bytes, const rows::operation& all) {
    const std::int64_t each = std::max<std::int64_t>(1, workload::bytes_needed(all).total());
    return static_cast<std::size_t>(std::clamp<std::int64_t>(2 * cache_bytes / each + 1, 2, 16));
}

}  // namespace carat::workers
