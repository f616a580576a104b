#include "lab/report/phases.hpp"

#include <array>
#include <fmt/format.h>

#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

constexpr std::array columns = {"allocate_s", "copy_in_s", "convert_s", "compute_s",
                                "copy_out_s", "free_s",    "total_s"};

std::string row(const json& cell) {
    std::string text = fmt::format("| `{}` |", unquoted(cell["implementation"]));
    for (const char* column : columns) {
        const auto found = cell["phases"].find(column);
        text += found == cell["phases"].end() ? " - |"
                                              : fmt::format(" {} |", duration((*found)["median"]));
    }
    return text + fmt::format(" {} |\n",
                              unquoted(field_or<std::string>(cell["phases"], "host_memory", "-")));
}

}  // namespace

std::string phases_markdown(const json& results, const measured_case& here) {
    std::string rows;
    for (const std::size_t i : here.ranked) {
        const json& cell = results["cells"][i];
        if (cell.contains("phases") && cell["phases"].contains("total_s")) rows += row(cell);
    }
    if (rows.empty()) return {};
    return "| end to end | allocate | copy in | convert | compute | copy out | free | total | host "
           "memory |\n|:--|--:|--:|--:|--:|--:|--:|--:|:--|\n" +
           rows + "\n";
}

}  // namespace carat::report
