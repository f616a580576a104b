#include "cli/plan_chart.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <carat/error.hpp>

namespace carat::cli {

namespace {

constexpr double left = 60, right = 620, top = 40, bottom = 300;

double height_of(double share) {
    return bottom - share * (bottom - top);
}

std::string grid_text() {
    std::string text;
    for (int percent = 0; percent <= 100; percent += 20) {
        const double y = height_of(percent / 100.0);
        text += fmt::format(
            "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>"
            "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{} %</text>\n",
            left, right, y, y, left - 8, y + 4, percent);
    }
    return text;
}

}  // namespace

std::vector<chart_point> chart_points(const distributed::task& what,
                                      const distributed::links& over) {
    std::vector<chart_point> all;
    const auto add = [&](int ranks) {
        distributed::task of = what;
        of.ranks = ranks;
        chart_point& point = all.emplace_back();
        point.ranks = ranks;
        try {
            point.time = distributed::predict(distributed::schedule(of), over);
        } catch (const error& why) {
            if (why.code() != error_code::out_of_memory) throw;
            point.why_not = "too little memory";
        }
    };
    for (int ranks = 1; ranks < what.ranks; ranks *= 2) add(ranks);
    add(what.ranks);
    return all;
}

std::string chart_text(const std::vector<chart_point>& all, std::size_t columns) {
    const double widest = static_cast<double>(columns) - 34;  // of a bar
    std::string text = "   ranks          ms  of ranks times one\n";
    for (const chart_point& p : all) {
        if (!p.why_not.empty()) {
            text += fmt::format("{:>8}  {:>10}  {}\n", p.ranks, "-", p.why_not);
            continue;
        }
        const double share = std::min(1.0, p.time.efficiency);
        text +=
            fmt::format("{:>8}  {:>10.4g}  {:>6.1f} %  {}\n", p.ranks, 1e3 * p.time.time_s,
                        100 * p.time.efficiency,
                        std::string(static_cast<std::size_t>(std::lround(share * widest)), '#'));
    }
    return text;
}

std::string chart_svg(const std::vector<chart_point>& all, const distributed::extents& size) {
    const double steps = std::max(1.0, std::log2(static_cast<double>(all.back().ranks)));
    std::string line, marks;
    for (const chart_point& p : all) {
        const double x = left + (right - left) * std::log2(static_cast<double>(p.ranks)) / steps;
        marks += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x,
                             bottom + 18, p.ranks);
        if (!p.why_not.empty()) continue;
        const double y = height_of(std::min(1.0, p.time.efficiency));
        line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "" : " ", x, y);
        marks +=
            fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#4c78a8\"/>\n", x, y);
    }
    const std::string title = fmt::format("{} x {} x {}: predicted share of ranks times one",
                                          size.of[0], size.of[1], size.of[2]);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 350\" role=\"img\" "
        "aria-label=\"{0}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"640\" height=\"350\" fill=\"#fff\"/>\n"
        "<text x=\"{1}\" y=\"22\" font-weight=\"bold\">{0}</text>\n{2}"
        "<polyline points=\"{3}\" fill=\"none\" stroke=\"#4c78a8\" stroke-width=\"2\"/>\n{4}"
        "<text x=\"{5}\" y=\"{6}\" text-anchor=\"middle\">ranks</text>\n</svg>\n",
        title, left, grid_text(), line, marks, (left + right) / 2, bottom + 38);
}

}  // namespace carat::cli
