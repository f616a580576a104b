// What a case and its workers say to each other, as JSON: a question has "do", an answer what was
// asked for, or "error".
#pragma once

#include <nlohmann/json.hpp>

#include "lab/workers/operand_store.hpp"
#include "lab/workers/worker.hpp"

namespace carat::workers {

// What a worker is told first.
struct task {
    std::string implementation;  // its full name
    rows::operation operation;
    core::settings settings;
};

[[nodiscard]] nlohmann::json to_json(const rows::operation& all);
[[nodiscard]] nlohmann::json to_json(const workload::distribution& values);
[[nodiscard]] nlohmann::json to_json(const verify::exact_passes& pass);
[[nodiscard]] nlohmann::json to_json(const verify::verdict& v);
[[nodiscard]] nlohmann::json to_json(const task& t);
[[nodiscard]] nlohmann::json to_json(const introduction& i);
[[nodiscard]] nlohmann::json to_json(const readiness& r);
[[nodiscard]] nlohmann::json to_json(const timing& t);

// These throw std::exception for what is none.
[[nodiscard]] rows::operation operation_from(const nlohmann::json& message);
[[nodiscard]] workload::distribution distribution_from(const nlohmann::json& message);
[[nodiscard]] verify::exact_passes pass_from(const rows::operation& all,
                                             const nlohmann::json& message);
[[nodiscard]] verify::verdict verdict_from(const nlohmann::json& message);
[[nodiscard]] task task_from(const nlohmann::json& message);
[[nodiscard]] introduction introduction_from(const nlohmann::json& message);
[[nodiscard]] readiness readiness_from(const nlohmann::json& message);
[[nodiscard]] timing timing_from(const nlohmann::json& message);

}  // namespace carat::workers
