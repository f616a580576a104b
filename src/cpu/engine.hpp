// The CPU engine: a product that is prepared once and run any number of times. The public call and
// the laboratory's rows use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "cpu/blocked/out_of_place.hpp"
#include "cpu/kernels/micro_kernel.hpp"
#include "cpu/matrix_unit/product.hpp"
#include "cpu/prepared.hpp"
#include "cpu/task.hpp"
#include "cpu/threads/partition.hpp"
#include "cpu/unpacked/lone_tile.hpp"
#include "cpu/workspace.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

// Why the engine cannot multiply these types with these factors; empty if it can.
[[nodiscard]] std::string unsupported(const core::problem& p);

// An epilogue for the engine: C = epilogue(alpha A B) + beta E. The caller keeps it alive.
struct epilogue_request {
    std::span<const detail::epilogue_step> steps;
    core::layout e_layout;
    bool in_place = false;  // E is C
};

// Operands of a strided batch: bytes from one product's to the next one's.
struct even_operands {
    core::operands first;
    std::ptrdiff_t a;
    std::ptrdiff_t b;
    std::ptrdiff_t c;

    core::operands operator()(std::size_t i) const {
        const auto at = static_cast<std::ptrdiff_t>(i);
        return {.a = static_cast<const std::byte*>(first.a) + at * a,
                .b = static_cast<const std::byte*>(first.b) + at * b,
                .c = static_cast<std::byte*>(first.c) + at * c};
    }
};

// Plans a supported problem. An epilogue or a prepared operand must outlive it; the operand's
// layout in the problem is its original one, which also decides how sums are formed. Products of
// bytes into anything but i32 need an epilogue, possibly without steps. f16 and bf16 are summed in
// f32; i8 and i32 modulo 2^32 (the public call checks that this is exact). Values do not depend on
// the number of threads.
class product {
  public:
    // Neither allocates nor fails.
    product(const core::problem& p, int threads, const kernel_set& with,
            const plan::blocking& wanted = {}, const epilogue_request* last = nullptr,
            const prepared_operand* ready = nullptr);

    // The workspace that run() needs; 0 if 16 KiB of stack are enough.
    [[nodiscard]] std::size_t workspace_bytes() const;

    // C = alpha A B + beta C, or the epilogue. `memory` starts on a cache line. Safe to call from
    // many threads at once, each with its own memory.
    void run(const core::operands& data, std::byte* memory) const noexcept {
        (this->*run_)(data, memory);
    }

    // Runs the products from `first` on in turn; of(i) returns the operands of product i.
    template <class OperandsOf>
    void run_many(range which, const OperandsOf& of, std::byte* memory) const;

    // Computes only these rows and columns of C, on the calling thread, with the same bits as in
    // the whole. Requires f32 or f64 in operands of their type, K > 0, no epilogue, and a plan for
    // one thread.
    void run_part(const core::operands& data, std::byte* memory, range rows,
                  range cols) const noexcept;

    [[nodiscard]] int threads() const {
        return matrix_unit_ ? matrix_unit_->threads() : plan_.threads();
    }
    [[nodiscard]] std::string explain() const;
    [[nodiscard]] core::plan_facts facts() const;

  private:
    using runner = void (product::*)(const core::operands&, std::byte*) const;
    [[nodiscard]] runner choose_runner() const;
    [[nodiscard]] bool is_one_tile() const;
    void run_nothing(const core::operands& data, std::byte* memory) const;
    void run_on_matrix_unit(const core::operands& data, std::byte* memory) const;
    template <class T>
    void run_lone_tile(const core::operands& data, std::byte* memory) const;
    template <class T>
    [[nodiscard]] lone_tile<T> tile() const;
    // Its panel is on the stack and not shared.
    template <class T, class Each>
    [[gnu::noinline]] void lone_tiles(const Each& each) const {
        each(tile<T>());
    }
    template <class T>
    void run_unpacked(const core::operands& data, std::byte* memory) const;
    template <class T>
    [[nodiscard]] task<T> unpacked_task() const;
    // The task with these operands.
    template <class T>
    void run_task(task<T>& whole, const core::operands& data, std::byte* memory) const;
    template <class T>
    void run_skinny(const core::operands& data, std::byte* memory) const;
    template <class T>
    void run_as(const core::operands& data, std::byte* memory) const;
    template <class T>
    void run_loops(const task<T>& part, T* memory) const;
    template <class T>
    void run_rectangle(const task<T>& whole, range rows, range cols, T* memory) const;
    template <class T>
    void run_part_as(const core::operands& data, std::byte* memory, range rows, range cols) const;
    template <class T>
    void run_out_of_place(const core::operands& data, std::byte* memory) const;
    template <class T>
    [[nodiscard]] task<T> make(const core::operands& data) const;
    template <class T>
    [[nodiscard]] store_target<T> target(const core::operands& data) const;
    template <class T>
    [[nodiscard]] epilogue_call<T> epilogue_of(const core::operands& data,
                                               bool runs_are_rows) const;
    template <class T>
    [[nodiscard]] T* share_of(std::byte* memory, int thread) const;
    [[nodiscard]] rectangles rectangles_of_c() const;
    [[nodiscard]] std::size_t sums_offset() const;  // behind the threads' parts of the workspace
    [[nodiscard]] std::size_t find_thread_bytes() const;
    [[nodiscard]] std::int64_t thread_elements() const;
    void turn_for_prepared(const core::problem& p);
    // Whether C cannot hold sums over k.
    [[nodiscard]] bool out_of_place() const;
    [[nodiscard]] plan::kernel_shape shape() const;

    bool swapped_;           // A and B have changed places in problem_
    core::problem problem_;  // turned: columns of C are contiguous where they can be
    const kernel_set* kernels_;
    const epilogue_request* last_;
    const prepared_operand* ready_;
    bool by_lanes_ = false;  // the path skinny, with a prepared operand
    plan::request request_;
    plan::cpu_plan plan_;
    std::size_t thread_bytes_ = 0;  // of workspace
    bool is_lone_tile_ = false;
    runner run_;
    std::optional<matrix_unit_product> matrix_unit_;  // where there are tiles for these types
};

template <class OperandsOf>
void product::run_many(range which, const OperandsOf& of, std::byte* memory) const {
    const auto each = [&](auto&& run) {
        for (std::int64_t i = 0; i < which.size; ++i)
            run(of(static_cast<std::size_t>(which.first + i)));
    };
    visit_kernel(*kernels_, problem_.a_type, [&]<class T>(const kernel<T>&) {
        if (is_lone_tile_)
            return lone_tiles<T>([&](auto&& tile) {
                if constexpr (std::is_same_v<OperandsOf, even_operands>) {
                    constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(T));
                    tile(of(static_cast<std::size_t>(which.first)),
                         {which.size, of.a / bytes, of.b / bytes, of.c / bytes});
                } else {
                    each(tile);
                }
            });
        if (run_ != &product::run_unpacked<T>)
            return each([&](const core::operands& data) { this->run(data, memory); });
        task<T> whole = unpacked_task<T>();
        each([&](const core::operands& data) { run_task(whole, data, memory); });
    });
}

}  // namespace carat::cpu_engine
