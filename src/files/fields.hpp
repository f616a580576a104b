// The fields of an object in a file, each of the type asked for or refused with one line that names
// file and field. nlohmann's own conversions are not enough: they cut 0.5 off to 0, wrap 2^63
// around, and tell of neither file nor field.
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace carat::files {

// Each sets `value` and returns true where `from` is of its type.
bool decode(const nlohmann::json& from, bool& value);
bool decode(const nlohmann::json& from, std::string& value);
bool decode(const nlohmann::json& from, nlohmann::json& value);
// JSON has no infinity: null stands for it, and is its lower end's negative in a range.
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

class fields {
  public:
    /// `source` must outlive it. Messages begin with `where` and end with `remedy`.
    /// @throws carat::error(invalid_argument) where `source` is no object, as all below do where a
    /// field is missing or of another type.
    fields(const nlohmann::json& source, std::string where, std::string remedy);

    template <class T>
    void operator()(const char* key, T& value) const {
        if (!decode(at(key), value)) fail(key, "has the wrong type");
    }
    template <class T>
    [[nodiscard]] T get(const char* key) const {
        T value{};
        (*this)(key, value);
        return value;
    }

    /// A field that files written before it was added lack: they keep what `value` is.
    template <class T>
    void added(const char* key, T& value) const {
        if (find(key) != nullptr) (*this)(key, value);
    }

    /// Null where there is no such field.
    [[nodiscard]] const nlohmann::json* find(const char* key) const;
    [[nodiscard]] const nlohmann::json& at(const char* key) const;
    [[nodiscard]] const nlohmann::json& list(const char* key) const;
    [[nodiscard]] fields object(const char* key) const;
    /// What holds of the elements of the list `key`: `read` is called with each.
    template <class Read>
    void each(const char* key, const Read& read) const {
        std::size_t i = 0;
        for (const nlohmann::json& element : list(key))
            read(fields(element, name(key) + "[" + std::to_string(i++) + "]", remedy_));
    }

    /// Throws "WHERE.KEY WHAT: REMEDY".
    [[noreturn]] void fail(const std::string& key, const std::string& what) const;

  private:
    [[nodiscard]] std::string name(const std::string& key) const;

    const nlohmann::json& source_;
    std::string where_, remedy_;
};

}  // namespace carat::files
