#include <algorithm>

#include "calls.hpp"
#include "ragged.hpp"
#include "trials.hpp"

namespace carat::fuzz {

namespace {

std::string run(const running& r, std::uint64_t seed) {
    switch (r.of.how) {
        case trial::aliased:
            if (r.of.group == grouping::one && r.of.ready == prepared::none) return try_aliased(r);
            return try_ordinary(r);
        case trial::bad_argument:
            return try_bad_argument(r);
        case trial::failing_memory:
            return try_failing_memory(r);
        case trial::many_threads:
            return try_many_threads(r, seed);
        default:
            return r.of.shared_out ? try_shared_out_on_cpu(r) : try_ordinary(r);
    }
}

}  // namespace

void tell_description(const surroundings& in, const std::string& text) {
    if (in.description.empty()) return;
    const std::size_t size = std::min(text.size(), in.description.size() - 1);
    std::copy_n(text.begin(), size, in.description.begin());
    in.description[size] = 0;
}

std::string run_product_case(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                             tally& count) {
    thread_local workbench on;
    random_numbers random(seed, number);
    product_case c = draw_case(random, number, false);
    // A case that is already one of many threads must not start as many more.
    const bool nested = (seed >> 63) != 0;
    if (c.how == trial::many_threads && nested) c.how = trial::ordinary;
    const running r = {c, on, random, in, count, !nested};
    lay_out(r);
    const std::string text = c.describe();
    tell_description(in, text);
    const std::string wrong = run(r, seed);
    if (c.how != trial::many_threads) {
        ++count.cases;
        count_features(r);
    }
    return wrong.empty() ? wrong : text + ": " + wrong;
}

}  // namespace carat::fuzz
