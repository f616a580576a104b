// Writes the report of a results file, for the browser test: write_page html|markdown IN OUT.
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lab/report/report.hpp"

int main(int count, char** arguments) {
    if (count != 4) {
        fmt::print(stderr, "usage: write_page html|markdown RESULTS.json OUT\n");
        return 2;
    }
    try {
        std::ifstream in(arguments[2]);
        const auto file = nlohmann::json::parse(in);
        const auto doc = carat::results::from_json(file, arguments[2]);
        const bool page = std::string_view(arguments[1]) == "html";
        std::ofstream out(arguments[3], std::ios::binary);
        out << (page ? carat::report::html(doc, file.value("regression", nlohmann::json()))
                     : carat::report::markdown(doc));
        return out.flush() ? 0 : 1;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "{}\n", problem.what());
        return 1;
    }
}
