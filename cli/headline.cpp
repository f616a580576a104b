#include "cli/headline.hpp"

#include "cli/terminal.hpp"
#include "lab/report/report.hpp"

namespace carat::cli {

std::string headline(const results::document& doc) {
    return styled(wrapped(report::headline(doc), 0), style::strong) + "\n";
}

}  // namespace carat::cli
