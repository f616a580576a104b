#include "plan/tuned.hpp"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include <carat/error.hpp>

#include "core/cache_directory.hpp"

namespace carat::plan {

namespace {

using nlohmann::json;

constexpr int schema = 1;

char letter_of(const core::layout& at) {
    if (at.col_stride == 1) return 'n';
    return at.row_stride == 1 ? 't' : '?';
}

std::string name_of(std::string_view device, std::string_view implementation,
                    const std::string& types, const std::string& layout, std::int64_t m,
                    std::int64_t n, std::int64_t k) {
    std::ostringstream all;
    all << device << '/' << implementation << '/' << types << '/' << layout << '/' << m << 'x' << n
        << 'x' << k;
    return all.str();
}

std::string text_of(const std::string& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return in ? text.str() : std::string();
}

const char* asked_for() {
    const char* const file = std::getenv("CARAT_TUNED");
    return file == nullptr || *file == '\0' ? nullptr : file;
}

bool is_none(const char* file) {
    return file != nullptr && std::string_view(file) == "none";
}

tuned_table read_table() {
    const char* const file = asked_for();
    if (is_none(file)) return {};
    if (file != nullptr) {
        if (!std::ifstream(file))
            throw error(error_code::invalid_argument,
                        "CARAT_TUNED=" + std::string(file) +
                            ": there is no such file to read; name one that carat tune wrote, or "
                            "none");
        return {text_of(file), file};
    }
    const std::string text = text_of(tuned_file());
    try {
        return text.empty() ? tuned_table() : tuned_table(text, "");
    } catch (const error&) {
        return {};
    }
}

}  // namespace

std::string tuned_case(std::string_view device, std::string_view implementation,
                       const core::problem& p) {
    const std::string layout = {letter_of(p.a_layout), letter_of(p.b_layout)};
    if (layout.find('?') != std::string::npos || p.c_layout.col_stride != 1) return {};
    return name_of(device, implementation, types_of(p), layout, p.m, p.n, p.k);
}

std::string types_of(const core::problem& p) {
    return std::string(name(p.a_type)) + "," + std::string(name(p.b_type)) + "," +
           std::string(name(p.c_type));
}

tuned_table::tuned_table(const std::string& text, std::string source) : source_(std::move(source)) {
    try {
        const json file = json::parse(text);
        if (file.at("schema") != schema)
            throw error(error_code::invalid_argument, source_ + ": its schema isn't " +
                                                          std::to_string(schema) +
                                                          "; write it anew with carat tune");
        for (const json& c : file.at("cases")) {
            core::tunable_values& way = ways_[name_of(
                c.at("device").get<std::string>(), c.at("implementation").get<std::string>(),
                c.at("types"), c.at("layout"), c.at("m"), c.at("n"), c.at("k"))];
            for (const auto& [tunable, value] : c.at("tunables").items())
                way[tunable] = value.get_ref<const std::int64_t&>();
        }
    } catch (const json::exception& why) {
        throw error(error_code::invalid_argument,
                    source_ + " is no table of carat tune (" + why.what() + "); write it anew");
    }
}

const core::tunable_values* tuned_table::find(const std::string& tuned_case,
                                              std::span<const core::tunable> known) const {
    const auto found = ways_.find(tuned_case);
    if (found == ways_.end()) return nullptr;
    const std::string why = core::reason_against_tunables(known, found->second);
    if (why.empty()) return &found->second;
    if (source_.empty()) return nullptr;
    throw error(error_code::invalid_argument,
                source_ + ": " + tuned_case + ": " + why + "; write it anew with carat tune");
}

const tuned_table& tuned() {
    static const tuned_table table = read_table();
    return table;
}

std::string tuned_file() {
    if (const char* const file = asked_for(); file != nullptr && !is_none(file)) return file;
    const std::filesystem::path folder = core::cache_directory();
    return folder.empty() ? std::string() : (folder / "tuned.json").string();
}

}  // namespace carat::plan
