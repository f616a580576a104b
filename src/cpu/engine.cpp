#include "cpu/engine.hpp"

#include <utility>

#include "cpu/blocked/out_of_place.hpp"
#include "cpu/blocked/shared_panels.hpp"
#include "cpu/machine.hpp"
#include "cpu/make_task.hpp"
#include "cpu/request_of.hpp"
#include "cpu/scale_c.hpp"
#include "cpu/scratch.hpp"
#include "cpu/should_swap.hpp"
#include "cpu/skinny/loops.hpp"
#include "cpu/threads/parts_of_k.hpp"
#include "cpu/unpacked/loops.hpp"

namespace carat::cpu_engine {

namespace {

int bytes_of_vectors(const kernel_set& with) {
    return with.f64.lanes * static_cast<int>(sizeof(double));
}

// Whether nothing needs blocks: the caller, the types, or sums that C cannot hold.
bool may_be_skinny(const core::problem& p, const plan::blocking& wanted,
                   const epilogue_request* last) {
    const bool summed_out_of_place = last != nullptr && last->in_place && p.beta != 0;
    return p.a_type == p.c_type && !core::is_storage_type(p.a_type) && !summed_out_of_place &&
           wanted.mc == 0 && wanted.nc == 0 && wanted.kc == 0;
}

// Whether operands of type `a` have kernels whose sums can be stored to type `c`: the sums' type,
// the operands' type, or a narrower one for f32. Sums of bytes may be finished as f32.
bool kernels_take(dtype a, dtype c) {
    const kernel_set& any = *kernel_sets().front();  // all take the same types
    const dtype sums = core::accumulator_of(a);
    return visit_kernel(any, a, [&](const auto& kernel) {
        if (kernel.pack[a].a == nullptr) return false;
        if (c == sums) return true;
        if (is_integer(a)) return core::is_storage_type(a) && any.f32.store[c] != nullptr;
        return is_floating(c) && (c == a || a == sums) && kernel.store[c] != nullptr;
    });
}

}  // namespace

std::string unsupported(const core::problem& p) {
    const bool alike =
        p.a_type == p.b_type || (is_byte_integer(p.a_type) && is_byte_integer(p.b_type));
    if (!alike || !kernels_take(p.a_type, p.c_type))
        return "no kernel multiplies " + std::string(name(p.a_type)) + " by " +
               std::string(name(p.b_type)) + " into " + std::string(name(p.c_type));
    return core::reason_against_factors(p);
}

// Members are built in place: a structure that is written word by word and then copied by vector
// loads waits for its words to reach the cache. Such copies were 7 of the 16 % that this
// constructor took of a product of 8 x 8 matrices.
product::product(const core::problem& p, int threads, const kernel_set& with,
                 const plan::blocking& wanted, const epilogue_request* last,
                 const prepared_operand* ready)
    : swapped_(should_swap(p, may_be_skinny(p, wanted, last), bytes_of_vectors(with))),
      problem_(turned(p, swapped_)),
      kernels_(&with),
      last_(last),
      ready_(ready),
      request_(request_of(problem_, out_of_place(), last != nullptr, threads, wanted)),
      plan_(plan::make_cpu_plan(request_, shape(), this_machine())) {
    if (takes_matrix_unit(p, with, ready != nullptr) && request_.k != 0)
        matrix_unit_.emplace(p, threads, *with.matrix_unit, wanted, ready);
    else if (ready != nullptr && request_.k != 0)
        turn_for_prepared(p);
    if (problem_.m != 0 && problem_.n != 0) thread_bytes_ = find_thread_bytes();
    is_lone_tile_ = is_one_tile();
    run_ = choose_runner();
}

// A prepared operand takes the role of A for every layout of C. Sums over k are cut where they
// would be without it, so the bits are the same.
void product::turn_for_prepared(const core::problem& p) {
    const plan::cpu_plan usual = plan_;
    by_lanes_ = usual.how == plan::path::skinny && !request_.m_contiguous_a;
    swapped_ = ready_->place == side::right;
    problem_ = turned(p, swapped_);
    request_.m = problem_.m;
    request_.n = problem_.n;
    request_.same_types = false;
    request_.prepared = {usual.how == plan::path::skinny, usual.blocks.kc};
    plan_ = plan::make_cpu_plan(request_, shape(), this_machine());
}

template <class T>
task<T> product::make(const core::operands& data) const {
    task<T> made = make_task(problem_, swapped_, kernel_of<T>(*kernels_), data);
    if (ready_ == nullptr || request_.k == 0) return made;
    made.a = ready_->lines;
    made.a_packed = true;
    return made;
}

bool product::out_of_place() const {
    return problem_.c_type != core::accumulator_of(problem_.a_type) ||
           (last_ != nullptr && last_->in_place && problem_.beta != 0);
}

plan::kernel_shape product::shape() const {
    const auto of = [](const auto& k, int bytes) {
        return plan::kernel_shape{k.name, k.mr, k.nr, bytes, k.lanes * bytes};
    };
    return visit_kernel(*kernels_, problem_.a_type, [&]<class T>(const kernel<T>& k) {
        return of(k, static_cast<int>(sizeof(T)));
    });
}

std::size_t product::find_thread_bytes() const {
    const std::int64_t bytes = thread_elements() * shape().element_bytes;
    if (plan_.how != plan::path::blocked && bytes <= stack_bytes) return 0;
    // Whole pages, so that threads share none.
    return static_cast<std::size_t>((bytes + 4095) / 4096 * 4096);
}

std::int64_t product::thread_elements() const {
    if (out_of_place()) return out_of_place_elements(plan_.blocks, problem_.m, problem_.n);
    if (plan_.how == plan::path::blocked) return blocked_elements(plan_.blocks);
    if (plan_.how == plan::path::unpacked)
        return plan_.packs_a ? unpacked_elements(shape().mr, request_.k, plan_.blocks.kc) : 0;
    const auto skinny = [&]<class T>(const kernel<T>& with) {
        if constexpr (std::is_floating_point_v<T>)
            if (ready_ != nullptr) return skinny_packed_elements(with, request_.n, by_lanes_);
        return skinny_elements<T>(request_.m, request_.n, request_.k, request_.m_contiguous_a,
                                  !request_.k_contiguous_b);
    };
    return visit_kernel(*kernels_, problem_.a_type, skinny);
}

std::size_t product::workspace_bytes() const {
    if (matrix_unit_) return matrix_unit_->workspace_bytes();
    if (plan_.shares_b) return shared_panels_bytes(plan_, shape().element_bytes);
    const std::int64_t sums = sums_of_parts(plan_, request_.m, request_.n, request_.k);
    return sums_offset() + static_cast<std::size_t>(sums * shape().element_bytes);
}

std::size_t product::sums_offset() const {
    return thread_bytes_ * static_cast<std::size_t>(plan_.threads());
}

rectangles product::rectangles_of_c() const {
    return {problem_.m,      problem_.n,      plan_.unit_m, shape().nr,
            plan_.threads_m, plan_.threads_n, plan_.pieces, plan_.pieces_along_n};
}

core::plan_facts product::facts() const {
    if (matrix_unit_) return matrix_unit_->facts();
    const plan::blocking& b = plan_.blocks;
    const bool tiled = plan_.how != plan::path::skinny;
    return {explain(),
            request_.m,
            request_.n,
            tiled ? shape().mr : 0,
            tiled ? shape().nr : 0,
            b.mc,
            b.mc == 0 ? 0 : b.nc,
            b.kc,
            plan_.threads_m,
            plan_.threads_n * plan_.threads_k,
            false};
}

std::string product::explain() const {
    if (matrix_unit_) return matrix_unit_->explain();
    return plan::explain(plan_, request_, shape(), this_machine());
}

// A thread's part of the workspace, or null if it needs none.
template <class T>
T* product::share_of(std::byte* memory, int thread) const {
    if (thread_bytes_ == 0) return nullptr;
    return reinterpret_cast<T*>(memory + static_cast<std::size_t>(thread) * thread_bytes_);
}

template <class T>
task<T> product::unpacked_task() const {
    task<T> whole = make_task(problem_, swapped_, kernel_of<T>(*kernels_), {});
    whole.fetches_c = plan_.fetches_c;
    return whole;
}

template <class T>
void product::run_task(task<T>& whole, const core::operands& data, std::byte* memory) const {
    whole.a.data = static_cast<const std::byte*>(swapped_ ? data.b : data.a);
    whole.b.data = static_cast<const std::byte*>(swapped_ ? data.a : data.b);
    whole.c = static_cast<T*>(data.c);
    multiply_unpacked(whole, plan_.packs_a, plan_.blocks.nc, plan_.blocks.kc,
                      share_of<T>(memory, 0));
}

template <class T>
void product::run_unpacked(const core::operands& data, std::byte* memory) const {
    task<T> whole = unpacked_task<T>();
    run_task(whole, data, memory);
}

template task<double> product::unpacked_task() const;
template task<float> product::unpacked_task() const;
template task<std::uint32_t> product::unpacked_task() const;
template void product::run_task(task<double>&, const core::operands&, std::byte*) const;
template void product::run_task(task<float>&, const core::operands&, std::byte*) const;
template void product::run_task(task<std::uint32_t>&, const core::operands&, std::byte*) const;

template <class T>
void product::run_skinny(const core::operands& data, std::byte* memory) const {
    const task<T> whole = make_task(problem_, swapped_, kernel_of<T>(*kernels_), data);
    multiply_skinny(whole, plan_.blocks.kc, share_of<T>(memory, 0));
}

template <class T>
lone_tile<T> product::tile() const {
    return {kernel_of<T>(*kernels_), problem_, swapped_, factor<T>(problem_.alpha),
            factor<T>(problem_.beta)};
}

template lone_tile<double> product::tile() const;
template lone_tile<float> product::tile() const;
template lone_tile<std::uint32_t> product::tile() const;

template <class T>
void product::run_lone_tile(const core::operands& data, std::byte*) const {
    tile<T>()(data);
}

template <class T>
void product::run_loops(const task<T>& part, T* memory) const {
    if constexpr (std::is_floating_point_v<T>)
        if (part.a_packed && plan_.how == plan::path::skinny)
            return multiply_skinny_packed(part, by_lanes_, plan_.blocks.kc, memory);
    if (plan_.how == plan::path::skinny) return multiply_skinny(part, plan_.blocks.kc, memory);
    if (plan_.how == plan::path::unpacked)
        return multiply_unpacked(part, plan_.packs_a, plan_.blocks.nc, plan_.blocks.kc, memory);
    multiply_blocked(part, plan_.blocks, memory);
}

template <class T>
void product::run_rectangle(const task<T>& whole, range rows, range cols, T* memory) const {
    task<T> part = rectangle(whole, rows.first, cols.first, rows.size, cols.size);
    part.c = whole.c_at(rows.first, cols.first);
    run_loops(part, memory);
}

template <class T>
void product::run_part_as(const core::operands& data, std::byte* memory, range rows,
                          range cols) const {
    task<T> whole = make<T>(data);
    whole.fetches_c = plan_.fetches_c;
    if (swapped_) std::swap(rows, cols);
    run_rectangle(whole, rows, cols, share_of<T>(memory, 0));
}

void product::run_part(const core::operands& data, std::byte* memory, range rows,
                       range cols) const noexcept {
    if (problem_.c_type == dtype::f64) return run_part_as<double>(data, memory, rows, cols);
    run_part_as<float>(data, memory, rows, cols);
}

template <class T>
void product::run_as(const core::operands& data, std::byte* memory) const {
    task<T> whole = make<T>(data);
    epilogue_call<T> last;
    if constexpr (std::is_floating_point_v<T>) {
        if (last_ != nullptr) {
            last = epilogue_of<T>(data, swapped_);
            // The other paths scale the sums before they are finished, some more than once.
            const bool skinny = plan_.how == plan::path::skinny;
            (skinny || request_.k == 0 ? whole.alpha : last.alpha) = 1;
            whole.beta = 0;
            whole.epilogue = &last;
            if (request_.k == 0) return store_zeros(whole, target<T>(data));
        }
    }
    if (request_.k == 0) return scale(whole);
    whole.fetches_c = plan_.fetches_c;
    if (plan_.shares_b) return multiply_sharing_panels(whole, plan_, memory);
    if (plan_.threads_k > 1)
        return multiply_parts_of_k(
            whole, plan_, reinterpret_cast<T*>(memory + sums_offset()),
            [&](const task<T>& part, int thread) { run_loops(part, share_of<T>(memory, thread)); });
    const auto work = [&](int thread, range rows, range cols) {
        run_rectangle(whole, rows, cols, share_of<T>(memory, thread));
    };
    for_each_rectangle(rectangles_of_c(), work);
}

template <class T>
store_target<T> product::target(const core::operands& data) const {
    const kernel<T>& with = kernel_of<T>(*kernels_);
    return {static_cast<std::byte*>(data.c), static_cast<std::int64_t>(size_bytes(problem_.c_type)),
            problem_.c_layout.row_stride, problem_.c_layout.col_stride,
            with.store[problem_.c_type]};
}

template <class T>
epilogue_call<T> product::epilogue_of(const core::operands& data, bool runs_are_rows) const {
    const core::layout& e = last_->e_layout;
    return {.function = kernel_of<T>(*kernels_).epilogue,
            .steps = last_->steps,
            .of_integers = is_integer(problem_.a_type),
            .alpha = factor<T>(problem_.alpha),
            .down = !runs_are_rows,
            .beta = factor<T>(problem_.beta),
            .e = data.e,
            .e_type = problem_.c_type,
            .e_run_step = runs_are_rows ? e.col_stride : e.row_stride,
            .e_run_stride = runs_are_rows ? e.row_stride : e.col_stride};
}

template <class T>
void product::run_out_of_place(const core::operands& data, std::byte* memory) const {
    core::operands sums = data;
    sums.c = nullptr;
    task<T> whole = make<T>(sums);
    const store_target<epilogue_type<T>> c = target<epilogue_type<T>>(data);
    epilogue_call<epilogue_type<T>> last;
    if (last_ != nullptr) {
        last = epilogue_of<epilogue_type<T>>(data, swapped_);
        whole.epilogue = &last;
    }
    if (request_.k == 0) return store_zeros(whole, c);
    const auto work = [&](int thread, range rows, range cols) {
        store_target<epilogue_type<T>> part = c;
        part.data = c.at(rows.first, cols.first);
        multiply_out_of_place(rectangle(whole, rows.first, cols.first, rows.size, cols.size),
                              plan_.blocks, part, share_of<T>(memory, thread));
    };
    for_each_rectangle(rectangles_of_c(), work);
}

void product::run_nothing(const core::operands&, std::byte*) const {}

void product::run_on_matrix_unit(const core::operands& data, std::byte* memory) const {
    if (last_ == nullptr) return matrix_unit_->run(data, memory, nullptr);
    const epilogue_call<float> last = epilogue_of<float>(data, !matrix_unit_->swapped());
    matrix_unit_->run(data, memory, &last);
}

bool product::is_one_tile() const {
    if (problem_.m == 0 || problem_.n == 0 || request_.k == 0 || last_ != nullptr ||
        ready_ != nullptr || matrix_unit_)
        return false;
    if (plan_.how != plan::path::unpacked || out_of_place() || plan_.threads() != 1 ||
        plan_.fetches_c)
        return false;
    return visit_kernel(*kernels_, problem_.a_type, [&](const auto& with) {
        return cpu_engine::is_lone_tile(with, problem_, plan_.blocks.kc);
    });
}

product::runner product::choose_runner() const {
    if (problem_.m == 0 || problem_.n == 0) return &product::run_nothing;
    if (matrix_unit_) return &product::run_on_matrix_unit;
    // Skips the division into rectangles and the copy of the task.
    const bool is_whole = plan_.threads() == 1 && request_.k != 0 && last_ == nullptr;
    return visit_kernel(*kernels_, problem_.a_type, [&]<class T>(const kernel<T>&) -> runner {
        if (out_of_place()) return &product::run_out_of_place<T>;
        if (is_lone_tile_) return &product::run_lone_tile<T>;
        if (is_whole && plan_.how == plan::path::unpacked) return &product::run_unpacked<T>;
        const bool skinny = plan_.how == plan::path::skinny && ready_ == nullptr;
        return is_whole && skinny ? &product::run_skinny<T> : &product::run_as<T>;
    });
}

}  // namespace carat::cpu_engine
