#include "lab/report/age.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace carat::report {

namespace {

struct release {
    std::string_view library, version, month;
};

// Each library's are in order. A version between two is as old as the later one at least; so a few
// suffice, and none newer than two years need stand here before it has aged. Those of BLIS,
// libxsmm, oneDNN, the reference BLAS and OpenBLAS up to 0.3.28 lie no earlier than their tags.
constexpr std::array releases = {
    release{"BLIS", "0.8.1", "2021-03"},
    release{"BLIS", "0.9", "2022-04"},
    release{"BLIS", "1.0", "2024-05"},
    release{"BLIS", "1.1", "2025-01"},
    release{"BLIS", "2.0", "2025-06"},
    release{"Eigen", "3.3.9", "2020-12"},
    release{"Eigen", "3.4.0", "2021-08"},
    release{"Eigen", "5.0", "2025-09"},
    release{"MKL", "2022.0", "2021-12"},
    release{"MKL", "2023.0", "2022-12"},
    release{"MKL", "2023.2", "2023-07"},
    release{"MKL", "2024.0", "2023-11"},
    release{"MKL", "2024.2", "2024-06"},
    release{"MKL", "2025.0", "2024-10"},
    release{"MKL", "2025.1", "2025-03"},
    release{"MKL", "2025.3", "2025-10"},
    release{"OpenBLAS", "0.3.20", "2022-02"},
    release{"OpenBLAS", "0.3.21", "2022-08"},
    release{"OpenBLAS", "0.3.23", "2023-04"},
    release{"OpenBLAS", "0.3.25", "2023-11"},
    release{"OpenBLAS", "0.3.26", "2024-01"},
    release{"OpenBLAS", "0.3.27", "2024-04"},
    release{"OpenBLAS", "0.3.28", "2024-08"},
    release{"OpenBLAS", "0.3.29", "2025-01"},
    release{"OpenBLAS", "0.3.30", "2025-06"},
    release{"cuBLAS", "12.0", "2022-12"},
    release{"cuBLAS", "12.3", "2023-10"},
    release{"cuBLAS", "12.4", "2024-03"},
    release{"cuBLAS", "12.6", "2024-08"},
    release{"cuBLAS", "12.8", "2025-01"},
    release{"cuBLAS", "12.9", "2025-05"},
    release{"cuBLAS", "13.0", "2025-08"},
    release{"libxsmm", "1.16", "2020-06"},
    release{"libxsmm", "1.17", "2021-12"},
    release{"oneDNN", "2.6", "2022-04"},
    release{"oneDNN", "3.0", "2022-12"},
    release{"oneDNN", "3.2", "2023-07"},
    release{"oneDNN", "3.4", "2024-03"},
    release{"oneDNN", "3.5", "2024-06"},
    release{"oneDNN", "3.6", "2024-10"},
    release{"oneDNN", "3.7", "2025-02"},
    release{"oneDNN", "3.9", "2025-08"},
    release{"reference BLAS", "3.10", "2021-06"},
    release{"reference BLAS", "3.11", "2022-11"},
    release{"reference BLAS", "3.12", "2023-11"},
};

// "0.3.21, OpenMP": 0, 3 and 21.
std::vector<int> numbers_of(std::string_view version) {
    std::vector<int> numbers;
    const char* at = version.data();
    const char* const end = at + version.size();
    for (int number = 0;;) {
        const auto [next, failed] = std::from_chars(at, end, number);
        if (failed != std::errc{}) return numbers;
        numbers.push_back(number);
        if (next == end || *next != '.') return numbers;
        at = next + 1;
    }
}

// Whether `listed` is `version` or later; 3.2 stands for every 3.2.x.
bool is_not_before(std::string_view listed, std::vector<int> version) {
    const std::vector<int> known = numbers_of(listed);
    version.resize(std::min(version.size(), known.size()));
    return known >= version;
}

// Months since year 0; none: no date.
int months_of(std::string_view date) {
    const std::size_t dash = date.find('-');
    int year = 0, month = 0;
    if (dash == date.npos) return 0;
    std::from_chars(date.data(), date.data() + dash, year);
    std::from_chars(date.data() + dash + 1, date.data() + date.size(), month);
    return 12 * year + month;
}

}  // namespace

std::string released(std::string_view library, std::string_view version) {
    if (library == "cuBLASLt") library = "cuBLAS";
    const std::vector<int> numbers = numbers_of(version);
    if (numbers.empty()) return {};
    const auto* found = std::ranges::find_if(releases, [&](const release& one) {
        return one.library == library && is_not_before(one.version, numbers);
    });
    return found == releases.end() ? std::string() : std::string(found->month);
}

std::string old_release(std::string_view library, std::string_view version, std::string_view date) {
    constexpr int most_months = 24;
    std::string month = released(library, version);
    if (month.empty() || months_of(date) - months_of(month) <= most_months) return {};
    return month;
}

std::string old_release(const results::result& of, std::string_view date) {
    return old_release(of.vendor.name, of.vendor.version, date);
}

std::string age_mark(std::string_view month) {
    return month.empty() ? std::string() : fmt::format(" (of {})", month.substr(0, 4));
}

std::string age_of(std::string_view library, std::string_view version, std::string_view month) {
    return fmt::format("{} {} was out by {}", library, version.substr(0, version.find(',')), month);
}

std::string age_note(std::string_view library, std::string_view version, std::string_view month) {
    return age_of(library, version, month) +
           ", more than two years before: newer ones may be faster";
}

}  // namespace carat::report
