// The fields of a type, listed once for both directions: a writer and a reader of JSON objects with
// the same call. Internal to the module.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "lab/files/fields.hpp"
#include "lab/results/document.hpp"
#include "lab/results/format.hpp"

namespace carat::results {

class writer {
  public:
    explicit writer(nlohmann::json& target) : target_(target) {}

    template <class T>
    void operator()(const char* key, const T& value) const {
        target_[key] = encode(value);
    }
    template <class T>
    void added(const char* key, const T& value) const {
        (*this)(key, value);
    }

  private:
    // JSON has no infinity; null stands for "unbounded" and nothing else is ever null.
    static nlohmann::json encode(double value) {
        return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
    }
    static nlohmann::json encode(const range& r) {
        if (!std::isfinite(r[0]) && !std::isfinite(r[1])) return {};
        return nlohmann::json::array({encode(r[0]), encode(r[1])});
    }
    template <class T>
    static nlohmann::json encode(const T& value) {
        return value;
    }

    nlohmann::json& target_;
};

// `where` begins every message: "FILE:", or a place in it.
inline files::fields reader(const nlohmann::json& source, const std::string& where) {
    return {source, where, "not a results file of schema " + std::to_string(schema_version)};
}

// What was measured, without what a document says of the machine and the run.
[[nodiscard]] nlohmann::json to_json(std::span<const result> results,
                                     std::span<const comparison> comparisons);
void add_from_json(const files::fields& in, document& doc);

}  // namespace carat::results
