#include "lab/judge/products.hpp"

namespace carat::judge {

namespace {

void add_layouts(alternatives& to, request::shape size) {
    for (const row_layout rows : {row_layout::padded, row_layout::contiguous})
        to.push_back({size, rows});
}

alternatives drawn_alternatives(request::shape size) {
    alternatives all;
    const auto add = [&](request::shape s) {
        add_layouts(all, s);
        if (s.n != s.m || s.k != s.m) add_layouts(all, {s.m, s.m, s.m});
    };
    add(size);
    for (const std::int64_t side : {8, 32, 128}) {
        const auto up = [side](std::int64_t extent) { return (extent + side - 1) / side * side; };
        add({up(size.m), up(size.n), up(size.k)});
    }
    return all;
}

}  // namespace

std::vector<request::shape> shapes_to_try(stream& s) {
    std::vector<request::shape> all = {{1, 1, 1}};
    all.push_back({1, s.between(2, 90), s.between(2, 90)});
    all.push_back({s.between(2, 90), 1, s.between(2, 90)});
    all.push_back({s.between(2, 90), s.between(2, 90), 1});
    for (const std::int64_t side : {8, 32, 64}) {
        const std::int64_t base = side * s.between(1, 2);
        all.push_back({base, base, base});
        all.push_back({base + 1, base - 1, base + s.between(-1, 1)});
    }
    for (const std::int64_t side : {16, 64, 128})
        all.push_back({side * s.between(1, 3), side * s.between(1, 3), side * s.between(1, 3)});
    all.push_back({s.between(2, 20), s.between(2, 20), s.between(2000, 4000)});
    all.push_back({s.between(400, 900), s.between(2, 30), s.between(2, 60)});
    all.push_back({s.between(2, 30), s.between(400, 900), s.between(2, 60)});
    for (int i = 0; i < 3; ++i)
        all.push_back({s.between(2, 200), s.between(2, 200), s.between(2, 200)});
    all.push_back({s.odd(201, 330), s.odd(201, 330), s.odd(201, 330)});
    return all;
}

// Sizes for a request without any: a multiple of every tile's sides, and a multiple of none.
std::vector<alternatives> products_to_time(const options& r, bool on_gpu, stream& shapes) {
    std::vector<alternatives> all;
    for (const request::shape& size : r.sizes) add_layouts(all.emplace_back(), size);
    if (!r.sizes.empty()) return all;
    const std::int64_t side = on_gpu ? 4096 : 512;
    const std::int64_t least = side / 32 * 25, most = side / 4 * 5;
    add_layouts(all.emplace_back(), {side, side, side});
    const auto any = [&] { return shapes.odd(least, most); };
    const std::int64_t m = any(), n = any(), k = any();
    all.push_back(drawn_alternatives({m, n, k}));
    return all;
}

std::optional<timed_product> first_taken(participant& target, dtype type, int threads,
                                         const alternatives& of) {
    for (const timed_product& one : of) {
        std::vector<std::string> refused;
        target.enter(batch({problem_of(type, one.size, one.rows)}, threads), &refused);
        if (refused.empty()) return one;
    }
    return std::nullopt;
}

}  // namespace carat::judge
