// Tables as LaTeX that compiles with booktabs alone, in any engine: the few characters beyond ASCII
// that carat writes are given by name.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "files/visible.hpp"
#include "lab/report/table.hpp"

namespace carat::report {

namespace {

using replacement = std::pair<std::string_view, std::string_view>;

// The longer first where one begins another.
constexpr std::array<replacement, 20> special{{{"\\", "\\textbackslash{}"},
                                               {"{", "\\{"},
                                               {"}", "\\}"},
                                               {"&", "\\&"},
                                               {"%", "\\%"},
                                               {"$", "\\$"},
                                               {"#", "\\#"},
                                               {"_", "\\_"},
                                               {"~", "\\textasciitilde{}"},
                                               {"^", "\\textasciicircum{}"},
                                               {"<", "\\textless{}"},
                                               {">", "\\textgreater{}"},
                                               {"|", "\\textbar{}"},
                                               {"\"", "\\textquotedbl{}"},
                                               {"[", "{[}"},  // after \\ it would be an argument
                                               {"×", "$\\times$"},
                                               {"µ", "$\\mu$"},
                                               {"°", "$^\\circ$"},
                                               {"³", "$^3$"},
                                               {"–", "--"}}};

std::string escaped(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        const auto* const found = std::ranges::find_if(
            special, [&](const replacement& r) { return text.starts_with(r.first); });
        const bool known = found != special.end();
        safe += known ? found->second : text.substr(0, 1);
        text.remove_prefix(known ? found->first.size() : 1);
    }
    return safe;
}

// "2.3e-14" as mantissa and exponent; empty views for anything else.
std::pair<std::string_view, std::string_view> in_powers(std::string_view cell) {
    const auto e = cell.find('e');
    if (e == cell.npos || e == 0 || e + 1 == cell.size()) return {};
    const auto only = [](std::string_view part, std::string_view allowed) {
        return part.find_first_not_of(allowed) == part.npos;
    };
    std::string_view mantissa = cell.substr(0, e), exponent = cell.substr(e + 1);
    if (!only(mantissa, "0123456789.") || !only(exponent, "+-0123456789")) return {};
    if (exponent.front() == '+') exponent.remove_prefix(1);
    return {mantissa, exponent};
}

// Exponents without leading zeros: -07 is -7.
std::string trimmed(std::string_view exponent) {
    const bool negative = exponent.starts_with('-');
    if (negative) exponent.remove_prefix(1);
    while (exponent.size() > 1 && exponent.front() == '0') exponent.remove_prefix(1);
    return (negative ? "-" : "") + std::string(exponent);
}

std::string latex_cell(const std::string& cell) {
    if (const auto [mantissa, exponent] = in_powers(cell); !mantissa.empty())
        return fmt::format("${}\\times10^{{{}}}$", mantissa, trimmed(exponent));
    const bool bold = cell.size() > 4 && cell.starts_with("**") && cell.ends_with("**");
    if (bold) return "\\textbf{" + latex(cell.substr(2, cell.size() - 4)) + "}";
    return latex(cell);
}

std::string line(const std::vector<std::string>& cells) {
    std::string said = "   ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        said += i == 0 ? " " : " & ";
        said += latex_cell(cells[i]);
    }
    return said + " \\\\\n";
}

}  // namespace

std::string latex(const std::string& text) {
    const std::string shown = files::visible(text);
    std::string said;
    std::string_view rest = shown;
    for (bool code = false;; code = !code) {
        const auto tick = rest.find('`');
        const std::string part = escaped(rest.substr(0, tick));
        if (tick == rest.npos && code) return said + "'" + part;  // nothing closes it
        said += code ? "\\texttt{" + part + "}" : part;
        if (tick == rest.npos) return said;
        rest.remove_prefix(tick + 1);
    }
}

std::string latex(const table& t, const std::string& label) {
    std::vector<std::string> heads;
    std::string sides;
    for (const column& c : t.columns) {
        heads.push_back(c.head);
        sides += c.side == align::left ? 'l' : 'r';
    }
    std::string said = fmt::format(
        "\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\label{{tab:{}}}\n"
        "  \\begin{{tabular}}{{{}}}\n    \\toprule\n{}    \\midrule\n",
        latex(t.title), label, sides, line(heads));
    for (const auto& cells : t.rows) said += line(cells);
    said += "    \\bottomrule\n  \\end{tabular}\n";
    if (!t.note.empty()) said += "\n  \\smallskip\\footnotesize " + latex(t.note) + "\n";
    return said + "\\end{table}\n";
}

}  // namespace carat::report
