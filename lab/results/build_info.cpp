#include "lab/results/build_info.hpp"

#include <carat_revision.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

namespace carat::results {

std::string version() {
    return CARAT_VERSION;
}

std::string revision() {
    return CARAT_REVISION;
}

std::string now_utc() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text, size};
}

document new_document(const std::string& command) {
    document doc;
    doc.carat = version();
    doc.revision = revision();
    doc.date = now_utc();
    doc.command = command;
    doc.build = {{"compiler", CARAT_COMPILER},
                 {"flags", CARAT_FLAGS},
                 {"type", CARAT_BUILD_TYPE},
                 {"cxx_standard", __cplusplus},
                 {"openmp", true}};
    return doc;
}

}  // namespace carat::results
