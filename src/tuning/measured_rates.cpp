#include "tuning/measured_rates.hpp"

#include <cmath>
#include <filesystem>

#include <carat/error.hpp>

#include "core/cache_directory.hpp"
#include "files/read.hpp"
#include "files/tree.hpp"

namespace carat::tuning {

namespace {

constexpr int schema = 1;

}  // namespace

rates_by_gpu parse_rates(const std::string& json, const std::string& source) {
    const files::tree file = files::parse_tree(json, source);
    const files::tree_fields in(file, source + ":", "delete it, and carat measures anew");
    if (in.get<int>("schema") != schema) in.fail("schema", "isn't " + std::to_string(schema));
    rates_by_gpu all;
    in.each("gpus", [&](const files::tree_fields& gpu) {
        measured_rates& of = all[gpu.get<std::string>("name")];
        each_rate(of, [&](const char* name, double& value) {
            gpu.added(name, value);
            if (!std::isfinite(value) || value < 0) gpu.fail(name, "is no rate");
        });
    });
    return all;
}

rates_by_gpu kept_rates() {
    const std::string file = rates_file();
    try {
        return file.empty() ? rates_by_gpu() : parse_rates(files::read(file), file);
    } catch (const error&) {
        return {};  // no one asked for it: plans then follow from the GPU's attributes
    }
}

const measured_rates* known_rates(std::string_view gpu) {
    static const rates_by_gpu all = kept_rates();
    const auto found = all.find(gpu);
    return found == all.end() ? nullptr : &found->second;
}

std::string rates_file() {
    const std::filesystem::path folder = core::cache_directory();
    return folder.empty() ? std::string() : (folder / "gpu_rates.json").string();
}

}  // namespace carat::tuning
