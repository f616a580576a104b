#include "lab/files/document.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "files/read.hpp"
#include "files/visible.hpp"

namespace carat::files {

using nlohmann::json;

namespace {

// Counts brackets outside of strings, as far as the parser would get: it stops at the first error,
// and up to there both agree.
bool is_deep(std::string_view text) {
    constexpr auto tells = [] {
        std::array<bool, 256> those = {};
        for (const char c : {'"', '[', '{', ']', '}'}) those[static_cast<unsigned char>(c)] = true;
        return those;
    }();
    int level = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (!tells[static_cast<unsigned char>(c)]) continue;  // nearly all are figures and blanks
        if (c == '"') {
            while (++i < text.size() && text[i] != '"')
                if (text[i] == '\\') ++i;
        } else if (c == '[' || c == '{') {
            if (++level > most_levels) return true;
        } else {
            --level;
        }
    }
    return false;
}

}  // namespace

json parse(const std::string& text, const std::string& name) {
    // The parser takes a NUL for the end of the text and would accept whatever follows.
    if (text.find('\0') != text.npos) fail_for_syntax(name);
    if (is_deep(text)) fail_for_depth(name);
    try {
        return json::parse(text);
    } catch (const json::exception&) {
        fail_for_syntax(name);
    }
}

namespace {

void make_visible(std::string& text) {
    if (std::string shown = visible(text); shown != text) text = std::move(shown);
}

void make_visible(json& value) {
    if (value.is_string()) make_visible(value.get_ref<std::string&>());
    if (value.is_array())
        for (json& element : value)
            if (!element.is_number()) make_visible(element);
    if (!value.is_object()) return;
    auto& object = value.get_ref<json::object_t&>();
    for (auto& [key, field] : object) make_visible(field);
    const auto hides = [](const auto& entry) { return visible(entry.first) != entry.first; };
    if (std::none_of(object.begin(), object.end(), hides)) return;  // nearly always
    json shown = json::object();
    for (auto& [key, field] : object) shown[visible(key)] = std::move(field);
    value = std::move(shown);
}

}  // namespace

json with_visible_texts(json value) {
    make_visible(value);
    return value;
}

}  // namespace carat::files
