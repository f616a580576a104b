// From measurements of every way to multiply one case to the table that engines look into before
// they ask their model (src/tuning/tuned.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/session/case.hpp"

namespace carat::tune {

/// Why an implementation can't be tuned; empty when it can.
[[nodiscard]] std::string reason_against(const core::implementation& entry);

/// The model's own choice first, with no tunables, then each that makes another plan of `p`.
[[nodiscard]] std::vector<request::selection> candidates(const core::implementation& entry,
                                                         const core::problem& p);

struct finding {
    request::case_key key;
    std::string implementation;
    const results::result* model = nullptr;  // the model's choice
    const results::result* best = nullptr;   // the fastest; may be the same
    core::tunable_values way;                // of the fastest
    // For sure: the comparison says "faster", and the machine was not busy.
    bool better = false;
};

/// What `results` and their comparison say, of which those of `chosen` are of this case.
/// @throws carat::error(invalid_argument) where the model's choice has no figure.
[[nodiscard]] finding judge(const request::case_key& key,
                            const std::vector<request::selection>& chosen,
                            const std::vector<results::result>& results,
                            const results::comparison& compared);

/// The table with this case's way in place of what it held of it; without any, where the model's
/// choice is as good.
void take(nlohmann::json& table, const finding& found, const nlohmann::json& where_from);

/// The table that a file holds; a new one where there is no file.
/// @throws carat::error(invalid_argument) for a file that holds something else.
[[nodiscard]] nlohmann::json load_table(const std::string& file);

/// Where tables lie without a name; empty where the environment has no place.
[[nodiscard]] std::string usual_file();

/// From now on this process finds no table: what it prepares is the models' choice.
void forget_tables();

}  // namespace carat::tune
