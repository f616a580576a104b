#include "lab/results/build_info.hpp"

#include <carat_revision.hpp>
#include <nlohmann/json.hpp>

namespace carat::results {

std::string version() {
    return CARAT_VERSION;
}

std::string revision() {
    return CARAT_REVISION;
}

nlohmann::json build_facts() {
    return {{"compiler", CARAT_COMPILER},
            {"flags", CARAT_FLAGS},
            {"type", CARAT_BUILD_TYPE},
            {"cxx_standard", __cplusplus},
            {"openmp", true}};
}

}  // namespace carat::results
