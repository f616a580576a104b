// Checks the kernels against a plain definition of what they compute, on small multiples of 1/2
// that every type holds exactly, so results must be equal. A peak of a unit that does not do the
// work would be false.
#include <cstring>
#include <memory>
#include <new>

#include "core/dtype_traits.hpp"
#include "lab/machine/kernels.hpp"

namespace carat::machine {

namespace {

double load(dtype type, const std::byte* memory, std::int64_t index) {
    return core::visit(type, [&]<class T>(core::element_tag<T>) {
        T value;
        std::memcpy(&value, memory + index * std::int64_t{sizeof(T)}, sizeof(T));
        return static_cast<double>(value);
    });
}

void store(dtype type, std::byte* memory, std::int64_t index, double value) {
    core::visit(type, [&]<class T>(core::element_tag<T>) {
        const T stored(static_cast<T>(value));
        std::memcpy(memory + index * std::int64_t{sizeof(T)}, &stored, sizeof(T));
    });
}

struct release {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
};
using state_memory = std::unique_ptr<std::byte[], release>;

// The three parts of a state.
struct parts {
    const compute_kernel& kernel;
    std::byte* memory;

    [[nodiscard]] double x(std::int64_t i) const { return load(kernel.operand, memory, i); }
    [[nodiscard]] double y(std::int64_t i) const {
        return load(kernel.operand, memory + kernel.operand_bytes, i);
    }
    [[nodiscard]] std::byte* accumulators() const {
        return memory + 2 * std::int64_t{kernel.operand_bytes};
    }
    [[nodiscard]] double c(std::int64_t i) const {
        return load(kernel.accumulator, accumulators(), i);
    }
};

// What accumulator `i` of a chain holds after `steps` steps from `c`.
double expected(const parts& state, std::int64_t i, double c, std::int64_t steps) {
    const compute_kernel& kernel = state.kernel;
    const std::int64_t depth = kernel.depth;
    double sum = 0;
    switch (kernel.form) {
        case arithmetic::multiply_add:
            for (; steps > 0; --steps) c = c * state.x(i) + state.y(i);
            return c;
        case arithmetic::dot:
            for (std::int64_t d = 0; d < depth; ++d)
                sum += state.x(i * depth + d) * state.y(i * depth + d);
            break;
        case arithmetic::matrix:
            for (std::int64_t d = 0; d < depth; ++d)
                sum += state.x(i / 2 * depth + d) * state.y(i % 2 * depth + d);
            break;
        case arithmetic::tile:
            // Row i / 16 of x times column i % 16 of y, whose rows hold `depth` rows interleaved.
            for (std::int64_t p = 0; p < 16; ++p)
                for (std::int64_t d = 0; d < depth; ++d)
                    sum += state.x((i / 16 * 16 + p) * depth + d) *
                           state.y((p * 16 + i % 16) * depth + d);
            break;
    }
    return c + static_cast<double>(steps) * sum;
}

}  // namespace

void fill_state(const compute_kernel& kernel, void* state) {
    auto* memory = static_cast<std::byte*>(state);
    const auto elements = kernel.operand_bytes / static_cast<int>(size_bytes(kernel.operand));
    // Factors of magnitude 1/2 or 1 keep a multiply-add finite for any number of steps; the first
    // operand of 8-bit dot products is unsigned.
    const bool multiply_add = kernel.form == arithmetic::multiply_add;
    const double scale = multiply_add && !is_integer(kernel.operand) ? 0.5 : 1;
    for (int i = 0; i < elements; ++i) {
        const double x = multiply_add ? (i % 2 + 1) * (i % 3 == 0 ? -scale : scale) : i % 4;
        store(kernel.operand, memory, i, x);
        store(kernel.operand, memory + kernel.operand_bytes, i, i % 5 - 2);
    }
    for (int i = 0; i < kernel.lanes * kernel.chains; ++i)
        store(kernel.accumulator, memory + 2 * std::int64_t{kernel.operand_bytes}, i, i % 7 - 3);
}

bool computes_right(const compute_kernel& kernel, std::int64_t steps) {
    const std::size_t size = state_bytes(kernel);
    const auto make = [&] {
        return state_memory(static_cast<std::byte*>(::operator new[](size, std::align_val_t{64})));
    };
    const state_memory before = make(), after = make();
    fill_state(kernel, before.get());
    std::memcpy(after.get(), before.get(), size);
    kernel.run(steps, after.get());

    const parts was{kernel, before.get()}, is{kernel, after.get()};
    for (std::int64_t i = 0; i < std::int64_t{kernel.lanes} * kernel.chains; ++i)
        if (is.c(i) != expected(was, i % kernel.lanes, was.c(i), steps)) return false;
    return true;
}

}  // namespace carat::machine
