// How this module writes and reads (lab/files/archive.hpp). Internal to the module.
#pragma once

#include <span>
#include <string>

#include "lab/files/archive.hpp"
#include "lab/results/document.hpp"

namespace carat::results {

struct lists {};  // that parts.hpp and document.cpp have
using files::either;
using writer = files::writer<lists>;
using reader = files::reader<lists>;

// `where` begins every message: "FILE:", or a place in it.
inline files::fields fields_in(const nlohmann::json& source, const std::string& where) {
    return {source, where, "not a results file of schema " + std::to_string(schema_version)};
}

// What was measured, without what a document says of the machine and the run.
[[nodiscard]] nlohmann::json to_json(std::span<const result> results,
                                     std::span<const comparison> comparisons);
void add_from_json(const files::fields& in, document& doc);

}  // namespace carat::results
