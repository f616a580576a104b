#include "harness.hpp"

#include <charconv>
#include <cstdio>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "lab/session/case.hpp"

namespace carat::mutants {

namespace {

constexpr core::signature types[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"},
                                     {dtype::f32, dtype::f32, dtype::f32, "f32"},
                                     {dtype::f16, dtype::f16, dtype::f32, "f32"},
                                     {dtype::bf16, dtype::bf16, dtype::f32, "f32"},
                                     {dtype::e4m3, dtype::e4m3, dtype::f32, "fp8/f32"},
                                     {dtype::e5m2, dtype::e4m3, dtype::f32, "fp8/14-bit"},
                                     {dtype::i32, dtype::i32, dtype::i32, "i32"},
                                     {dtype::i8, dtype::i8, dtype::i32, "i32"}};

struct score {
    std::int64_t mutants = 0;
    std::int64_t caught = 0;

    void add(const score& other) {
        mutants += other.mutants;
        caught += other.caught;
    }
};

std::vector<mutant> drawn;  // of the case under way

constexpr core::tunable which[] = {{"mutant", 0, 0, 1 << 20, "0: none"}};

request::measurement request_for(const rows::implementation& kernel, dtype type,
                                 const request::shape& shape, std::mt19937_64& random) {
    request::measurement request;
    for (std::int64_t i = 0; i <= static_cast<std::int64_t>(drawn.size()); ++i)
        request.chosen.push_back({&kernel, {{"mutant", i}}, true});
    request.shapes = {shape};
    request.types = {type};
    request.rotate_inputs = true;
    request.timing.trials = 1;
    request.timing.min_trial_s = 1e-9;
    request.timing.settle_s = 0;
    request.measure_energy = false;
    request.seed = random();
    return request;
}

template <class Number>
void read_option(std::string_view argument, std::string_view name, Number& value) {
    if (!argument.starts_with(name)) return;
    argument.remove_prefix(name.size());
    std::from_chars(argument.data(), argument.data() + argument.size(), value);
}

score run(const rows::implementation& kernel, dtype type, const request::shape& shape,
          std::int64_t count, std::mt19937_64& random) {
    drawn.clear();
    while (static_cast<std::int64_t>(drawn.size()) < count)
        drawn.push_back(draw(random, shape.m, shape.n, shape.k));
    const request::measurement request = request_for(kernel, type, shape, random);
    machine::description machine;
    machine.caches.push_back({.level = 3, .kind = "data", .size_bytes = 1});  // two sets will do
    const machine::peaks limits;
    const session::surroundings around{machine, limits, {}, {}, {}, {}};
    const session::case_result result =
        session::run_case(request, request::cases_of(request).front(), around);
    EXPECT_TRUE(result.results[0].verified) << name(type) << ": " << result.results[0].reason;
    EXPECT_EQ(result.results[0].exact_passes, 5);
    EXPECT_EQ(result.results[0].trials_s.size(), 1u);
    score reached{count, 0};
    for (std::size_t i = 1; i < result.results.size(); ++i) {
        const results::result& c = result.results[i];
        const bool caught = c.available && !c.verified && !c.reason.empty() && c.trials_s.empty();
        EXPECT_TRUE(caught) << name(type) << " " << shape.m << "x" << shape.n << "x" << shape.k
                            << ": " << describe(drawn[i - 1]) << " " << c.reason;
        reached.caught += caught ? 1 : 0;
    }
    return reached;
}

}  // namespace

settings& asked() {
    static settings now;
    return now;
}

const mutant* chosen(const core::settings& s) {
    const auto index = static_cast<std::size_t>(s.value(which[0]));
    return index == 0 ? nullptr : &drawn[index - 1];
}

void expect_all_caught(rows::device where, decltype(rows::implementation::prepare) prepare,
                       std::span<const std::int64_t> sizes) {
    const rows::implementation kernel{.name = "test.kernel",
                                      .summary = "",
                                      .where = where,
                                      .signatures = types,
                                      .tunables = which,
                                      .prepare = prepare};
    const auto [seed, wanted, size] = asked();
    std::mt19937_64 random(seed);
    score all;
    const auto cases = static_cast<std::int64_t>(std::size(types));
    for (std::int64_t i = 0; i < cases; ++i) {
        const std::int64_t least =
            size > 0 ? size : sizes[static_cast<std::size_t>(i) % sizes.size()];
        const auto side = [&] { return least + static_cast<std::int64_t>(random() % 64); };
        const request::shape shape{side(), side(), side()};
        const std::int64_t count = wanted * (i + 1) / cases - wanted * i / cases;
        all.add(run(kernel, types[i].a, shape, count, random));
    }
    std::printf("%lld of %lld mutants caught on the %s at sizes from %lld (seed %llu)\n",
                static_cast<long long>(all.caught), static_cast<long long>(all.mutants),
                where == rows::device::cpu ? "CPU" : "GPU",
                static_cast<long long>(size > 0 ? size : sizes[0]),
                static_cast<unsigned long long>(seed));
    EXPECT_EQ(all.mutants, wanted);
    EXPECT_EQ(all.caught, all.mutants);
}

}  // namespace carat::mutants

int main(int count, char** arguments) {
    testing::InitGoogleTest(&count, arguments);
    carat::mutants::settings& now = carat::mutants::asked();
    for (int i = 1; i < count; ++i) {
        carat::mutants::read_option(arguments[i], "--seed=", now.seed);
        carat::mutants::read_option(arguments[i], "--mutants=", now.wanted);
        carat::mutants::read_option(arguments[i], "--size=", now.size);
    }
    return RUN_ALL_TESTS();
}
