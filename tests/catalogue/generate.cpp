#include "generate.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace carat::test {

namespace {

// Around register tiles, cache lines and powers of two.
constexpr std::array<std::int64_t, 34> edges = {1,  2,  3,  4,  5,  6,  7,   8,   9,   11, 13, 14,
                                                15, 16, 17, 23, 24, 25, 31,  32,  33,  47, 48, 49,
                                                61, 63, 64, 65, 97, 96, 127, 128, 129, 191};
constexpr std::int64_t most_madds = 300'000;
constexpr std::int64_t longest = 1200;

class drawer {
  public:
    explicit drawer(std::uint64_t seed) : random_(seed) {}

    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
    }
    bool one_in(std::int64_t n) { return below(n) == 0; }
    template <class List>
    auto any_of(const List& list) {
        return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(std::size(list))))];
    }
    std::uint64_t word() { return random_(); }

  private:
    std::mt19937_64 random_;
};

std::int64_t draw_extent(drawer& draw) {
    if (draw.one_in(30)) return 0;
    if (draw.one_in(12)) return 1 + draw.below(longest);
    if (draw.one_in(3)) return 1 + draw.below(80);
    return draw.any_of(edges);
}

void draw_sizes(drawer& draw, core::problem& p) {
    p.m = draw_extent(draw);
    p.n = draw_extent(draw);
    p.k = draw_extent(draw);
    while (p.m * p.n * p.k > most_madds) {
        std::int64_t& largest = std::max({std::ref(p.m), std::ref(p.n), std::ref(p.k)},
                                         [](auto& a, auto& b) { return a.get() < b.get(); });
        largest = largest / 2 + draw.below(2);
    }
}

// Row- or column-major, usually padded; sometimes, if `any`, with two strides beyond 1.
core::layout draw_layout(drawer& draw, std::int64_t rows, std::int64_t cols, bool any) {
    constexpr std::array<std::int64_t, 6> paddings = {0, 0, 1, 3, 8, 17};
    const std::int64_t padding = draw.any_of(paddings);
    const std::int64_t unit = any && draw.one_in(2) ? 2 + draw.below(3) : 1;
    const bool by_rows = draw.one_in(2);
    const std::int64_t line = std::max<std::int64_t>(1, by_rows ? cols : rows) * unit + padding;
    return by_rows ? core::layout{line, unit} : core::layout{unit, line};
}

void draw_layouts(drawer& draw, core::problem& p, bool any) {
    p.a_layout = draw_layout(draw, p.m, p.k, any);
    p.b_layout = draw_layout(draw, p.k, p.n, any);
    p.c_layout = draw_layout(draw, p.m, p.n, any);
}

void draw_factors(drawer& draw, core::problem& p) {
    constexpr std::array whole = {1.0, 1.0, 1.0, -1.0, 0.0, 2.0, -3.0};
    constexpr std::array real = {1.0, 1.0, -1.0, 0.0, 2.5, -0.75, 0.1};
    const bool integer = p.c_type == dtype::i32;
    p.alpha = draw.any_of(integer ? whole : real);
    p.beta = draw.one_in(3) ? 0 : draw.any_of(integer ? whole : real);
}

workload::distribution draw_data(drawer& draw, const core::problem& p) {
    if (p.a_type == dtype::u8) return workload::integers(0, 127);
    if (p.c_type == dtype::i32)
        return draw.one_in(2) || p.a_type != dtype::i32 ? workload::integers(-8, 8)
                                                        : workload::integers(-0x1p31, 0x1p31 - 1);
    // f16 holds no more than 65504.
    const double phi = p.a_type == dtype::f16 || p.c_type == dtype::f16 ? 1 : 6;
    const std::array kinds = {workload::integers(-8, 8),    workload::integers(-8, 8),
                              workload::normal(0, 1),       workload::uniform(2, 5),
                              workload::ill_conditioned(1), workload::ill_conditioned(phi)};
    return draw.any_of(kinds);
}

void draw_tunables(drawer& draw, const rows::implementation& entry, product_case& c) {
    const std::int64_t widest = std::max({c.p.m, c.p.n, c.p.k, std::int64_t{1}});
    for (const core::tunable& t : entry.tunables)
        if (draw.one_in(2))
            c.how.tunables[std::string(t.name)] =
                std::clamp<std::int64_t>(1 + draw.below(widest), t.least, t.most);
}

bool refused(const product_case& c) {
    return !rows::reason_against(*c.entry, c.p, c.how).empty();
}

std::uint64_t seed_of(const rows::implementation& entry, const core::signature& types,
                      std::uint64_t number) {
    std::uint64_t hash = 0xcbf29ce484222325 + number;  // FNV-1a
    for (const char letter : entry.name)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    for (const dtype type : {types.a, types.b, types.c})
        hash = (hash ^ static_cast<unsigned char>(type)) * 0x100000001b3;
    return hash;
}

using simplification = std::function<void(product_case&)>;

std::vector<simplification> simplifications() {
    std::vector<simplification> all;
    for (const auto& extent : {&core::problem::m, &core::problem::n, &core::problem::k}) {
        all.emplace_back([extent](product_case& c) { c.p.*extent /= 2; });
        all.emplace_back([extent](product_case& c) { c.p.*extent -= c.p.*extent > 0 ? 1 : 0; });
    }
    all.emplace_back([](product_case& c) { c.p.a_layout = core::row_major(c.p.k); });
    all.emplace_back([](product_case& c) { c.p.b_layout = core::row_major(c.p.n); });
    all.emplace_back([](product_case& c) { c.p.c_layout = core::row_major(c.p.n); });
    for (std::size_t which = 0; which < 3; ++which)
        all.emplace_back([which](product_case& c) { c.places[which] = {}; });
    all.emplace_back([](product_case& c) { c.p.alpha = 1; });
    all.emplace_back([](product_case& c) { c.p.beta = 0; });
    all.emplace_back([](product_case& c) { c.how.threads = 1; });
    all.emplace_back([](product_case& c) { c.how.tunables.clear(); });
    all.emplace_back([](product_case& c) { c.special = special_value::none; });
    all.emplace_back([](product_case& c) { c.data = small_integers(c.p.a_type); });
    return all;
}

}  // namespace

int most_threads(const rows::implementation& entry) {
    if (!entry.threaded) return 1;
    if (entry.name.starts_with("cpu.")) return 3;
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 3);
}

product_case random_case(const rows::implementation& entry, const core::signature& types,
                         std::uint64_t number) {
    drawer draw(seed_of(entry, types, number));
    product_case c = plain_case(entry, types, 0, 0, 0);
    c.seed = draw.word();
    draw_sizes(draw, c.p);
    draw_factors(draw, c.p);
    c.data = draw_data(draw, c.p);
    c.how.threads = 1 + static_cast<int>(draw.below(most_threads(entry)));
    for (placement& place : c.places)
        place = {
            draw.one_in(2) ? flush::front : flush::back,
            draw.one_in(3) ? draw.below(64 / static_cast<std::int64_t>(size_bytes(types.a))) : 0};
    if (types.c != dtype::i32 && draw.one_in(6))
        c.special = static_cast<special_value>(1 + draw.below(6));
    draw_tunables(draw, entry, c);
    if (refused(c)) c.how.tunables.clear();
    draw_layouts(draw, c.p, draw.one_in(3));
    if (refused(c)) draw_layouts(draw, c.p, false);
    if (refused(c)) {
        c.p.alpha = 1;
        c.p.beta = draw.one_in(2) ? 0 : 1;
    }
    return c;
}

product_case smallest_failing(product_case failing) {
    const std::vector<simplification> all = simplifications();
    for (bool shrunk = true; shrunk;) {
        shrunk = false;
        for (const simplification& simplify : all) {
            product_case simpler = failing;
            simplify(simpler);
            if (describe(simpler) == describe(failing) || refused(simpler)) continue;
            if (failure_of(simpler).empty()) continue;
            failing = simpler;
            shrunk = true;
        }
    }
    return failing;
}

}  // namespace carat::test
