#include <span>
#include <vector>

#include <carat/sums.hpp>

#include "api/checks.hpp"
#include "core/dtype_traits.hpp"
#include "core/isa.hpp"
#include "cuda/engine/call.hpp"

namespace carat {

namespace detail {

namespace {

template <class T>
T& at(const erased_matrix& of, std::size_t i, std::size_t j) {
    return static_cast<T*>(of.data)[static_cast<std::ptrdiff_t>(i) * of.row_stride +
                                    static_cast<std::ptrdiff_t>(j) * of.col_stride];
}

// Row by row, or column by column where these are what is contiguous.
template <class T, class C>
void finish(const erased_matrix& sums, const erased_matrix* e, const erased_matrix& c,
            const epilogue_steps& steps, std::size_t row, std::size_t col) {
    const auto function =
        cpu_engine::kernel_of<T>(cpu_engine::kernels_for(core::isa_in_use())).epilogue;
    const bool down = c.row_stride == 1 && c.col_stride != 1;
    const std::size_t lines = down ? c.cols : c.rows, count = down ? c.rows : c.cols;
    const cpu_engine::epilogue_call<T> applied{
        .function = function, .steps = std::span(steps.at).first(steps.count), .down = down};
    cpu_engine::epilogue_call<T> added{.function = function, .down = down};
    if (e != nullptr && e->factor != 0) {
        added.beta = static_cast<T>(e->factor);
        added.e = e->data;
        added.e_type = e->type;
        added.e_run_step = down ? e->row_stride : e->col_stride;
        added.e_run_stride = down ? e->col_stride : e->row_stride;
    }
    std::vector<T> run(count);
    for (std::size_t line = 0; line < lines; ++line) {
        const auto place = [&](const erased_matrix& of, std::size_t i) -> auto& {
            return down ? at<T>(of, i, line) : at<T>(of, line, i);
        };
        for (std::size_t i = 0; i < count; ++i) run[i] = place(sums, i);
        const auto length = static_cast<std::int64_t>(count);
        const auto begin = static_cast<std::int64_t>(down ? row : col);
        const auto number = static_cast<std::int64_t>(line);
        applied({run.data(), length, 1, length, begin,
                 number + static_cast<std::int64_t>(down ? col : row)});
        if (added.beta != 0) added({run.data(), length, 1, length, 0, number});
        for (std::size_t i = 0; i < count; ++i)
            (down ? at<C>(c, i, line) : at<C>(c, line, i)) = C(static_cast<double>(run[i]));
    }
}

}  // namespace

epilogue_steps multiply_steps_at(const epilogue_steps& steps, dtype sums, std::size_t row,
                                 std::size_t col, std::size_t rows, std::size_t cols) {
    epilogue_steps moved = steps;
    for (epilogue_step& step : std::span(moved.at).first(moved.count)) {
        if (step.kind != step_kind::bias && step.kind != step_kind::scale) continue;
        const bool by_rows = step.of == by::row;
        step.values =
            static_cast<const std::byte*>(step.values) + (by_rows ? row : col) * size_bytes(sums);
        step.count = by_rows ? rows : cols;
    }
    return moved;
}

void multiply_sums(const cpu&, const erased_matrix& sums, const erased_matrix* e,
                   const erased_matrix& c, const epilogue_steps& steps, std::size_t row,
                   std::size_t col) {
    api::check_epilogue_on_cpu(steps, "matrix_product");
    switch (c.type) {
        case dtype::f64:
            return finish<double, double>(sums, e, c, steps, row, col);
        case dtype::f32:
            return finish<float, float>(sums, e, c, steps, row, col);
        case dtype::f16:
            return finish<float, f16>(sums, e, c, steps, row, col);
        case dtype::bf16:
            return finish<float, bf16>(sums, e, c, steps, row, col);
        default:
            throw error(
                error_code::unsupported,
                "matrix_product: C is " + std::string(name(c.type)) +
                    ", for which sums from elsewhere have no epilogue: take f64, f32, f16 or "
                    "bf16");
    }
}

void multiply_sums(const cuda& where, const erased_matrix& sums, const erased_matrix* e,
                   const erased_matrix& c, const epilogue_steps& steps, std::size_t row,
                   std::size_t col) {
    const epilogue_steps own = multiply_steps_at(steps, sums.type, row, col, c.rows, c.cols);
    gpu_engine::finish_sums(where.device, where.stream, sums, e, c, own);
}

}  // namespace detail

}  // namespace carat
