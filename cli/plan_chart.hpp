// The efficiency of one product on 1, 2, 4 ... ranks by the model, as bars in the terminal and as a
// picture.
#pragma once

#include <string>
#include <vector>

#include "distributed/prediction.hpp"

namespace carat::cli {

struct chart_point {
    int ranks = 1;
    distributed::prediction time;
    std::string why_not;  // instead: there is too little memory for so few
};

// The points are at powers of two up to what.ranks, and at what.ranks itself.
[[nodiscard]] std::vector<chart_point> chart_points(const distributed::task& what,
                                                    const distributed::links& over);
[[nodiscard]] std::string chart_text(const std::vector<chart_point>& all, std::size_t columns);
[[nodiscard]] std::string chart_svg(const std::vector<chart_point>& all,
                                    const distributed::extents& size);

}  // namespace carat::cli
