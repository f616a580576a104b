// carat list: the catalogue, and what of it can run here.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "lab/catalogue/catalogue.hpp"

namespace carat::cli {

namespace {

std::string unavailable(const core::implementation& entry) {
    return entry.unavailable == nullptr ? std::string() : entry.unavailable();
}

nlohmann::json to_json(const core::implementation& entry) {
    nlohmann::json out = {{"name", entry.name},
                          {"summary", entry.summary},
                          {"device", core::name(entry.where)},
                          {"threaded", entry.threaded},
                          {"available", unavailable(entry).empty()},
                          {"reason", unavailable(entry)}};
    out["signatures"] = nlohmann::json::array();
    for (const core::signature& s : entry.signatures)
        out["signatures"].push_back(
            {{"a", name(s.a)}, {"b", name(s.b)}, {"c", name(s.c)}, {"computes_in", s.computes_in}});
    out["tunables"] = nlohmann::json::array();
    for (const core::tunable& t : entry.tunables)
        out["tunables"].push_back({{"name", t.name},
                                   {"initial", t.initial},
                                   {"least", t.least},
                                   {"most", t.most},
                                   {"meaning", t.meaning}});
    return out;
}

std::string types_of(const core::implementation& entry) {
    std::string text;
    for (const core::signature& s : entry.signatures)
        text += (text.empty() ? "" : " ") + std::string(name(s.a)) +
                (s.a == s.c ? "" : ">" + std::string(name(s.c)));
    return text;
}

void print(const core::implementation& entry) {
    constexpr std::size_t types_at = 29, more_at = 6;
    fmt::print("{}\n", folded(fmt::format("{:<28} {:<40} {}", entry.name, types_of(entry),
                                          entry.threaded ? "threads" : ""),
                              types_at));
    fmt::print("{}\n", folded(fmt::format("    {}", entry.summary), more_at));
    for (const core::tunable& t : entry.tunables)
        fmt::print("{}\n", folded(fmt::format("    {}={} ({} to {}): {}", t.name, t.initial,
                                              t.least, t.most, t.meaning),
                                  more_at));
    if (const std::string why = unavailable(entry); !why.empty())
        fmt::print("{}\n", styled(folded("    not here: " + why, more_at), style::faint));
}

int list(bool json) {
    const core::catalogue& all = lab::catalogue();
    if (json) {
        nlohmann::json out = nlohmann::json::array();
        for (const core::implementation* entry : all.entries()) out.push_back(to_json(*entry));
        fmt::print("{}\n", out.dump(1));
        return success;
    }
    for (const core::implementation* entry : all.entries()) print(*entry);
    return success;
}

}  // namespace

void add_list(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("list", "every implementation, and whether it runs here");
    auto json = std::make_shared<bool>(false);
    sub->add_flag("--json", *json, "print JSON");
    sub->footer("Examples:\n  carat list\n  carat list --json > implementations.json");
    sub->callback([json, &chosen] { chosen = [json] { return list(*json); }; });
}

}  // namespace carat::cli
