#include "lab/results/journal.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "lab/files/document.hpp"
#include "lab/results/archive.hpp"

namespace carat::results {

namespace {

using nlohmann::json;

constexpr std::array told = {"carat", "revision", "date", "command", "settings"};

json identity(const document& doc) {
    document bare;
    bare.carat = doc.carat;
    bare.revision = doc.revision;
    bare.date = doc.date;
    bare.command = doc.command;
    bare.settings = doc.settings;
    return to_json(bare);
}

std::string line_of(const json& value) {
    // Words of libraries may be in any encoding; JSON is UTF-8.
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json parsed(std::string_view line, const std::string& name) {
    return files::with_visible_texts(files::parse(std::string(line), name));
}

// Keeps only what was appended last for each case.
template <class Of>
void keep_last(std::vector<Of>& all, std::vector<std::vector<Of>>& lines) {
    std::set<std::string> later;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        std::erase_if(*line, [&](const Of& c) { return later.contains(c.id()); });
        for (const Of& c : *line) later.insert(c.id());
    }
    std::erase_if(all, [&](const Of& c) { return later.contains(c.id()); });
    for (std::vector<Of>& line : lines) std::ranges::move(line, std::back_inserter(all));
}

}  // namespace

std::string journal_header(const document& doc) {
    return line_of(identity(doc));
}

std::string journal_line(std::span<const result> results, const comparison& compared) {
    return line_of(to_json(results, std::span(&compared, 1)));
}

void replay(const std::string& journal, const std::string& name, document& doc) {
    std::vector<std::vector<result>> results;
    std::vector<std::vector<comparison>> comparisons;
    const json mine = parsed(journal_header(doc), name);
    std::size_t number = 0;
    for (std::size_t start = 0, end = 0; (end = journal.find('\n', start)) != journal.npos;
         start = end + 1) {
        const std::string where = name + ": line " + std::to_string(++number);
        const json line = parsed(std::string_view(journal).substr(start, end - start), where);
        if (number == 1) {
            const files::fields header = fields_in(line, where + ":");
            const auto same = [&](const char* field) { return header.at(field) == mine[field]; };
            if (!std::ranges::all_of(told, same)) return;
            continue;
        }
        document of;
        add_from_json(fields_in(line, where + ":"), of);
        results.push_back(std::move(of.results));
        comparisons.push_back(std::move(of.comparisons));
    }
    keep_last(doc.results, results);
    keep_last(doc.comparisons, comparisons);
}

}  // namespace carat::results
