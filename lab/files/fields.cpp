#include "lab/files/fields.hpp"

namespace carat::files {

using nlohmann::json;

bool decode(const json& from, bool& value) {
    if (from.is_boolean()) value = from.get<bool>();
    return from.is_boolean();
}

bool decode(const json& from, std::string& value) {
    if (from.is_string()) value = from.get_ref<const std::string&>();
    return from.is_string();
}

bool decode(const json& from, json& value) {
    value = from;
    return true;
}

bool decode(const json& from, double& value) {
    if (from.is_null()) value = std::numeric_limits<double>::infinity();
    if (from.is_number()) value = from.get<double>();
    return from.is_null() || from.is_number();
}

bool decode(const json& from, std::array<double, 2>& value) {
    if (from.is_null()) {
        const double infinity = std::numeric_limits<double>::infinity();
        value = {-infinity, infinity};
        return true;
    }
    if (!from.is_array() || from.size() != 2) return false;
    if (!decode(from[0], value[0]) || !decode(from[1], value[1])) return false;
    if (from[0].is_null()) value[0] = -value[0];
    return true;
}

}  // namespace carat::files
