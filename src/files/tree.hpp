// JSON as the library reads it: values as written. The library has its own parser, so that a
// program that builds carat from source needs none.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/basic_fields.hpp"

namespace carat::files {

struct tree {
    enum class kind : std::uint8_t { word, number, text, list, object };

    kind what = kind::word;          // null, true or false
    std::string text;                // of a word or number as it stands; of a text what it says
    std::vector<std::string> names;  // of an object's elements
    std::vector<tree> elements;      // of a list or an object

    [[nodiscard]] bool is_object() const { return what == kind::object; }
    [[nodiscard]] bool is_array() const { return what == kind::list; }
    [[nodiscard]] auto begin() const { return elements.begin(); }
    [[nodiscard]] auto end() const { return elements.end(); }
    /// Finds a member of an object, the last one of that name; end() if there is none.
    [[nodiscard]] std::vector<tree>::const_iterator find(std::string_view name) const {
        const auto found = std::find(names.rbegin(), names.rend(), name);
        return found == names.rend() ? end() : begin() + (names.rend() - found - 1);
    }
};

/// @throws carat::error(invalid_argument) naming `name`: not JSON, or nested deeper than
/// most_levels.
[[nodiscard]] tree parse_tree(std::string_view text, const std::string& name);

/// The value as JSON.
[[nodiscard]] std::string to_text(const tree& value);

template <>
struct decoder<tree> {
    static std::string shown(const tree& value) { return to_text(value); }
    static bool decode_into(const tree& from, std::string& value) {
        if (from.what == tree::kind::text) value = from.text;
        return from.what == tree::kind::text;
    }
    template <class T>
    requires std::integral<T> || std::floating_point<T>
    static bool decode_into(const tree& from, T& value) {
        const char* const end = from.text.data() + from.text.size();
        const auto read = std::from_chars(from.text.data(), end, value);
        return from.what == tree::kind::number && read.ec == std::errc() && read.ptr == end;
    }
    template <class T, class Order>
    static bool decode_into(const tree& from, std::map<std::string, T, Order>& value) {
        if (!from.is_object()) return false;
        value.clear();
        for (std::size_t i = 0; i < from.names.size(); ++i)
            if (!decode_into(from.elements[i], value[from.names[i]])) return false;
        return true;
    }
};

using tree_fields = basic_fields<tree>;

}  // namespace carat::files
