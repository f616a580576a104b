// The fields of a type, listed once for both directions: fields_of(archive, value) names each, and
// a writer and a reader of JSON objects take the same calls. A value that has such a list may stand
// wherever a number may; require_sound(in, value), where a type has it, is asked after reading.
// Internal to the module.
#pragma once

#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "lab/files/fields.hpp"
#include "lab/results/document.hpp"
#include "lab/results/format.hpp"

namespace carat::results {

// `T` is `Of`, which a reader changes and a writer does not.
template <class T, class Of>
concept either = std::same_as<std::remove_const_t<T>, Of>;

class writer;
template <class T>
concept part = requires(const writer& to, const T& value) {
    fields_of(to, value);
};
template <class T>
concept list_of_parts = part<typename T::value_type>;

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
    /// It is left out where it is empty.
    template <class T>
    void told(const char* key, const T& value) const {
        if (!is_empty(value)) (*this)(key, value);
    }
    /// Both ends are always there, each null where it is open: the page reads them one by one.
    void ends(const char* key, const range& value) const { target_[key] = both_ends(value); }
    /// A value that the file has a word for: word(value).
    template <class T, class Word, class Find>
    void named(const char* key, const T& value, const Word& word, const Find&, const char*) const {
        target_[key] = word(value);
    }
    /// Fields that the file has in an object of their own.
    template <class List>
    void within(const char* key, const List& list) const {
        list(writer(target_[key]));
    }

  private:
    template <class T>
    static bool is_empty(const std::optional<T>& value) {
        return !value;
    }
    template <class T>
    static bool is_empty(const T& value) {
        if constexpr (std::same_as<T, library>)
            return value.name.empty();
        else
            return value.empty();
    }

    // JSON has no infinity; null stands for "unbounded" and nothing else is ever null.
    static nlohmann::json encode(double value) {
        return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
    }
    static nlohmann::json both_ends(const range& r) {
        return nlohmann::json::array({encode(r[0]), encode(r[1])});
    }
    static nlohmann::json encode(const range& r) {
        if (!std::isfinite(r[0]) && !std::isfinite(r[1])) return {};
        return both_ends(r);
    }
    template <class T>
    static nlohmann::json encode(const std::optional<T>& value) {
        return value ? encode(*value) : nlohmann::json();
    }
    template <part T>
    static nlohmann::json encode(const T& value) {
        nlohmann::json out = nlohmann::json::object();
        fields_of(writer(out), value);
        return out;
    }
    template <list_of_parts T>
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

class reader {
  public:
    static constexpr bool reads = true;
    explicit reader(const files::fields& in) : in_(in) {}

    template <class T>
    void operator()(const char* key, T& value) const {
        in_(key, value);
    }
    template <class T>
    void operator()(const char* key, std::optional<T>& value) const {
        (*this)(key, value.emplace());
    }
    template <part T>
    void operator()(const char* key, T& value) const {
        read(in_.object(key), value);
    }
    template <list_of_parts T>
    void operator()(const char* key, T& values) const {
        in_.each(key, [&](const files::fields& one) { read(one, values.emplace_back()); });
    }
    template <class T>
    void added(const char* key, T& value) const {
        if (has(key)) (*this)(key, value);
    }
    template <class T>
    void told(const char* key, T& value) const {
        added(key, value);
    }
    void ends(const char* key, range& value) const { in_(key, value); }
    /// find(word) is the value, or nothing: then the message says `problem` of the word.
    template <class T, class Word, class Find>
    void named(const char* key, T& value, const Word&, const Find& find,
               const char* problem) const {
        if (!has(key)) return;
        const auto word = in_.get<std::string>(key);
        const auto found = find(word);
        if (!found) in_.fail(key, "is '" + word + "', " + problem);
        value = *found;
    }
    template <class List>
    void within(const char* key, const List& list) const {
        list(reader(in_.object(key)));
    }
    [[nodiscard]] bool has(const char* key) const { return in_.find(key) != nullptr; }

    template <part T>
    static void read(const files::fields& in, T& value) {
        fields_of(reader(in), value);
        if constexpr (requires { require_sound(in, value); }) require_sound(in, value);
    }

  private:
    files::fields in_;
};

// `where` begins every message: "FILE:", or a place in it.
inline files::fields fields_in(const nlohmann::json& source, const std::string& where) {
    return {source, where, "not a results file of schema " + std::to_string(schema_version)};
}

// What was measured, without what a document says of the machine and the run.
[[nodiscard]] nlohmann::json to_json(std::span<const result> results,
                                     std::span<const comparison> comparisons);
void add_from_json(const files::fields& in, document& doc);

}  // namespace carat::results
