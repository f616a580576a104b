#include "lab/request/corpus.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include <carat/error.hpp>

namespace carat::request {

namespace {

constexpr std::string_view known[] = {"random", "stream-k", "models"};
constexpr std::int64_t most_products = 10'000;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw error(error_code::invalid_argument, "corpus '" + std::string(text) + "' " + why);
}

std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(':', start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

template <class Number>
Number number(std::string_view text, std::string_view part, const char* what) {
    Number value{};
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (failure != std::errc() || end != part.data() + part.size())
        refuse(text, "has '" + std::string(part) + "' as its " + what + ": give a number");
    return value;
}

// What sides are drawn from.
struct domain {
    double least_side;
    double most_side;
    double least_operations;
    double most_operations;
    std::int64_t multiple = 1;
};

// std::uniform_real_distribution is another on each standard library.
class sides {
  public:
    sides(std::uint64_t seed, const domain& of) : random_(seed), of_(of) {}

    [[nodiscard]] shape product() {
        const auto side = [&] { return next(); };
        const std::int64_t m = side();
        const std::int64_t n = side();
        return {m, n, side()};
    }

  private:
    std::int64_t next() {
        const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53;
        const double low = std::log2(of_.least_side);
        const auto side = static_cast<std::int64_t>(
            std::exp2(low + uniform * (std::log2(of_.most_side) - low)) + 0.5);
        return std::max(of_.multiple, side / of_.multiple * of_.multiple);
    }

    std::mt19937_64 random_;
    domain of_;
};

std::vector<shape> drawn(std::string_view text, std::uint64_t seed, std::int64_t count,
                         const domain& of) {
    constexpr int most_tries = 10'000;
    if (count < 1 || count > most_products)
        refuse(text, "asks for " + std::to_string(count) + " products: ask for 1 to " +
                         std::to_string(most_products));
    sides next(seed, of);
    std::vector<shape> all;
    for (int tries = 0; std::ssize(all) < count;) {
        const shape s = next.product();
        const double work = operations(s, operation_count::multiply_add);
        if (work >= of.least_operations && work <= of.most_operations) {
            all.push_back(s);
            tries = 0;
        } else if (++tries == most_tries) {
            refuse(text, "has no products of so few or so many operations: widen their limits");
        }
    }
    return all;
}

std::vector<shape> random_products(std::string_view text,
                                   const std::vector<std::string_view>& parts) {
    if (parts.size() != 3 && parts.size() != 5 && parts.size() != 6)
        refuse(text, "is not random:SEED:COUNT, with :LEAST:MOST operations and :MULTIPLE or not");
    domain of{16, 16384, 2e8, 1e12};
    if (parts.size() > 3) {
        of.least_operations = number<double>(text, parts[3], "fewest operations");
        of.most_operations = number<double>(text, parts[4], "most operations");
    }
    if (parts.size() == 6) of.multiple = number<std::int64_t>(text, parts[5], "multiple");
    if (of.multiple < 1 || of.multiple > 4096)
        refuse(text,
               "has multiples of " + std::to_string(of.multiple) + ": they go from 1 to 4096");
    return drawn(text, number<std::uint64_t>(text, parts[1], "seed"),
                 number<std::int64_t>(text, parts[2], "count"), of);
}

std::vector<shape> stream_k(std::string_view text, const std::vector<std::string_view>& parts) {
    if (parts.size() != 3) refuse(text, "is not stream-k:SEED:COUNT");
    return drawn(text, number<std::uint64_t>(text, parts[1], "seed"),
                 number<std::int64_t>(text, parts[2], "count"), {128, 8192, 0, 2e12});
}

// N and K of each layer; M counts the rows of activations.
std::vector<shape> models() {
    constexpr std::int64_t layers[][2] = {
        {6144, 4096},  {4096, 4096},  {28672, 4096}, {4096, 14336},  // Llama 3 8B
        {10240, 8192}, {8192, 8192},  {57344, 8192}, {8192, 28672},  // Llama 3 70B
        {24576, 1536}, {7168, 16384}, {4096, 7168},  {7168, 2048}};  // DeepSeek-V3
    std::vector<shape> all;
    for (const std::int64_t m : {1, 16, 64, 256, 1024, 8192})
        for (const auto& [n, k] : layers) all.push_back({m, n, k});
    return all;
}

}  // namespace

bool is_corpus(std::string_view text) {
    return std::ranges::find(known, text.substr(0, text.find(':'))) != std::end(known);
}

std::vector<shape> corpus(std::string_view text) {
    const std::vector<std::string_view> parts = parts_of(text);
    if (parts[0] == "random") return random_products(text, parts);
    if (parts[0] == "stream-k") return stream_k(text, parts);
    if (text != "models") refuse(text, "is none of random:SEED:COUNT, stream-k:SEED:COUNT, models");
    return models();
}

}  // namespace carat::request
