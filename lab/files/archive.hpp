// The fields of a type, listed once for both directions: fields_of(archive, value) names each, and
// a writer and a reader of JSON objects take the same calls. A value that has such a list may stand
// wherever a number may; require_sound(in, value), where a type has it, is asked after reading.
// Lists are looked for in the namespaces of the value and of `Lists`, an empty type of the module
// that has them.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "lab/files/fields.hpp"

namespace carat::files {

// `T` is `Of`, which a reader changes and a writer does not.
template <class T, class Of>
concept either = std::same_as<std::remove_const_t<T>, Of>;

// The words that a file has for values: word(value), and find(word), which is the value or nothing;
// then the message says `problem` of the word.
template <class Word, class Find>
struct words {
    Word word;
    Find find;
    const char* problem;
};
template <class Word, class Find>
words(Word, Find, const char*) -> words<Word, Find>;

// The member of `all` that is called so; name() is looked for in its namespace.
template <class All>
[[nodiscard]] auto member(const All& all, const std::string& called) {
    std::optional<std::remove_cvref_t<decltype(*std::begin(all))>> found;
    for (const auto& one : all)
        if (called == name(one)) found = one;
    return found;
}

template <class Lists>
class writer;
template <class T, class Lists>
concept part = requires(const writer<Lists>& to, const T& value) {
    fields_of(to, value);
};
template <class T, class Lists>
concept list_of_parts = part<typename T::value_type, Lists>;

template <class Lists>
class writer {
  public:
    static constexpr bool reads = false;
    explicit writer(nlohmann::json& target) : target_(target) {}

    template <class T>
    void operator()(const char* key, const T& value) const {
        target_[key] = encode(value);
    }
    /// Older files lack it.
    template <class T>
    void added(const char* key, const T& value) const {
        (*this)(key, value);
    }
    /// It is left out where it says nothing.
    template <class T>
    void told(const char* key, const T& value, bool says_something) const {
        if (says_something) (*this)(key, value);
    }
    template <class T>
    void told(const char* key, const T& value) const {
        told(key, value, !is_empty(value));
    }
    /// Both ends are always there, each null where it is open.
    void ends(const char* key, const std::array<double, 2>& value) const {
        target_[key] = both_ends(value);
    }
    template <class T, class Words>
    void named(const char* key, const T& value, const Words& by) const {
        target_[key] = by.word(value);
    }
    template <class T, class Words>
    void told_named(const char* key, const T& value, bool says_something, const Words& by) const {
        if (says_something) named(key, value, by);
    }
    /// Fields that the file has in an object of their own.
    template <class List>
    void within(const char* key, const List& list) const {
        list(writer(target_[key]));
    }
    /// Values that the file has in a list, in this order.
    template <class... Values>
    void together(const char* key, const Values&... values) const {
        target_[key] = nlohmann::json::array({encode(values)...});
    }

    template <class T>
    [[nodiscard]] static nlohmann::json written(const T& value) {
        nlohmann::json out = nlohmann::json::object();
        fields_of(writer(out), value);
        return out;
    }

  private:
    template <class T>
    static bool is_empty(const std::optional<T>& value) {
        return !value;
    }
    template <class T>
    static bool is_empty(const T& value) {
        return value.empty();
    }

    // JSON has no infinity; null stands for "unbounded" and nothing else is ever null.
    static nlohmann::json encode(double value) {
        return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
    }
    static nlohmann::json both_ends(const std::array<double, 2>& r) {
        return nlohmann::json::array({encode(r[0]), encode(r[1])});
    }
    static nlohmann::json encode(const std::array<double, 2>& r) {
        if (!std::isfinite(r[0]) && !std::isfinite(r[1])) return {};
        return both_ends(r);
    }
    template <class T>
    static nlohmann::json encode(const std::optional<T>& value) {
        return value ? encode(*value) : nlohmann::json();
    }
    template <part<Lists> T>
    static nlohmann::json encode(const T& value) {
        return written(value);
    }
    template <list_of_parts<Lists> T>
    static nlohmann::json encode(const T& values) {
        nlohmann::json out = nlohmann::json::array();
        for (const auto& one : values) out.push_back(encode(one));
        return out;
    }
    template <class T>
    static nlohmann::json encode(const T& value) {
        return value;
    }

    nlohmann::json& target_;
};

template <class Lists>
class reader {
  public:
    static constexpr bool reads = true;
    explicit reader(const fields& in) : in_(in) {}

    template <class T>
    void operator()(const char* key, T& value) const {
        if constexpr (std::is_enum_v<T>)
            value = static_cast<T>(in_.get<std::underlying_type_t<T>>(key));
        else
            in_(key, value);
    }
    template <class T>
    void operator()(const char* key, std::optional<T>& value) const {
        (*this)(key, value.emplace());
    }
    template <part<Lists> T>
    void operator()(const char* key, T& value) const {
        read(in_.object(key), value);
    }
    template <list_of_parts<Lists> T>
    void operator()(const char* key, T& values) const {
        in_.each(key, [&](const fields& one) { read(one, values.emplace_back()); });
    }
    template <class T>
    void added(const char* key, T& value) const {
        if (has(key)) (*this)(key, value);
    }
    template <class T>
    void told(const char* key, T& value, bool = true) const {
        added(key, value);
    }
    void ends(const char* key, std::array<double, 2>& value) const { in_(key, value); }
    template <class T, class Words>
    void named(const char* key, T& value, const Words& by) const {
        const auto word = in_.get<std::string>(key);
        const auto found = by.find(word);
        if (!found) in_.fail(key, "is '" + word + "', " + by.problem);
        value = *found;
    }
    template <class T, class Words>
    void told_named(const char* key, T& value, bool, const Words& by) const {
        if (has(key)) named(key, value, by);
    }
    template <class List>
    void within(const char* key, const List& list) const {
        list(reader(in_.object(key)));
    }
    template <class... Values>
    void together(const char* key, Values&... values) const {
        const nlohmann::json& all = in_.list(key);
        std::size_t i = 0;
        if (all.size() != sizeof...(values) || !(take(all[i++], values) && ...))
            in_.fail(key, "is not a list of " + std::to_string(sizeof...(values)) + " such values");
    }
    [[nodiscard]] bool has(const char* key) const { return in_.find(key) != nullptr; }

    template <class T>
    static void read(const fields& in, T& value) {
        fields_of(reader(in), value);
        if constexpr (requires { require_sound(in, value); }) require_sound(in, value);
    }

  private:
    template <class T>
    static bool take(const nlohmann::json& from, T& value) {
        if constexpr (std::is_enum_v<T>) {
            std::underlying_type_t<T> number{};
            const bool taken = decode(from, number);
            if (taken) value = static_cast<T>(number);
            return taken;
        } else {
            return decode(from, value);
        }
    }

    fields in_;
};

}  // namespace carat::files
