// Puts the results and their digest into the page. Both sit in <script type="application/json">,
// where only "<" can end the element or open a comment, so "<" alone needs an escape.
#include <string>
#include <string_view>

#include <carat/error.hpp>

#include "lab/report/digest.hpp"
#include "lab/report/page.hpp"
#include "lab/report/report.hpp"

namespace carat::report {
namespace {

std::string embeddable(const nlohmann::json& value) {
    using handler = nlohmann::json::error_handler_t;
    std::string safe = value.dump(-1, ' ', false, handler::replace);
    if (safe.find('<') == safe.npos) return safe;
    std::string text;
    safe.swap(text);
    safe.reserve(text.size());
    for (const char c : text)
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    return safe;
}

}  // namespace

std::string html(const results::document& doc, const nlohmann::json& regression) {
    nlohmann::json file = results::to_json(doc);
    if (!regression.is_null()) file["regression"] = regression;
    const std::string results = embeddable(file);
    const std::string drawn = embeddable(digest(doc));
    constexpr std::string_view results_mark = "{{results}}";
    constexpr std::string_view digest_mark = "{{digest}}";
    const std::string_view whole = page();
    const auto first = whole.find(results_mark);
    const auto second = whole.find(digest_mark);
    if (first == whole.npos || second == whole.npos || second < first) {
        throw error(error_code::unsupported, "the report's page was built without its data marks");
    }
    std::string written;
    written.reserve(whole.size() + results.size() + drawn.size());
    written += whole.substr(0, first);
    written += results;
    written += whole.substr(first + results_mark.size(), second - first - results_mark.size());
    written += drawn;
    written += whole.substr(second + digest_mark.size());
    return written;
}

}  // namespace carat::report
