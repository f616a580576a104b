#include "files/fields.hpp"

#include <carat/error.hpp>

#include "files/visible.hpp"

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
    if (!from.is_array() || from.size() != 2) return false;
    if (!decode(from[0], value[0]) || !decode(from[1], value[1])) return false;
    if (from[0].is_null()) value[0] = -value[0];
    return true;
}

fields::fields(const json& source, std::string where, std::string remedy)
    : source_(source), where_(std::move(where)), remedy_(std::move(remedy)) {
    if (!source_.is_object()) fail("", "is not an object");
}

const json* fields::find(const char* key) const {
    const auto found = source_.find(key);
    return found == source_.end() ? nullptr : &*found;
}

const json& fields::at(const char* key) const {
    const json* found = find(key);
    if (found == nullptr) fail(key, "is missing");
    return *found;
}

const json& fields::list(const char* key) const {
    const json& found = at(key);
    if (!found.is_array()) fail(key, "is not a list");
    return found;
}

fields fields::object(const char* key) const {
    return {at(key), name(key), remedy_};
}

std::string fields::name(const std::string& key) const {
    if (where_.empty() || key.empty()) return where_ + key;
    return where_ + (where_.ends_with(':') ? " " : ".") + key;
}

void fields::fail(const std::string& key, const std::string& what) const {
    throw error(error_code::invalid_argument, visible(name(key) + " " + what + ": " + remedy_));
}

}  // namespace carat::files
