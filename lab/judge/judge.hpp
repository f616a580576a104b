// Judges a matrix product that a user supplies and that may cheat: whether it is right, and how its
// speed compares with the best known on this machine. docs/adr/0119-judge.md lists the cheats and
// what finds each; examples/judge has them as programs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/request/request.hpp"
#include "lab/results/document.hpp"
#include "lab/statistics/replicates.hpp"

namespace carat::judge {

// The layout of the rows of a timed product.
enum class row_layout : std::uint8_t {
    padded,     // each begins at a line of 64 bytes, and at least one line lies between them
    contiguous  // without gaps: leading dimensions are the numbers of columns
};

[[nodiscard]] constexpr std::string_view name(row_layout rows) {
    return rows == row_layout::padded ? "padded" : "contiguous";
}

struct options {
    std::string target;
    std::vector<request::shape> sizes;  // empty: drawn
    std::optional<dtype> type;          // none: the first that the target takes
    bool python_on_gpu = false;         // a Python function is given matrices in a GPU's memory
    int threads = 1;
    std::string seed = "1";  // any text; what draws.hpp draws follows from it
    double at_least = 0.9;   // of the best one's speed; 0: it is not timed
    double time_s = 10;      // for the trials of one size
    double timeout_s = 60;   // for one go
};

// `unclear`: right, but the interval of its speed contains the requested one.
enum class ruling : std::uint8_t { right, slower, wrong, unclear, none };

[[nodiscard]] constexpr std::string_view name(ruling r) {
    constexpr std::array names = {"right", "slower", "wrong", "unclear", "none"};
    return names[static_cast<std::size_t>(r)];
}

struct timed {
    std::string name;
    std::vector<double> trials_s;                  // of one call, process by process
    std::vector<std::int64_t> trials_per_process;  // all of one case have as many
    double median_s = 0;                           // geometric mean of the processes'
};

struct timed_case {
    request::shape size;
    row_layout rows = row_layout::padded;
    timed target;
    std::vector<timed> peers;               // those timed in the same rounds, the best first
    double ratio = 0;                       // of speeds, to the best of them
    std::array<double, 2> ci95_ratio = {};  // over processes
    statistics::estimate slower;            // what both are of: log times, the target's less its

    [[nodiscard]] double gflops(const timed& of) const;
};

struct outcome {
    ruling ruled = ruling::none;
    std::string reason;  // why wrong, or why there is no ruling
    std::string target;  // the file, and what the kernel calls itself
    std::string kernel;
    std::string type;
    std::string gpu;  // its name, where matrices lie in its memory
    int threads = 1;
    std::string seed;
    double at_least = 0.9;
    double ratio = 0;  // the geometric mean of the cases'
    std::array<double, 2> ci95_ratio = {};
    std::vector<timed_case> cases;
    std::vector<std::string> libraries;  // that the target loaded
    std::vector<std::string> warnings;
    std::vector<std::string> refused;  // products that it says it does not take
    std::int64_t calls_checked = 0;
    std::vector<std::string>
        boundary;         // what keeps the target's processes apart (host/boundary.hpp)
    bool bounded = true;  // by any of it

    // The last line on the terminal.
    [[nodiscard]] std::string sentence() const;
};

[[nodiscard]] nlohmann::json to_json(const outcome& o);

// A results file for the report: a case for each size with the target and its peers; the sentence
// and warnings become findings of a study. The caller adds machine, date and command.
[[nodiscard]] results::document document_of(const outcome& o);

struct hooks {
    std::function<bool()> interrupted;
    std::function<void(const std::string& what, double share)> progress;
};

// Throws carat::error for what cannot be judged, and judge::interrupted.
[[nodiscard]] outcome judge(const options& r, const hooks& user);

}  // namespace carat::judge
