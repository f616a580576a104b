// Files with random damage: each is read or refused with one line that begins with its name. The
// damage is that of a disk or an editor (bytes changed, cut out, doubled), and of a hand that knows
// JSON (values in each other's place). The same in every run.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include <carat/error.hpp>

#include "files/read.hpp"
#include "lab/files/document.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/report/report.hpp"
#include "lab/results/document.hpp"
#include "lab/results/files.hpp"
#include "tuning/tuned.hpp"

namespace {

using nlohmann::json;
using pointer = json::json_pointer;

class damage {
  public:
    std::string to_text(std::string text) {
        for (std::size_t i = below(4) + 1; i > 0 && !text.empty(); --i) {
            const std::size_t at = below(text.size()), size = below(40);
            static constexpr std::string_view odd = "[]{}\",:\\0-9e.ntf\x1b\x80\xff";
            switch (below(4)) {
                case 0:
                    text[at] = static_cast<char>(below(256));
                    break;
                case 1:
                    text.erase(at, size);
                    break;
                case 2:
                    text.insert(below(text.size()), text.substr(at, size));
                    break;
                default:
                    text.insert(at, 1, odd[below(odd.size())]);
            }
        }
        return text;
    }

    json to_values(const json& file, const std::vector<pointer>& places) {
        json other = file;
        for (std::size_t i = below(3) + 1; i > 0; --i) {
            const pointer &to = places[below(places.size())], &from = places[below(places.size())];
            if (other.contains(to) && !to.empty()) other[to] = odd_or(file[from]);
        }
        return other;
    }

  private:
    std::size_t below(std::size_t end) { return random_() % end; }
    json odd_or(const json& value) {
        const std::vector<json> odd = {
            nullptr, -1,     1e308, 18446744073709551615U, "\x1b[2J",
            true,    "a\nb", 0.5,   json::array(),         json::object()};
        const std::size_t which = below(2 * odd.size());
        return which < odd.size() ? odd[which] : value;
    }

    std::mt19937 random_{20261124};
};

std::vector<pointer> places_of(const json& file) {
    std::vector<pointer> places;
    const json flat = file.flatten();
    for (const auto& [place, value] : flat.items())
        for (pointer at(place); !at.empty(); at = at.parent_pointer()) places.push_back(at);
    std::ranges::sort(places, {}, &pointer::to_string);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

using reading = std::function<void(const std::string&)>;

void expect_read_or_refused(const json& file, const reading& read, int times) {
    const std::vector<pointer> places = places_of(file);
    const std::string whole = file.dump();
    ASSERT_NO_THROW(read(whole));
    damage done;
    int refused = 0;
    for (int i = 0; i < times; ++i) {
        const std::string text =
            i % 2 == 0 ? done.to_text(whole) : done.to_values(file, places).dump();
        try {
            read(text);
        } catch (const carat::error& why) {
            ++refused;
            const std::string told = why.what();
            EXPECT_TRUE(told.starts_with("x.json: ") || told.starts_with("peaks: ")) << told;
            EXPECT_TRUE(std::ranges::none_of(told, [](unsigned char c) {
                return c < 0x20 || c == 0x7f;
            })) << told;
        } catch (const std::exception& why) {
            ADD_FAILURE() << why.what() << " of " << text;
        }
    }
    EXPECT_GT(refused, times / 4);
    EXPECT_LT(refused, times);
}

TEST(damaged, results_are_reported_or_refused) {
    const json file = carat::files::parse(carat::files::read(CARAT_TEST_DATA "/every_field.json"),
                                          "every_field.json");
    const reading as_the_command = [](const std::string& text) {
        using namespace carat;
        const json whole = files::with_visible_texts(files::parse(text, "x.json"));
        const results::document read = results::from_json(whole, "x.json");
        (void)results::csv(read);
        (void)report::html(read);
        (void)report::markdown(read);
        (void)report::tables(read, report::table_form::markdown);
        (void)report::tables(read, report::table_form::latex);
    };
    expect_read_or_refused(file, as_the_command, 1000);
}

TEST(damaged, tables_of_tuned_ways_are_read_or_refused) {
    const json one = {{"device", "GPU X"},
                      {"implementation", "cuda.engine"},
                      {"types", "bf16,bf16,f32"},
                      {"layout", "nt"},
                      {"m", 16},
                      {"n", 32},
                      {"k", 64},
                      {"tunables", {{"tile", 64}, {"parts", 2}}}};
    json other = one;
    other["m"] = 17;
    const json file = {{"schema", 1}, {"cases", {one, other}}};
    const reading as_engines = [](const std::string& text) {
        (void)carat::tuning::tuned_table(text, "x.json");
    };
    expect_read_or_refused(file, as_engines, 5000);
}

TEST(damaged, peaks_are_read_or_refused) {
    const json peak = {{"unit", "avx2 fma"}, {"dtype", "f64"}, {"threads", 2}, {"gflops", 100.0},
                       {"spread", 0.01},     {"rounds", 5},    {"isa", "avx2"}};
    const json memory = {{"level", "DRAM"}, {"threads", 2}, {"gb_per_s", 25.0},
                         {"spread", 0.01},  {"rounds", 5},  {"working_set_bytes", 1 << 30}};
    const json file = {{"compute", {peak, peak}},
                       {"bandwidth", {memory, memory}},
                       {"measured_at_s", 1'700'000'000},
                       {"age_s", 3.5},
                       {"thorough", false}};
    const reading as_kept = [](const std::string& text) {
        (void)carat::machine::peaks_from_json(carat::files::parse(text, "x.json"));
    };
    expect_read_or_refused(file, as_kept, 5000);
}

}  // namespace
