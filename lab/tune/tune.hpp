// Turns measurements of all ways to multiply one case into the table that engines consult before
// their model (src/tuning/tuned.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/session/case.hpp"

namespace carat::tune {

/// Why an implementation cannot be tuned; empty if it can.
[[nodiscard]] std::string reason_against(const rows::implementation& entry);

/// The model's own choice first, without tunables, then each choice that gives another plan of `p`.
[[nodiscard]] std::vector<request::selection> candidates(const rows::implementation& entry,
                                                         const core::problem& p);

struct finding {
    request::case_key key;
    std::string implementation;
    const results::result* model = nullptr;  // the model's choice
    const results::result* best = nullptr;   // the fastest; may be the same
    core::tunable_values tunables;           // of the fastest
    // Certain: the comparison says "faster", and the machine was not busy.
    bool better = false;
};

/// What `results` and their comparison say about the `chosen` of this case.
/// @throws carat::error(invalid_argument) if the model's choice has no figure.
[[nodiscard]] finding judge(const request::case_key& key,
                            const std::vector<request::selection>& chosen,
                            const std::vector<results::result>& results,
                            const results::comparison& compared);

/// The table with this case's best choice instead of what it held; without the case if the model's
/// choice is as good.
void take(nlohmann::json& table, const finding& found, const nlohmann::json& where_from);

/// The table in a file, or a new one if there is no file.
/// @throws carat::error(invalid_argument) for a file with other contents.
[[nodiscard]] nlohmann::json load_table(const std::string& file);

/// The default path of tables; empty if the environment has none.
[[nodiscard]] std::string usual_file();

/// Ignores all tables from now on in this process, so that it prepares the models' choices.
void forget_tables();

}  // namespace carat::tune
