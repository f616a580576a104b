// The report's charts as files. The page draws them itself, in a browser without a window: there is
// one drawing code, and no second that could say something else.
#pragma once

#include <string>
#include <vector>

namespace carat::report {

struct chart_file {
    std::string name;  // "throughput-f64-2-threads"
    std::string svg;   // text
    std::string png;   // bytes
};

// The charts that a page of html() holds: those over sizes once for each type and thread count, the
// others for the largest case of these.
// Throws carat::error (unsupported) with the remedy when no Chromium starts or it does not answer
// within two minutes; CARAT_CHROMIUM names one that is not found by its usual names.
[[nodiscard]] std::vector<chart_file> charts(const std::string& page);

}  // namespace carat::report
