// Tables as Markdown and LaTeX: nothing in a result can end it, and every table of a file is there.
#include "lab/report/table.hpp"

#include <gtest/gtest.h>

#include "lab/report/report.hpp"
#include "lab/report/tables.hpp"
#include "sample.hpp"

namespace {

using carat::report::align;
using carat::report::latex;
using carat::report::table;

const table small{"Speed, 50 % more",
                  {{"who", align::left}, {"GFLOP/s"}},
                  {{"`cpu.a_b`", "12.5"}, {"**x & y**", "3.20e-07"}},
                  "As it is."};

TEST(table, as_markdown_aligns_and_escapes) {
    EXPECT_EQ(carat::report::markdown(small),
              "| who | GFLOP/s |\n|:--|--:|\n| `cpu.a_b` | 12.5 |\n| **x & y** | 3.20e-07 |\n\n"
              "As it is.\n\n");
}

TEST(table, as_latex_is_a_booktabs_float) {
    EXPECT_EQ(latex(small, "speed"),
              "\\begin{table}\n  \\centering\n  \\caption{Speed, 50 \\% more}\n"
              "  \\label{tab:speed}\n  \\begin{tabular}{lr}\n    \\toprule\n"
              "    who & GFLOP/s \\\\\n    \\midrule\n"
              "    \\texttt{cpu.a\\_b} & 12.5 \\\\\n"
              "    \\textbf{x \\& y} & $3.20\\times10^{-7}$ \\\\\n"
              "    \\bottomrule\n  \\end{tabular}\n\n"
              "  \\smallskip\\footnotesize As it is.\n\\end{table}\n");
}

TEST(table, latex_escapes_whatever_is_special_there) {
    EXPECT_EQ(latex(R"(a_b{c}%$#&~^\<>|")"),
              R"(a\_b\{c\}\%\$\#\&\textasciitilde{}\textasciicircum{}\textbackslash{})"
              R"(\textless{}\textgreater{}\textbar{}\textquotedbl{})");
    EXPECT_EQ(latex("[1, 2] 3×"), "{[}1, 2] 3$\\times$");
    EXPECT_EQ(latex("one\ntwo"), "one two");
    EXPECT_EQ(latex("an `open tick"), "an 'open tick");
    EXPECT_EQ(latex("core"), "core");  // an e between no digits is no exponent
}

std::vector<std::string> titles(const sample::document& doc) {
    std::vector<std::string> all;
    for (const table& t : carat::report::all_tables(doc)) all.push_back(t.title);
    return all;
}

TEST(tables, are_all_there_with_titles_that_differ) {
    sample::document doc = sample::two();
    doc.results.push_back(sample::absent("vendor.x", "not here"));
    doc.machine["peaks"] = {
        {"compute", {{{"unit", "fma"}, {"dtype", "f64"}, {"threads", 2}, {"gflops", 90.0}}}},
        {"bandwidth", {{{"level", "L1"}, {"threads", 2}, {"gb_per_s", 300.0}}}}};
    doc.studies = {
        {.study = "ladder",
         .title = "The ladder",
         .tables = {{"Steps", {"step"}, {{"1"}}, ""}, {"Steps", {"step"}, {{"2"}}, ""}}}};
    EXPECT_EQ(titles(doc),
              (std::vector<std::string>{
                  "The ladder: Steps", "The ladder: Steps (2)", "f64 100 × 100 × 100, 2 threads",
                  "f64 100 × 100 × 100, 2 threads: every pair", "Arithmetic, measured peaks",
                  "Bandwidth, measured peaks", "Unavailable"}));
}

TEST(tables, keep_hostile_text_inside_their_cells) {
    sample::document doc = sample::two();
    doc.machine["cpu_model"] = "evil\n\\input{x} % `";
    doc.results[0].implementation = "cpu.\\end{table}`&\n%";
    const std::string text = carat::report::tables(doc, carat::report::table_form::latex);
    EXPECT_EQ(text.find("\\input"), text.npos);
    EXPECT_EQ(text.find("\\end{table}`"), text.npos);
    const auto lines_with = [&](const std::string& what) {
        std::size_t n = 0;
        for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
        return n;
    };
    EXPECT_EQ(lines_with("\\begin{table}"), lines_with("\\end{table}\n"));
}

}  // namespace
