// Reads fields of an object in a file. A field of the wrong type is refused in one line that names
// file and field. Works on any tree of values with the members of nlohmann's that are used here.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace carat::files {

/// Its decode_into(from, value) sets `value` and returns true if `from` has its type; shown(from)
/// is `from` as the file has it.
template <class Value>
struct decoder;

/// @throws carat::error(invalid_argument) with `message` made visible.
[[noreturn]] void fail_for_field(const std::string& message);

/// "is VALUE, expected TYPE"; a long value is cut off.
[[nodiscard]] std::string mismatch(const std::string& value, const std::string& type);

// What a message calls the type of a field.
template <class T>
std::string type_name(std::type_identity<T>) {
    return "another type";
}
inline std::string type_name(std::type_identity<bool>) {
    return "true or false";
}
inline std::string type_name(std::type_identity<std::string>) {
    return "a string";
}
template <std::floating_point T>
std::string type_name(std::type_identity<T>) {
    return "a number";
}
template <std::integral T>
std::string type_name(std::type_identity<T>) {
    using limits = std::numeric_limits<T>;
    if (sizeof(T) == sizeof(std::int64_t))
        return limits::min() < 0 ? "a whole number" : "a whole number, 0 or more";
    return "a whole number from " + std::to_string(limits::min()) + " to " +
           std::to_string(limits::max());
}
inline std::string type_name(std::type_identity<std::array<double, 2>>) {
    return "a list of two numbers";
}
template <class T>
std::string type_name(std::type_identity<std::vector<T>>) {
    return "a list, each element " + type_name(std::type_identity<T>{});
}
template <class T, class Order>
std::string type_name(std::type_identity<std::map<std::string, T, Order>>) {
    return "an object, each element " + type_name(std::type_identity<T>{});
}

template <class Value>
class basic_fields {
  public:
    /// `source` must outlive it. Messages begin with `where` and end with `remedy`.
    /// @throws carat::error(invalid_argument) if `source` is no object; all functions below do so
    /// if a field is missing or has another type.
    basic_fields(const Value& source, std::string where, std::string remedy)
        : source_(source), where_(std::move(where)), remedy_(std::move(remedy)) {
        if (!source_.is_object()) fail("", "is not an object");
    }

    template <class T>
    void operator()(const char* key, T& value) const {
        const Value& from = at(key);
        if (decoder<Value>::decode_into(from, value)) return;
        fail(key, mismatch(decoder<Value>::shown(from), type_name(std::type_identity<T>{})));
    }
    template <class T>
    [[nodiscard]] T get(const char* key) const {
        T value{};
        (*this)(key, value);
        return value;
    }

    /// An optional field, which older files lack: `value` then stays as it is.
    template <class T>
    void added(const char* key, T& value) const {
        if (find(key) != nullptr) (*this)(key, value);
    }

    /// Null where there is no such field.
    [[nodiscard]] const Value* find(const char* key) const {
        const auto found = source_.find(key);
        return found == source_.end() ? nullptr : &*found;
    }
    [[nodiscard]] const Value& at(const char* key) const {
        const Value* found = find(key);
        if (found == nullptr) fail(key, "is missing");
        return *found;
    }
    [[nodiscard]] const Value& list(const char* key) const {
        const Value& found = at(key);
        if (!found.is_array()) fail(key, "is not a list");
        return found;
    }
    [[nodiscard]] basic_fields object(const char* key) const {
        return {at(key), name(key), remedy_};
    }
    /// Calls `read` with each element of the list `key`.
    template <class Read>
    void each(const char* key, const Read& read) const {
        std::size_t i = 0;
        for (const Value& element : list(key))
            read(basic_fields(element, name(key) + "[" + std::to_string(i++) + "]", remedy_));
    }

    /// Throws "WHERE.KEY WHAT: REMEDY".
    [[noreturn]] void fail(const std::string& key, const std::string& what) const {
        fail_for_field(name(key) + " " + what + ": " + remedy_);
    }

  private:
    [[nodiscard]] std::string name(const std::string& key) const {
        if (where_.empty() || key.empty()) return where_ + key;
        return where_ + (where_.ends_with(':') ? " " : ".") + key;
    }

    const Value& source_;
    std::string where_, remedy_;
};

}  // namespace carat::files
