#include "tests/cpu/engine_product.hpp"

#include "cpu/make_task.hpp"
#include "tests/support/oracle.hpp"

namespace carat::test {

namespace {

using bytes = engine_product::bytes;

bytes drawn(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where,
            const workload::distribution& data, workload::operand which) {
    bytes made(static_cast<std::size_t>(core::extent_elements(rows, cols, where)) *
               size_bytes(type));
    workload::fill(made.data(), type, rows, cols, where, data, 1, which, 1);
    return made;
}

}  // namespace

workload::distribution engine_product::any_numbers(dtype type) {
    return workload::uniform(type == dtype::u8 ? 0 : -9, 9);
}

engine_product::engine_product(const core::problem& p, const cpu_engine::kernel_set& with,
                               const plan::blocking& blocks, data_of* data)
    : p_(p),
      with_(with),
      blocks_(blocks),
      a_(drawn(p.a_type, p.m, p.k, p.a_layout, data(p.a_type), workload::operand::a)),
      b_(drawn(p.b_type, p.k, p.n, p.b_layout, data(p.b_type), workload::operand::b)),
      before_(drawn(p.c_type, p.m, p.n, p.c_layout, data(p.c_type), workload::operand::c)) {}

cpu_engine::product engine_product::make(int threads, const cpu_engine::epilogue_request* last,
                                         const detail::prepared_operand* ready) const {
    return {p_, threads, with_, blocks_, last, ready};
}

bool engine_product::says(int threads, const char* what) const {
    return make(threads).explain().find(what) != std::string::npos;
}

core::operands engine_product::operands(bytes& c) const {
    return {a_.data(), b_.data(), c.data(), before_.data()};
}

bytes engine_product::by(int threads, const cpu_engine::epilogue_request* last,
                         const detail::prepared_operand* ready) const {
    const cpu_engine::product made = make(threads, last, ready);
    const cpu_engine::call_memory memory(made.workspace_bytes());
    bytes c = before_;
    made.run(operands(c), memory.data());
    return c;
}

void engine_product::prepare(detail::prepared_operand& ready, side place) const {
    ready.place = place;
    const bool left = place == side::left;
    const auto [rows, cols] = left ? p_.a_layout : p_.b_layout;
    cpu_engine::pack_operand(ready, with_, left ? p_.a_type : p_.b_type,
                             left ? cpu_engine::operand(a_.data(), p_.a_type, rows, cols)
                                  : cpu_engine::operand(b_.data(), p_.b_type, cols, rows),
                             left ? p_.m : p_.n, p_.k);
}

bytes engine_product::prepared(side place, int threads) const {
    detail::prepared_operand ready;
    prepare(ready, place);
    return by(threads, nullptr, &ready);
}

bytes engine_product::in_parts() const {
    const cpu_engine::product made = make(1);
    const cpu_engine::call_memory memory(made.workspace_bytes());
    bytes c = before_;
    const std::int64_t half = p_.n / 2;
    made.run_part(operands(c), memory.data(), {0, p_.m}, {0, half});
    made.run_part(operands(c), memory.data(), {0, p_.m}, {half, p_.n - half});
    return c;
}

bytes engine_product::one_of_many() const {
    const cpu_engine::product made = make(1);
    const cpu_engine::call_memory memory(made.workspace_bytes());
    bytes c = before_;
    made.run_many(
        {0, 1}, [&](std::size_t) { return operands(c); }, memory.data());
    return c;
}

std::string engine_product::wrong(const bytes& c) const {
    bytes before = before_;
    return beyond_bound(p_, operands(before), c.data());
}

}  // namespace carat::test
