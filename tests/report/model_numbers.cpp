// The model's numbers for the browser test: reads one JSON object of the explorer's inputs a line,
// writes one JSON object of its outputs a line.
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/model/occupancy.hpp"
#include "lab/model/prediction.hpp"

namespace {

using namespace carat::model;
using nlohmann::json;

order order_named(const std::string& text) {
    for (const order o : all_orders)
        if (text == name(o)) return o;
    throw std::invalid_argument("unknown order " + text);
}

std::vector<level> levels_in(const json& in) {
    std::vector<level> levels;
    for (const json& l : in.at("levels"))
        levels.push_back(
            {l.at("name"), l.at("capacity_bytes"), l.at("gb_per_s"), l.at("line_bytes")});
    return levels;
}

void add(json& out, const prediction& p) {
    for (std::size_t i = 0; i < p.flows.size(); ++i)
        out["moved_" + std::to_string(i)] = p.flows[i].bytes;
    out["time_s"] = p.time_s;
    out["gflops"] = p.gflops;
    out["bound"] = p.bound;
}

json on_cpu(const json& in, const sizes& all, element_bytes each) {
    const schedule s{order_named(in.at("order")), in.at("tile")};
    const std::vector<level> levels = levels_in(in);
    const double bytes = working_set_bytes(s, all, each);
    const reuse used = reuse_of(s, all);
    json out{{"working_set", bytes},
             {"level", level_holding(levels, bytes).name},
             {"reuse_a", used.a},
             {"reuse_b", used.b},
             {"reuse_c", used.c},
             {"intensity", intensity(s, all, each)},
             {"ideal", ideal_intensity(all, each)}};
    add(out, predict(s, all, each, levels, in.at("peak_gflops")));
    return out;
}

json on_gpu(const json& in, const sizes& all, element_bytes each) {
    const double edge = in.at("tile");
    const gpu_tile tile = gpu_tile_of(edge, each.ab);
    const json& gpu = in.at("multiprocessor");
    const multiprocessor on{gpu.at("threads"),
                            gpu.at("blocks"),
                            gpu.at("registers"),
                            gpu.at("shared_bytes"),
                            gpu.at("shared_bytes_per_block"),
                            gpu.at("reserved_bytes")};
    const residency r = residency_of(tile.needs, on);
    json out{{"shared_bytes", tile.needs.shared_bytes},
             {"threads", tile.needs.threads},
             {"registers", tile.needs.registers},
             {"shared_reads", tile.shared_reads},
             {"blocks", r.blocks},
             {"occupancy", r.occupancy},
             {"limit", r.limit}};
    add(out, predict_gpu(edge, all, each, levels_in(in), in.at("peak_gflops")));
    return out;
}

}  // namespace

int main() {
    try {
        for (std::string line; std::getline(std::cin, line);) {
            const json in = json::parse(line);
            const sizes all{in.at("m"), in.at("n"), in.at("k")};
            const element_bytes each{in.at("bytes_ab"), in.at("bytes_c")};
            const json out =
                in.at("device") == "gpu" ? on_gpu(in, all, each) : on_cpu(in, all, each);
            fmt::print("{}\n", out.dump());
        }
        return 0;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "{}\n", problem.what());
        return 1;
    }
}
