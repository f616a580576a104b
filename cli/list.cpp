// carat list: the catalogue by families, a line each, or every implementation that a pattern names.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/pattern.hpp"
#include "cli/terminal.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/report/age.hpp"
#include "lab/results/build_info.hpp"

namespace carat::cli {

namespace {

std::string unavailable(const rows::implementation& entry) {
    return entry.unavailable == nullptr ? std::string() : entry.unavailable();
}

// What library stands behind it here; no name where none does.
rows::library_facts library_of(const rows::implementation& entry) {
    if (entry.library == nullptr || !unavailable(entry).empty()) return {};
    return entry.library();
}

nlohmann::json to_json(const rows::implementation& entry) {
    nlohmann::json out = {{"name", entry.name},
                          {"summary", entry.summary},
                          {"device", rows::name(entry.where)},
                          {"threaded", entry.threaded},
                          {"available", unavailable(entry).empty()},
                          {"reason", unavailable(entry)}};
    if (const rows::library_facts l = library_of(entry); !l.name.empty())
        out["library"] = {{"name", l.name}, {"version", l.version}, {"path", l.path}};
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

std::string types_of(const rows::implementation& entry) {
    std::string text;
    for (const core::signature& s : entry.signatures)
        text += (text.empty() ? "" : " ") + std::string(name(s.a)) +
                (s.a == s.c ? "" : ">" + std::string(name(s.c)));
    return text;
}

void print(const rows::implementation& entry) {
    constexpr std::size_t types_at = 29, more_at = 6;
    fmt::print("{}\n", folded(fmt::format("{:<28} {:<40} {}", entry.name, types_of(entry),
                                          entry.threaded ? "threads" : ""),
                              types_at));
    fmt::print("{}\n", folded(fmt::format("    {}", entry.summary), more_at));
    if (const rows::library_facts l = library_of(entry); !l.name.empty()) {
        const std::string month = report::old_release(l.name, l.version, results::now_utc());
        fmt::print("{}\n", folded(fmt::format("    here: {} {}{}", l.name, l.version,
                                              report::age_mark(month)),
                                  more_at));
    }
    for (const core::tunable& t : entry.tunables)
        fmt::print("{}\n", folded(fmt::format("    {}={} ({} to {}): {}", t.name, t.initial,
                                              t.least, t.most, t.meaning),
                                  more_at));
    if (const std::string why = unavailable(entry); !why.empty())
        fmt::print("{}\n", styled(folded("    not here: " + why, more_at), style::faint));
}

// The element types of A, each once.
std::string types_of(const implementations& members) {
    std::vector<std::string_view> types;
    for (const rows::implementation* entry : members)
        for (const core::signature& s : entry->signatures)
            if (std::ranges::find(types, name(s.a)) == types.end()) types.push_back(name(s.a));
    return fmt::format("{}", fmt::join(types, " "));
}

// How many run on this machine, and why the first that does not can't.
std::string availability(const implementations& members) {
    std::size_t available = 0;
    std::string why;
    for (const rows::implementation* entry : members) {
        const std::string reason = unavailable(*entry);
        available += reason.empty();
        if (why.empty()) why = reason;
    }
    if (why.empty()) return "yes";
    const std::string short_why = why.substr(0, why.find_first_of(":;"));
    return (available == 0 ? "no" : fmt::format("{}", available)) + ": " + short_why;
}

void print_families() {
    const auto line = [](std::string_view family, std::string_view count, std::string_view types,
                         std::string_view here) {
        constexpr std::size_t columns = 80, types_at = 22;
        return folded(
            shortened(fmt::format("{:<16} {:>3}  {:<30}  {}", family, count, types, here), columns),
            types_at);
    };
    fmt::print("{}\n", styled(line("family", "of", "types", "here"), style::faint));
    std::vector<std::string> families;
    for (const rows::implementation* entry : lab::catalogue().entries())
        if (std::ranges::find(families, family_of(entry->name)) == families.end())
            families.emplace_back(family_of(entry->name));
    for (const std::string& family : families) {
        const implementations members = matching(family);
        const std::string here = availability(members);
        fmt::print("{}\n",
                   styled(line(family, std::to_string(members.size()), types_of(members), here),
                          here.starts_with("no") ? style::faint : style::plain));
    }
    fmt::print(
        "\n{}\n",
        folded("More of some: carat list cpu.ladder, carat list '*avx2*', carat list tf32", 0));
}

int list(const std::string& pattern, bool json) {
    const implementations chosen = matching(pattern);
    if (chosen.empty()) {
        static_cast<void>(lab::catalogue().find(pattern));  // throws, naming the nearest
        return bad_input;
    }
    if (json) {
        nlohmann::json out = nlohmann::json::array();
        for (const rows::implementation* entry : chosen) out.push_back(to_json(*entry));
        fmt::print("{}\n", out.dump(1));
    } else if (pattern.empty()) {
        print_families();
    } else {
        for (const rows::implementation* entry : chosen) print(*entry);
    }
    return success;
}

}  // namespace

void add_list(CLI::App& app, action& chosen) {
    CLI::App* sub =
        app.add_subcommand("list", "list the implementations, and whether they run here");
    struct options {
        std::string pattern;
        bool json = false;
    };
    auto o = std::make_shared<options>();
    sub->add_option("PATTERN", o->pattern,
                    "a family, part of a name, or a name with * and ?: lists all that match "
                    "(default: the families, one per line)");
    sub->add_flag("--json", o->json, "print JSON");
    sub->footer(
        "Examples:\n  carat list\n  carat list vendor.mkl\n  carat list 'cuda.engine*'\n"
        "  carat list --json > implementations.json");
    sub->callback([o, &chosen] { chosen = [o] { return list(o->pattern, o->json); }; });
}

}  // namespace carat::cli
