// A document and its journal are the document.
#include "lab/results/journal.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include <carat/error.hpp>

#include "lab/files/growing.hpp"
#include "lab/results/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace carat;
namespace fs = std::filesystem;

class journals : public testing::Test {
  protected:
    void SetUp() override {
        doc.date = "2026-11-24T12:00:00Z";
        doc.command = "carat bench";
        doc.settings = {{"seed", 1}, {"ci_width", 0.01}};
        append(1, 1.0);
    }

    static results::result of_size(std::int64_t n, double cold_s) {
        results::result c;
        c.implementation = "test.right";
        c.device = "cpu";
        c.dtype = "f64";
        c.m = c.n = c.k = n;
        c.available = true;
        c.cold_s = cold_s;
        return c;
    }
    static results::comparison comparison_of(std::int64_t n) {
        results::comparison c;
        c.dtype = "f64";
        c.m = c.n = c.k = n;
        return c;
    }
    void append(std::int64_t n, double cold_s) {
        doc.results.push_back(of_size(n, cold_s));
        doc.comparisons.push_back(comparison_of(n));
    }
    static std::string line(std::int64_t n, double cold_s) {
        const results::result one = of_size(n, cold_s);
        return results::journal_line({&one, 1}, comparison_of(n)) + "\n";
    }
    // The document on disk with this beside it, as it is read.
    [[nodiscard]] results::document load_with(const std::string& journal) const {
        std::ofstream(folder / "r.json") << results::to_json(doc).dump();
        std::ofstream(files::growing_beside(folder / "r.json")) << journal;
        return results::load(folder / "r.json");
    }
    std::string refusal(const std::string& journal) const {
        return test::refusal_of([&] { (void)load_with(journal); });
    }
    [[nodiscard]] std::string header() const { return results::journal_header(doc) + "\n"; }

    const test::scratch_folder own;
    const fs::path& folder = own.path();
    results::document doc;
};

TEST_F(journals, lines_are_added_and_the_last_of_a_case_counts) {
    const auto back = load_with(header() + line(2, 2) + line(1, 3) + line(4, 4) + line(2, 5));
    std::vector<double> found;
    for (const results::result& c : back.results) found.push_back(c.cold_s);
    EXPECT_EQ(found, (std::vector<double>{3, 4, 5}));
    EXPECT_EQ(back.comparisons.size(), 3U);
    EXPECT_EQ(back.settings, doc.settings);
}

// A study has batches of a shape beside the product alone.
TEST_F(journals, products_of_one_shape_that_are_called_otherwise_are_cases_of_their_own) {
    results::result batch = of_size(2, 7);
    batch.asked.batch = 48;
    results::comparison compared = comparison_of(2);
    compared.asked.batch = 48;
    const auto back =
        load_with(header() + line(2, 2) + results::journal_line({&batch, 1}, compared) + "\n");
    EXPECT_EQ(back.results.size(), 3U);
    EXPECT_EQ(back.comparisons.size(), 3U);
}

TEST_F(journals, half_a_line_counts_as_nothing) {
    const std::string whole = line(2, 2);
    for (const std::string& rest :
         {std::string(), whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1)})
        EXPECT_EQ(load_with(header() + line(3, 3) + rest).results.size(), 2U);
    EXPECT_EQ(load_with("").results.size(), 1U);
    EXPECT_EQ(load_with(header().substr(0, 20)).results.size(), 1U);
}

TEST_F(journals, that_of_another_run_is_none_of_this_document) {
    const std::string journal = header() + line(2, 2);
    EXPECT_EQ(load_with(journal).results.size(), 2U);
    doc.date = "2026-11-24T12:00:01Z";
    EXPECT_EQ(load_with(journal).results.size(), 1U);
    doc.complete = true;
    EXPECT_EQ(load_with(header() + line(2, 2)).results.size(), 1U);
}

TEST_F(journals, what_is_damaged_is_named_with_its_line) {
    EXPECT_NE(refusal(header() + "{\n" + line(2, 2)).find(".r.json.journal: line 2: is not JSON"),
              std::string::npos);
    EXPECT_NE(refusal(header() + line(2, 2) + "{\"results\": 1, \"comparisons\": []}\n")
                  .find(".r.json.journal: line 3: results is not a list"),
              std::string::npos);
    EXPECT_NE(refusal("{}\n").find(".r.json.journal: line 1: carat is missing"), std::string::npos);
    EXPECT_NE(refusal(header() + std::string(100, '[') + "\n").find("nested deeper"),
              std::string::npos);
}

}  // namespace
