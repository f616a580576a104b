// Fields of nlohmann's trees. Its own conversions truncate 0.5 to 0, wrap 2^63 around, and name
// neither file nor field.
#pragma once

#include <array>
#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "files/basic_fields.hpp"

namespace carat::files {

// Each sets `value` and returns true if `from` has its type.
bool decode(const nlohmann::json& from, bool& value);
bool decode(const nlohmann::json& from, std::string& value);
bool decode(const nlohmann::json& from, nlohmann::json& value);
// JSON has no infinity: null stands for it, or for its negative at a range's lower end. A null
// range has no ends.
bool decode(const nlohmann::json& from, double& value);
bool decode(const nlohmann::json& from, std::array<double, 2>& value);

template <std::integral T>
bool decode(const nlohmann::json& from, T& value) {
    if (!from.is_number_integer()) return false;
    const bool fits =
        from.is_number_unsigned()
            ? std::in_range<T>(from.get_ref<const nlohmann::json::number_unsigned_t&>())
            : std::in_range<T>(from.get_ref<const nlohmann::json::number_integer_t&>());
    if (fits) value = from.get<T>();
    return fits;
}

template <class T>
bool decode(const nlohmann::json& from, std::vector<T>& value) {
    if (!from.is_array()) return false;
    value.clear();
    value.reserve(from.size());
    for (const nlohmann::json& element : from) {
        T one{};
        if (!decode(element, one)) return false;
        value.push_back(std::move(one));
    }
    return true;
}

template <class T, class Order>
bool decode(const nlohmann::json& from, std::map<std::string, T, Order>& value) {
    if (!from.is_object()) return false;
    value.clear();
    for (const auto& [key, element] : from.items())
        if (!decode(element, value[key])) return false;
    return true;
}

template <>
struct decoder<nlohmann::json> {
    static std::string shown(const nlohmann::json& value) {
        return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    template <class T>
    static bool decode_into(const nlohmann::json& from, T& value) {
        return decode(from, value);
    }
};

using fields = basic_fields<nlohmann::json>;

}  // namespace carat::files
