#include "lab/judge/batch.hpp"

#include <cstring>
#include <fmt/format.h>

#include <carat/carat_kernel.h>

#include "core/dtype_traits.hpp"
#include "lab/judge/device/guard.hpp"
#include "lab/verify/verify.hpp"
#include "lab/workload/workload.hpp"

namespace carat::judge {

namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t guard_bytes = 512;

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

std::size_t index_of(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

}  // namespace

std::uint32_t kernel_type(dtype type) {
    switch (type) {
        case dtype::f64:
            return CARAT_F64;
        case dtype::f32:
            return CARAT_F32;
        case dtype::f16:
            return CARAT_F16;
        case dtype::bf16:
            return CARAT_BF16;
        case dtype::i8:
            return CARAT_I8;
        default:
            return 0;
    }
}

namespace {

// `leading` returns the leading dimension for a number of columns and an element size in bytes.
template <class Leading>
core::problem problem_with(dtype type, request::shape s, const Leading& leading) {
    core::problem p = core::row_major_problem(type, s.m, s.n, s.k);
    p.c_type = core::accumulator_of(type);
    const auto of = [&](std::int64_t cols, dtype element) {
        return leading(cols, static_cast<std::int64_t>(carat::size_bytes(element)));
    };
    p.a_layout.row_stride = of(s.k, type);
    p.b_layout.row_stride = of(s.n, type);
    p.c_layout.row_stride = of(s.n, p.c_type);
    return p;
}

}  // namespace

core::problem problem_of(dtype type, request::shape size, row_layout how) {
    return problem_with(type, size, [how](std::int64_t cols, std::int64_t size_bytes) {
        if (how == row_layout::contiguous) return cols;
        return (rounded_up(cols * size_bytes, line_bytes) + line_bytes) / size_bytes;
    });
}

core::problem draw_problem(dtype type, request::shape size, stream& places) {
    return problem_with(type, size, [&](std::int64_t cols, std::int64_t) {
        return places.below(3) == 0 ? cols : cols + places.between(0, 8);
    });
}

batch::batch(std::vector<core::problem> problems, int threads, stream* places) : threads_(threads) {
    for (const core::problem& p : problems) {
        const workload::operand_bytes bytes = workload::bytes_needed(p);
        entry e;
        e.problem = p;
        e.a_bytes = bytes.a;
        e.b_bytes = bytes.b;
        e.c_bytes = bytes.c;
        calls_.push_back(e);
    }
    lay_out(places);
}

void batch::lay_out(stream* places) {
    std::int64_t next = data_begins;
    const auto place = [&](std::int64_t bytes, dtype type) {
        next = rounded_up(next + guard_bytes, line_bytes);
        if (places != nullptr)
            next += places->between(0, 7) * static_cast<std::int64_t>(carat::size_bytes(type));
        const std::int64_t begin = next;
        next += bytes;
        return begin;
    };
    for (entry& e : calls_) {
        const core::problem& p = e.problem;
        call& r = e.row;
        r = {p.m,
             p.n,
             p.k,
             0,
             0,
             0,
             p.a_layout.row_stride,
             p.b_layout.row_stride,
             p.c_layout.row_stride,
             p.alpha,
             p.beta,
             static_cast<std::int32_t>(kernel_type(p.a_type)),
             threads_,
             0};
        r.a = place(e.a_bytes, p.a_type);
        r.b = place(e.b_bytes, p.b_type);
        r.c = place(e.c_bytes, p.c_type);
    }
    size_bytes_ = rounded_up(next + guard_bytes, 4096);
}

void batch::announce(const shared_memory& to) const {
    for (std::size_t i = 0; i < calls_.size(); ++i) to.table()[i] = calls_[i].row;
}

void batch::keep_supported(const shared_memory& from) {
    std::vector<entry> kept;
    for (std::size_t i = 0; i < calls_.size(); ++i)
        if (from.table()[i].status != 0) kept.push_back(calls_[i]);
    calls_ = std::move(kept);
    announce(from);
}

core::operands batch::operands_of(const entry& e) const {
    char* base = gpu_ != nullptr ? gpu_->image() : const_cast<char*>(image_.data());
    return {base + e.row.a, base + e.row.b, base + e.row.c};
}

void batch::fill_c(const entry& e) {
    char* c = image_.data() + e.row.c;
    const core::problem& p = e.problem;
    const bool floating = is_floating(p.c_type);
    if (e.c_begins_as == 0) return verify::poison(p, c);
    const workload::distribution values = e.c_begins_as == 1 ? workload::zeros()
                                          : floating         ? workload::uniform(-8, 8)
                                                             : workload::integers(-99999, 99999);
    workload::fill(c, p.c_type, p.m, p.n, p.c_layout, values, e.seed, workload::operand::c, 0);
}

void batch::fill(const entry& e) {
    const core::problem& p = e.problem;
    const core::operands o = operands_of(e);
    fill_c(e);
    if (e.exact) return verify::exact_pass(p, "", *e.exact, e.seed).fill(o.a, o.b);
    const workload::distribution values =
        is_floating(p.a_type) ? workload::uniform(-1, 1) : workload::integers(-128, 127);
    workload::fill(const_cast<void*>(o.a), p.a_type, p.m, p.k, p.a_layout, values, e.seed,
                   workload::operand::a, 0);
    workload::fill(const_cast<void*>(o.b), p.b_type, p.k, p.n, p.b_layout, values, e.seed,
                   workload::operand::b, 0);
}

// C begins as NaN, zeros, or numbers as plausible as the result, and every go has all three. So
// what C holds does not tell a target whether it is being tested.
void batch::draw(data_kind kind, stream& operands, const shared_memory& to) {
    const std::size_t always = operands.below(calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        entry& e = calls_[i];
        e.seed = operands.draw();
        e.c_begins_as = e.problem.beta != 0 ? 2 : operands.below(3);
        const bool one_of_two = operands.below(2) == 0, one_of_four = operands.below(4) == 0;
        const bool plain = e.problem.alpha == 1 && e.problem.beta == 0;
        const bool sums = kind == data_kind::sums || (kind == data_kind::exact && one_of_two);
        const bool exact =
            kind != data_kind::general && (kind != data_kind::exact || i == always || one_of_four);
        e.exact.reset();
        if (exact && plain)
            e.exact = sums ? verify::exact_kind::sums : verify::exact_kind::significands;
    }
    const std::uint64_t around = operands.draw();
    if (gpu_ != nullptr)
        draw_on_gpu(around);
    else
        draw_on_host(around, to);
}

void batch::draw_on_host(std::uint64_t seed, const shared_memory& to) {
    image_.resize(index_of(size_bytes_));
    for (std::int64_t i = data_begins / 8; i < size_bytes_ / 8; ++i) {
        const std::uint64_t word = guard_word(seed, i);
        std::memcpy(image_.data() + 8 * i, &word, 8);
    }
    for (const entry& e : calls_) fill(e);
    std::memcpy(to.data() + data_begins, image_.data() + data_begins,
                index_of(size_bytes_ - data_begins));
}

bool batch::changed_since(const shared_memory& memory) const {
    if (gpu_ != nullptr) return gpu_->changed_since_snapshot(all_c()) >= 0;
    return std::memcmp(memory.data() + data_begins, seen_.data() + data_begins,
                       index_of(size_bytes_ - data_begins)) != 0;
}

std::string batch::where(const entry& e) const {
    const core::problem& p = e.problem;
    return fmt::format("{} {}x{}x{}", name(p.a_type), p.m, p.n, p.k);
}

}  // namespace carat::judge
