#include "tuning/tuned.hpp"

#include <cstdlib>
#include <sstream>
#include <utility>

#include <carat/error.hpp>

#include "core/cache_directory.hpp"
#include "files/read.hpp"
#include "files/tree.hpp"
#include "files/visible.hpp"

namespace carat::tuning {

namespace {

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

const char* asked_for() {
    const char* const file = std::getenv("CARAT_TUNED");
    return file == nullptr || *file == '\0' ? nullptr : file;
}

bool is_none(const char* file) {
    return file != nullptr && std::string_view(file) == "none";
}

tuned_table read_asked(const char* file) {
    std::string text;
    try {
        text = files::read(file);
    } catch (const error& why) {
        throw error(why.code(), "CARAT_TUNED=" + std::string(why.what()) +
                                    " and that carat tune wrote, or none");
    }
    return {text, file};
}

tuned_table read_table() {
    const char* const asked = asked_for();
    if (is_none(asked)) return {};
    if (asked != nullptr) return read_asked(asked);
    const std::string kept = tuned_file();
    try {
        return kept.empty() ? tuned_table() : tuned_table(files::read(kept), "");
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
    const files::tree file = files::parse_tree(text, source_);
    const files::tree_fields in(file, source_ + ":", "no table of carat tune; write it anew");
    if (in.get<int>("schema") != schema) in.fail("schema", "isn't " + std::to_string(schema));
    in.each("cases", [&](const files::tree_fields& c) {
        const auto name = [&](const char* key) { return c.get<std::string>(key); };
        const auto size = [&](const char* key) { return c.get<std::int64_t>(key); };
        const std::string at = name_of(name("device"), name("implementation"), name("types"),
                                       name("layout"), size("m"), size("n"), size("k"));
        c("tunables", ways_[at]);
    });
}

const core::tunable_values* tuned_table::find(const std::string& tuned_case,
                                              std::span<const core::tunable> known) const {
    const auto found = ways_.find(tuned_case);
    if (found == ways_.end()) return nullptr;
    const std::string why = core::reason_against_tunables(known, found->second);
    if (why.empty()) return &found->second;
    if (source_.empty()) return nullptr;
    throw error(error_code::invalid_argument,
                files::visible(source_ + ": " + tuned_case + ": " + why) +
                    "; write it anew with carat tune");
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

}  // namespace carat::tuning
