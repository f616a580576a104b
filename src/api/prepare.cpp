// carat::prepare: checks an operand, packs it for this machine and keeps it.
#include <memory>
#include <new>
#include <string>

#include <carat/prepare.hpp>

#include "api/checks.hpp"
#include "api/integers.hpp"
#include "api/overlap.hpp"
#include "core/isa.hpp"
#include "cpu/prepared.hpp"

namespace carat {

namespace {

using detail::erased_matrix;

std::string size(const erased_matrix& m) {
    return std::to_string(m.rows) + " x " + std::to_string(m.cols) + " " +
           std::string(name(m.type));
}

// Made beforehand, as there may be no memory for a message.
const error no_memory(error_code::out_of_memory, "prepare: no memory for a packed copy");

[[noreturn]] void fail_for_memory(const erased_matrix& m) {
    try {
        throw error(error_code::out_of_memory,
                    "prepare: no memory for a packed copy of " + size(m));
    } catch (const std::bad_alloc&) {
        throw error(no_memory);
    }
}

prepared_matrix pack(const erased_matrix& m, side place) {
    const cpu_engine::kernel_set& kernels = cpu_engine::kernels_for(core::isa_in_use());
    const auto operand = std::make_shared<detail::prepared_operand>();
    operand->place = place;
    const bool right = place == side::right;
    const core::layout at = api::layout_of(m);
    const cpu_engine::source from = {
        static_cast<const std::byte*>(m.data), static_cast<std::int64_t>(size_bytes(m.type)),
        right ? at.col_stride : at.row_stride, right ? at.row_stride : at.col_stride};
    const std::size_t bytes = cpu_engine::pack_operand(
        *operand, kernels, m.type, from, static_cast<std::int64_t>(right ? m.cols : m.rows),
        static_cast<std::int64_t>(right ? m.rows : m.cols));
    if (is_integer(m.type)) operand->largest = api::largest_magnitude(m);
    erased_matrix erased = m;
    erased.data = nullptr;
    erased.prepared = operand.get();
    return {operand, erased, place, bytes, core::name(kernels.level)};
}

}  // namespace

prepared_matrix detail::prepare(const erased_matrix& m, side place) {
    const bool empty = m.rows == 0 || m.cols == 0;
    if (!empty && m.data == nullptr)
        throw error(error_code::invalid_argument,
                    "prepare: the matrix is " + size(m) + " but its data is null");
    try {
        api::check_extents(m, "the matrix");
        (void)api::span_of(m, "the matrix");
        return pack(m, place);
    } catch (const std::bad_alloc&) {
    } catch (const error& why) {
        if (why.code() == error_code::overflow)
            throw error(why.code(), "prepare: the matrix is " + size(m) +
                                        ", which does not fit in 64-bit addresses");
        if (why.code() != error_code::out_of_memory) throw;
    }
    fail_for_memory(m);
}

}  // namespace carat
