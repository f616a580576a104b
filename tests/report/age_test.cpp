// Libraries of years ago are marked wherever they stand.
#include "lab/report/age.hpp"

#include <gtest/gtest.h>

#include "lab/report/report.hpp"
#include "sample.hpp"

namespace carat::report {
namespace {

TEST(age, is_that_of_the_first_known_version_not_before) {
    EXPECT_EQ(released("OpenBLAS", "0.3.21, OpenMP"), "2022-08");
    EXPECT_EQ(released("OpenBLAS", "0.3.22, pthread"), "2023-04");  // at the latest
    EXPECT_EQ(released("oneDNN", "3.2.1, OpenMP"), "2023-07");
    EXPECT_EQ(released("OpenBLAS", "0.3.9"), "2022-02");
    EXPECT_EQ(released("BLIS", "2.0"), "2025-06");
    EXPECT_EQ(released("libxsmm", "1.17"), "2021-12");
    EXPECT_EQ(released("cuBLASLt", "12.4.5"), "2024-03");
    EXPECT_EQ(released("OpenBLAS", "0.3.340"), "");
    EXPECT_EQ(released("Unheard of", "1.0"), "");
    EXPECT_EQ(released("MKL", "not told"), "");
}

TEST(age, counts_from_the_day_of_the_measurement) {
    EXPECT_EQ(old_release("OpenBLAS", "0.3.21", "2024-08-31T00:00:00Z"), "");
    EXPECT_EQ(old_release("OpenBLAS", "0.3.21", "2024-09-01T00:00:00Z"), "2022-08");
    EXPECT_EQ(old_release("OpenBLAS", "0.3.21", ""), "");
}

results::document file_of_2026() {
    results::result aged = sample::result("vendor.openblas", 10);
    aged.vendor.name = "OpenBLAS";
    aged.vendor.version = "0.3.21, OpenMP";
    results::document file = sample::file(
        {sample::result("cpu.engine", 20), aged},
        {sample::comparison({sample::pair("cpu.engine", "vendor.openblas", "faster", 2)})});
    file.date = "2026-11-24T20:00:00Z";
    return file;
}

TEST(age, marks_the_name_in_every_table_and_warns_once) {
    const std::string page = markdown(file_of_2026());
    EXPECT_NE(page.find("| `vendor.openblas` (of 2022) |"), std::string::npos) << page;
    EXPECT_NE(page.find("OpenBLAS 0.3.21 was out by 2022-08"), std::string::npos) << page;
    const std::string all = tables(file_of_2026(), table_form::markdown);
    EXPECT_NE(all.find("| `cpu.engine` | `vendor.openblas` (of 2022) |"), std::string::npos) << all;
    EXPECT_NE(html(file_of_2026()).find(R"("old":{"vendor.openblas":"2022"})"), std::string::npos);
}

TEST(age, of_several_libraries_is_one_warning) {
    results::document file = file_of_2026();
    results::result other = sample::result("vendor.blis", 5);
    other.vendor.name = "BLIS";
    other.vendor.version = "0.9.0";
    file.results.push_back(other);
    const std::string page = markdown(file);
    EXPECT_NE(
        page.find(
            "OpenBLAS 0.3.21 was out by 2022-08 and BLIS 0.9.0 was out by 2022-04: more than two "
            "years before this run, so newer ones may be faster"),
        std::string::npos)
        << page;
}

}  // namespace
}  // namespace carat::report
