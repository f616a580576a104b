#include "run.hpp"

namespace carat::python {

namespace {

double work_of(const detail::erased_matrix& a, const detail::erased_matrix& b) {
    return static_cast<double>(a.rows) * static_cast<double>(a.cols) * static_cast<double>(b.cols);
}

}  // namespace

std::optional<int> common_gpu(const operand& a, const operand& b) {
    if (a.gpu() == b.gpu()) return a.gpu();
    const auto place = [](const operand& x) {
        return x.gpu() ? "on GPU " + std::to_string(*x.gpu()) : "in this machine's memory";
    };
    throw nb::value_error(
        ("a is " + place(a) + " and b is " + place(b) + ": move one to the other").c_str());
}

void run_one(const keywords& asked, nb::handle like, std::optional<int> gpu,
             const detail::erased_matrix& a, const detail::erased_matrix& b,
             const detail::erased_matrix& c, const detail::epilogue_steps* steps) {
    const auto run = [&](const auto& where) {
        run_released(work_of(a, b), [&] {
            if (steps == nullptr) return detail::multiply(where, a, b, nullptr, c);
            detail::multiply_with_epilogue(where, a, b, nullptr, c, *steps);
        });
    };
    if (gpu) return run(on_gpu(asked, a.type, like, *gpu));
    run(on_cpu(asked, a.type));
}

void run_many(const keywords& asked, nb::handle like, std::optional<int> gpu, double work,
              const detail::erased_batch& a, const detail::erased_batch& b,
              const detail::erased_batch& c, const detail::epilogue_steps* steps) {
    const auto run = [&](const auto& where) {
        run_released(work, [&] { detail::multiply_batch(where, a, b, nullptr, c, steps); });
    };
    if (gpu) return run(on_gpu(asked, a.first.type, like, *gpu));
    run(on_cpu(asked, a.first.type));
}

}  // namespace carat::python
