#include "tests/cuda/epilogue_fixture.hpp"

#include <vector>

namespace carat::test {

namespace {

std::vector<float> broadcast_vector(std::int64_t count, bool of_scale) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = of_scale ? (i % 3 == 0 ? -0.5F : 2.0F)
                             : static_cast<float>(static_cast<int>(i % 7) - 3);
    return values;
}

// Why the plan is not one of the gates requested; empty if it is.
std::string wrong_plan(const fused_case& a, const rows::runnable* made) {
    if (made == nullptr) return "there is no kernel";
    if (!a.gates) return {};
    const std::string why = made->planned().why;
    if (why.find("half of them gates") == std::string::npos) return "it says no gates: " + why;
    if ((why.find("stream-K") != std::string::npos) != (a.s.tunables.at("stream_k") == 2))
        return "shared out evenly or not: " + why;
    return {};
}

}  // namespace

std::string check(const fused_case& a, double tolerance) {
    const core::problem& p = a.p;
    const core::problem whole = a.whole();
    operand_set data(whole, a.offset);
    guarded c(p.c_type, p.m, p.n, p.c_layout, 0);
    guarded d(p.c_type, p.m, p.n, p.c_layout, 0);
    data.a.fill('a'), data.b.fill('b'), d.fill('d');
    if (!a.adds && p.beta != 0) c.fill('d');
    const auto around_c = c.surroundings();
    const std::vector<float> scale = broadcast_vector(a.per_row ? p.m : whole.n, true);
    const std::vector<float> bias = broadcast_vector(a.per_row ? p.m : whole.n, false);
    const device_copy on_a(data.a), on_b(data.b), on_c(c), on_d(d);
    const space::buffer scales = on_gpu(scale.data(), scale.size() * sizeof(float));
    const space::buffer biases = on_gpu(bias.data(), bias.size() * sizeof(float));
    cuda::epilogue_fusion last;
    if (a.scales) last.scale = {static_cast<const float*>(scales.data()), a.per_row};
    if (a.biases) last.bias = {static_cast<const float*>(biases.data()), a.per_row};
    last.activation_function = a.then;
    last.is_glu = a.gates;
    if (a.adds) last.residual = on_d.get();
    const auto made = a.by == core::gpu_arithmetic::native
                          ? rows::cuda::prepare_fused(p, last, a.s)
                          : rows::cuda::row_of(a.by).prepare(p, a.s);
    if (std::string why = wrong_plan(a, made.get()); !why.empty()) return why;
    made->run({on_a.get(), on_b.get(), on_c.get()});
    on_c.download(c);

    if (c.surroundings() != around_c) return "memory around C was written";
    const sums& product =
        whole_sums(static_cast<std::size_t>(p.m), static_cast<std::size_t>(whole.n),
                   static_cast<std::size_t>(p.k));
    const auto stepped = [&](std::int64_t i, std::int64_t j) {
        const auto line = static_cast<std::size_t>(a.per_row ? i : j);
        double x = p.alpha * product(i, j);
        if (a.scales) x *= static_cast<double>(scale[line]);
        return a.biases ? x + static_cast<double>(bias[line]) : x;
    };
    return wrong_among(
        p.m, p.n, [&](auto i, auto j) { return c.get(i, j); },
        [&](auto i, auto j) {
            double x = reference(a.then, stepped(i, j));
            if (a.gates) x *= stepped(i, j + p.n);
            return p.beta == 0 ? x : x + p.beta * d.get(i, j);
        },
        tolerance);
}

}  // namespace carat::test
