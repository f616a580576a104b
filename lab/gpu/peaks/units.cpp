#include "lab/gpu/peaks/units.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/common/handles.hpp"

namespace carat::gpu {

namespace {

constexpr std::uint64_t seed = 1;

std::int64_t bytes_of(std::int64_t elements, dtype type) {
    return elements * static_cast<std::int64_t>(size_bytes(type));
}

space::buffer uploaded(space::execution_space& space, dtype type, std::int64_t rows,
                       std::int64_t cols, const workload::distribution& values,
                       workload::operand which) {
    std::vector<std::byte> host(static_cast<std::size_t>(bytes_of(rows * cols, type)));
    workload::fill(host.data(), type, rows, cols, core::row_major(cols), values, seed, which, 1);
    space::buffer memory(space, host.size());
    space.upload(memory.data(), host.data(), host.size());
    return memory;
}

// A result; every type of a sum fits a double exactly.
double element(const std::byte* data, dtype type, std::size_t index) {
    const auto read = [&]<class T>(T value) {
        std::memcpy(&value, data + index * sizeof(T), sizeof(T));
        return static_cast<double>(value);
    };
    if (type == dtype::f64) return read(double{});
    if (type == dtype::f32) return read(float{});
    return read(std::int32_t{});
}

// Whole numbers whose sums stay exact, also in the 13 bits that e4m3 products are summed with.
loaded_unit loaded_for_checking(const unit_kernel& unit, space::execution_space& space) {
    const bool chain = unit.form == arithmetic::multiply_add;
    const auto factors = chain ? workload::integers(-1, 1) : workload::integers(-2, 2);
    return {unit, space, factors, workload::integers(-2, 2)};
}

}  // namespace

std::int64_t loaded_unit::depth() const {
    return unit_.form == arithmetic::product ? unit_.k : unit_.n;
}

std::int64_t loaded_unit::a_rows() const {
    return unit_.form == arithmetic::product ? unit_.m : 1;
}

std::int64_t loaded_unit::b_rows() const {
    return unit_.form == arithmetic::product ? unit_.n : 1;
}

loaded_unit::loaded_unit(const unit_kernel& unit, space::execution_space& space,
                         const workload::distribution& a, const workload::distribution& b)
    : unit_(unit),
      space_(&space),
      a_values_(a),
      b_values_(b),
      a_(uploaded(space, unit.operand, a_rows(), depth(), a, workload::operand::a)),
      b_(uploaded(space, unit.operand, b_rows(), depth(), b, workload::operand::b)),
      // C begins as a value that no sum has: all bits set are NaN, or -1 everywhere.
      c_(uploaded(space, dtype::i8, unit.m, unit.n * bytes_of(1, unit.sum),
                  workload::integers(-1, -1), workload::operand::c)) {}

void loaded_unit::start(std::int64_t steps, unsigned blocks) const {
    unit_.start(
        {a_.data(), b_.data(), c_.data(), static_cast<int>(steps), blocks, cuda::stream_in_use()});
    CARAT_CUDA_CHECK(cudaGetLastError());
}

double loaded_unit::expected(std::int64_t i, std::int64_t j, std::int64_t steps) const {
    const auto a = [&](std::int64_t row, std::int64_t col) {
        return workload::value_at(a_values_, seed, workload::operand::a, row, col);
    };
    const auto b = [&](std::int64_t row, std::int64_t col) {
        return workload::value_at(b_values_, seed, workload::operand::b, row, col);
    };
    const std::int64_t times = steps * unit_.times;
    double c = 0;
    if (unit_.form == arithmetic::product) {
        for (int p = 0; p < unit_.k; ++p) c += a(i, p) * b(j, p);
        return static_cast<double>(times) * c;
    }
    c = b(0, j) + static_cast<double>(i);
    for (std::int64_t t = 0; t < times; ++t) c = c * a(0, j) + b(0, j);
    return c;
}

bool loaded_unit::right(std::int64_t steps) const {
    std::vector<std::byte> host(c_.size_bytes());
    space_->download(host.data(), c_.data(), host.size());
    // Covers every row and column; checking all elements would take a second.
    for (std::int64_t i = 0; i < unit_.m; ++i)
        for (std::int64_t j = i % 16; j < unit_.n; j += 16) {
            const auto index = static_cast<std::size_t>(i * unit_.n + j);
            if (element(host.data(), unit_.sum, index) != expected(i, j, steps)) return false;
        }
    return true;
}

std::vector<unit_kernel> working_units(int capability, space::execution_space& space) {
    std::vector<unit_kernel> working;
    for (const auto& family : {fma_kernels(), mma_kernels(), wgmma_kernels()})
        for (const unit_kernel& unit : family) {
            if (capability < unit.least_capability || capability > unit.most_capability) continue;
            const loaded_unit small = loaded_for_checking(unit, space);
            small.start(2, 1);
            if (small.right(2)) working.push_back(unit);
        }
    return working;
}

loaded_unit loaded_with_random_data(const unit_kernel& unit, space::execution_space& space) {
    if (unit.operand == dtype::i8 || unit.operand == dtype::i32)
        return {unit, space, workload::integers(-127, 127), workload::integers(-127, 127)};
    // A chain of c a + b stays finite.
    if (unit.form == arithmetic::multiply_add)
        return {unit, space, workload::uniform(0.5, 1), workload::uniform(0.5, 1)};
    return {unit, space, workload::normal(0, 1), workload::normal(0, 1)};
}

loaded_unit loaded_with_ones(const unit_kernel& unit, space::execution_space& space) {
    return {unit, space, workload::integers(1, 1), workload::integers(1, 1)};
}

}  // namespace carat::gpu
