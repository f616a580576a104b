#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <string_view>

namespace carat::fuzz {

const char* const usage =
    "usage: carat_fuzz [--minutes M] [--cases N] [--seed S] [--only CASE] [--gpu]\n"
    "                  [--family F] [--jobs J] [--threads T] [--kernels FILE] [--most-seconds L]\n"
    "\n"
    "Random calls of the library and of the drop-in BLAS, each entry checked against a bound\n"
    "(docs/fuzzing.md).\n"
    "  --minutes M  how long (1; with --cases no limit)\n"
    "  --cases N    how many cases\n"
    "  --seed S     of all that is random (the day)\n"
    "  --only CASE  the case of a finding: a number, or c:, blas:, gpu:, full: or stress:NUMBER\n"
    "  --family F   cases of one kind alone: c, blas, with --gpu gpu, full or stress\n"
    "  --gpu        calls on a GPU instead\n"
    "  --jobs J     so many processes at once (1)\n"
    "  --threads T  with --gpu: so many threads in each, with streams of their own (1)\n"
    "  --here       with --gpu --cases: in this process, which a sanitizer watches\n"
    "  --kernels F  with --gpu: adds the names of kernels that graphs captured to a file\n"
    "  --most-seconds L  that a case may take (120); a process without progress for half as long\n"
    "               again is killed\n";

namespace {

template <class T>
T number_of(std::string_view option, std::string_view text) {
    T value{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size() || !(value >= 0))
        throw std::invalid_argument(std::string(option) + " is '" + std::string(text) +
                                    "': give it a number of at least 0");
    return value;
}

std::uint64_t today() {
    const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const std::chrono::year_month_day date(days);
    return static_cast<std::uint64_t>(static_cast<int>(date.year())) * 10000 +
           static_cast<unsigned>(date.month()) * 100 + static_cast<unsigned>(date.day());
}

}  // namespace

options parse(int count, char** words) {
    options o;
    o.seed = today();
    bool has_minutes = false;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        const auto value = [&]() -> std::string_view {
            if (i + 1 == count)
                throw std::invalid_argument(std::string(word) + " needs a value after it");
            return words[++i];
        };
        if (word == "--gpu") {
            o.gpu = true;
        } else if (word == "--here") {
            o.here = true;
        } else if (word == "--help" || word == "-h") {
            o.help = true;
        } else if (word == "--minutes") {
            o.minutes = number_of<double>(word, value());
            has_minutes = true;
        } else if (word == "--cases") {
            o.cases = number_of<std::uint64_t>(word, value());
        } else if (word == "--seed") {
            o.seed = number_of<std::uint64_t>(word, value());
        } else if (word == "--jobs") {
            o.jobs = std::max<std::uint64_t>(number_of<std::uint64_t>(word, value()), 1);
        } else if (word == "--threads") {
            o.threads =
                std::clamp<std::uint64_t>(number_of<std::uint64_t>(word, value()), 1, most_threads);
        } else if (word == "--most-seconds") {
            o.most_seconds = std::max<std::uint64_t>(number_of<std::uint64_t>(word, value()), 1);
        } else if (word == "--kernels") {
            o.kernels = value();
        } else if (word == "--block") {
            o.block = value();
        } else if (word == "--only") {
            o.only = value();
        } else if (word == "--family") {
            o.family = value();
        } else {
            throw std::invalid_argument("'" + std::string(word) +
                                        "' is no option; carat_fuzz --help lists them");
        }
    }
    if (o.threads > 1 && !o.gpu && o.block.empty())
        throw std::invalid_argument("--threads is for --gpu");
    if (o.here && (o.cases == 0 || !o.gpu))
        throw std::invalid_argument("--here is for --gpu and a number of --cases");
    if (o.cases != 0 && !has_minutes) o.minutes = 1e9;
    return o;
}

}  // namespace carat::fuzz
