// The fields of a type, listed once for both directions: a writer and a reader of JSON objects with
// the same call. Internal to the room.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include <carat/error.hpp>

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
        return nlohmann::json::array({encode(r[0]), encode(r[1])});
    }
    template <class T>
    static nlohmann::json encode(const T& value) {
        return value;
    }

    nlohmann::json& target_;
};

class reader {
  public:
    reader(const nlohmann::json& source, std::string where)
        : source_(source), where_(std::move(where)) {
        if (!source_.is_object()) fail("", "is not an object");
    }

    template <class T>
    void operator()(const char* key, T& value) const {
        const auto found = source_.find(key);
        if (found == source_.end()) fail(key, "is missing");
        try {
            decode(*found, value);
        } catch (const nlohmann::json::exception&) {
            fail(key, "has the wrong type");
        }
    }

    // A field that files written before it was added lack: they keep its default.
    template <class T>
    void added(const char* key, T& value) const {
        if (source_.contains(key)) (*this)(key, value);
    }

    [[nodiscard]] const nlohmann::json* find(const char* key) const {
        const auto found = source_.find(key);
        return found == source_.end() ? nullptr : &*found;
    }

    [[noreturn]] void fail(const std::string& key, const std::string& what) const {
        throw error(error_code::invalid_argument, where_ + (key.empty() ? "" : "." + key) + " " +
                                                      what + ": not a results file of schema " +
                                                      std::to_string(schema_version));
    }

  private:
    static void decode(const nlohmann::json& from, double& value) {
        value = from.is_null() ? std::numeric_limits<double>::infinity() : from.get<double>();
    }
    static void decode(const nlohmann::json& from, range& value) {
        decode(from.at(0), value[0]);
        decode(from.at(1), value[1]);
        if (from.at(0).is_null()) value[0] = -value[0];
    }
    template <class T>
    static void decode(const nlohmann::json& from, T& value) {
        from.get_to(value);
    }

    const nlohmann::json& source_;
    std::string where_;
};

}  // namespace carat::results
