#include "cli/standing_table.hpp"

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "lab/report/cases.hpp"
#include "lab/report/standing.hpp"

namespace carat::cli {

std::string standing_table(const results::document& doc) {
    constexpr std::size_t name_columns = 24;
    const auto cases = report::group(doc);
    std::string text;
    std::string population;
    for (const report::standing& s : report::standings(cases)) {
        if (s.population != population) {
            population = s.population;
            text += styled(fmt::format("{} over {} products, against the fastest other", population,
                                       s.cases),
                           style::strong) +
                    "\n" +
                    styled(fmt::format("{:<{}} {:>7} {:>13} {:>5} {:>6} {:>5}  {}\n",
                                       "implementation", name_columns, "geomean", "95 % CI", "p5",
                                       "leads", "worst", "at"),
                           style::faint);
        }
        text += fmt::format("{:<{}} {:>7.3f} {:>6.3f}-{:<6.3f} {:>5.2f} {:>5.0f}% {:>5.2f}  {}\n",
                            shortened_middle(s.implementation, name_columns), name_columns,
                            s.geomean, s.ci95[0], s.ci95[1], s.p5, 100 * s.leading_share, s.worst,
                            shortened(s.worst_case, 17));
    }
    return text;
}

}  // namespace carat::cli
