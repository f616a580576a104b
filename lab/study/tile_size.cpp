// Documents 002, 003 and 004: which tile? Every tiled implementation with tiles of 16, 32, 64 and
// 128, compared with the prediction of a cache model.
//
// Document 003 finds 2.4 % between tiles of 16 and 32 from one run each; the verdicts here say
// whether such a difference is real. Document 002 takes the reuse of a tile of edge T to be N/T; it
// is T.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "lab/report/words.hpp"
#include "lab/results/surroundings.hpp"
#include "lab/study/published.hpp"
#include "lab/study/queries.hpp"

namespace carat::study {

namespace {

constexpr std::string_view tile_type = "f32";
constexpr std::int64_t element_bytes = 4;
constexpr std::array<std::int64_t, 4> tile_sizes = {16, 32, 64, 128};
constexpr std::array<std::string_view, 8> on_cpu = {
    "cpu.ladder.tiled", "cpu.ladder.tiled_reordered", "cpu.ladder.openmp",  "cpu.ladder.threads",
    "cpu.ladder.simd",  "cpu.ladder.register_tile",   "cpu.ladder.packing", "cpu.ladder.prefetch"};

std::string with_tile(std::string_view name, std::int64_t tile) {
    return fmt::format("{}[tile-size={}]", name, tile);
}

std::string tile_names() {
    std::string all;
    for (const std::string_view name : on_cpu)
        for (const std::int64_t tile : tile_sizes) all += with_tile(name, tile) + ",";
    for (const int tile : {8, 16, 32}) all += with_tile("cuda.ladder.tiled", tile) + ",";
    return all + with_tile("cuda.ladder.register_tiled", 64) + "," +
           with_tile("cuda.ladder.register_tiled", 128);
}

std::vector<part> tile_parts(const options& how) {
    part all{request(how, tile_names(), how.how_much == extent::quick ? 0.25 : 3)};
    request::measurement& r = all.request;
    r.types = {dtype::f32};
    const std::int64_t n = how.how_much == extent::quick   ? 512
                           : how.how_much == extent::usual ? 1024
                                                           : 2048;
    r.shapes = {{n, n, n}};
    if (how.how_much == extent::full) r.timing.trials = 30;
    return {all};
}

// The smallest data cache that holds three tiles, according to the machine description.
std::string level_of(const std::vector<results::data_cache>& caches, std::int64_t bytes) {
    for (const results::data_cache& cache : caches)
        if (cache.size_bytes >= bytes) return fmt::format("L{}", cache.level);
    return "memory";
}

table model(const std::vector<results::data_cache>& caches) {
    table t{"What the model says of a tile, f32",
            {"tile", "three tiles, KiB", "held by", "reuse", "flop per byte"},
            {},
            "An element that is in the cache is used T times before its tile is left, so 2T^3 "
            "operations need 2T^2 elements of A and B: T/4 flop per byte of f32."};
    for (const std::int64_t tile : tile_sizes) {
        const std::int64_t bytes = 3 * tile * tile * element_bytes;
        t.rows.push_back({fmt::format("{}", tile), fmt::format("{}", bytes / 1024),
                          level_of(caches, bytes), fmt::format("{}", tile),
                          fmt::format("{:g}", static_cast<double>(tile) / element_bytes)});
    }
    return t;
}

table by_tile(const results::document& doc, std::int64_t n) {
    table t{fmt::format("On the CPU, f32, N = {}, GFLOP/s", n),
            {"implementation", "16", "32", "64", "128"},
            {},
            {}};
    for (const std::string_view name : on_cpu) {
        std::vector<std::string> row = {last_part(name)};
        for (const std::int64_t tile : tile_sizes)
            row.push_back(gflops(measured(doc, with_tile(name, tile), tile_type, n)));
        if (std::any_of(row.begin() + 1, row.end(), [](const auto& text) { return text != "-"; }))
            t.rows.push_back(std::move(row));
    }
    return t;
}

table on_gpu(const results::document& doc, std::int64_t n) {
    table t{fmt::format("On the GPU, f32, N = {}, GFLOP/s", n),
            {"implementation", "tile", "median", "document at 2048"},
            {},
            "One thread an element stops at 32 x 32, the 1024 threads of a block; with registers "
            "64 and 128 are possible, which document 003 rules out."};
    for (const results::result& c : doc.results) {
        if (!c.has_figure() || c.device != "cuda" || c.n != n) continue;
        const std::int64_t tile = c.tunables.contains("tile-size") ? c.tunables.at("tile-size") : 0;
        std::string there = "-";
        for (const published::tile& p : published::dense_tiles)
            if (p.size == tile && c.implementation.starts_with("cuda.ladder.tiled"))
                there = gflops(p.gflops);
        t.rows.push_back({last_part(c.implementation.substr(0, c.implementation.find('['))),
                          fmt::format("{}", tile), gflops_with_interval(&c), there});
    }
    return t;
}

// Is one tile size really better than another? The best two of each implementation.
std::string verdict(const results::document& doc, std::int64_t n, std::string_view name) {
    const results::result *best = nullptr, *second = nullptr;
    for (const std::int64_t tile : tile_sizes) {
        const results::result* c = measured(doc, with_tile(name, tile), tile_type, n);
        if (c == nullptr) continue;
        if (best == nullptr || c->median_s < best->median_s) {
            second = best;
            best = c;
        } else if (second == nullptr || c->median_s < second->median_s) {
            second = c;
        }
    }
    const results::comparison* all = compared(doc, tile_type, n);
    if (second == nullptr || all == nullptr) return {};
    const std::string word = verdict_of(*all, best->implementation, second->implementation);
    if (word == "-") return {};
    return fmt::format("{}: tile {} against {} is {} ({}).", last_part(name),
                       best->tunables.at("tile-size"), second->tunables.at("tile-size"),
                       word == "tie" ? "a tie" : word,
                       report::times(second->median_s / best->median_s));
}

chapter tell_tile_size(const results::document& doc, const options&) {
    chapter c;
    c.sources = {fmt::format("Document 003, {}, measured on {}.", published::dense.title,
                             published::dense.hardware)};
    c.not_run = absences(doc);
    c.tables.push_back(model(results::surroundings_of(doc).caches));
    const std::vector<std::int64_t> all = sizes(doc, tile_type);
    if (all.empty()) return c;
    if (table cpu = by_tile(doc, all.back()); !cpu.rows.empty()) c.tables.push_back(std::move(cpu));
    if (table gpu = on_gpu(doc, all.back()); !gpu.rows.empty()) c.tables.push_back(std::move(gpu));
    for (const std::string_view name : on_cpu)
        if (std::string text = verdict(doc, all.back(), name); !text.empty())
            c.findings.push_back(std::move(text));
    return c;
}

}  // namespace

const definition tile_size = {"tile-size",
                              "Which tile?",
                              "Which tile size is best for each tiled implementation, does the "
                              "model of the caches say so, and is the difference real?",
                              tile_parts,
                              tell_tile_size,
                              nullptr,
                              &published::dense};

}  // namespace carat::study
