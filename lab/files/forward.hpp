// Forward declarations of files::fields.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace carat::files {

template <class Value>
class basic_fields;

using fields = basic_fields<nlohmann::json>;

}  // namespace carat::files
