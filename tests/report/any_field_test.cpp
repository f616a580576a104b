// Whatever one field of a results file holds, the file is reported, or refused in one line that
// names the field, even if another program or an editor wrote it.
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include <carat/error.hpp>

#include "lab/report/report.hpp"
#include "lab/results/document.hpp"
#include "lab/results/files.hpp"

namespace {

using nlohmann::json;

// All that a file's places may wrongly hold; discarded stands for no such field.
const std::vector<json> odd_values{
    json(json::value_t::discarded),
    nullptr,
    true,
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    std::numeric_limits<std::int64_t>::max(),
    std::numeric_limits<std::int64_t>::min(),
    std::numeric_limits<std::uint64_t>::max(),
    "",
    "text",
    "1e999",
    json::array(),
    json::array({nullptr}),
    json::object(),
};

void collect(const json& value, const json::json_pointer& at,
             std::vector<json::json_pointer>& places) {
    places.push_back(at);
    if (value.is_object())
        for (const auto& [key, field] : value.items()) collect(field, at / key, places);
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, places);
}

void put(json& file, const json::json_pointer& at, const json& value) {
    if (!value.is_discarded()) {
        file[at] = value;
        return;
    }
    json& parent = file[at.parent_pointer()];
    if (parent.is_object())
        parent.erase(at.back());
    else
        parent.erase(std::stoul(at.back()));
}

// Does what `carat report` does.
void report(const json& file) {
    const carat::results::document read = carat::results::from_json(file, "a.json");
    for (const std::string& text :
         {carat::report::html(read), carat::report::markdown(read),
          carat::report::tables(read, carat::report::table_form::markdown),
          carat::report::tables(read, carat::report::table_form::latex)})
        EXPECT_FALSE(text.empty());
}

TEST(any_field, is_reported_or_refused_by_its_name) {
    json file;
    std::ifstream(CARAT_TEST_DATA "/every_field.json") >> file;
    ASSERT_NO_THROW(report(file));
    std::vector<json::json_pointer> places;
    collect(file, json::json_pointer(), places);
    ASSERT_GT(places.size(), 300U);
    int reported = 0, refused = 0;
    for (const json::json_pointer& at : places) {
        if (at.empty()) continue;
        for (const json& odd : odd_values) {
            json other = file;
            put(other, at, odd);
            SCOPED_TRACE(at.to_string() + " = " + (odd.is_discarded() ? "(none)" : odd.dump()));
            try {
                report(other);
                ++reported;
            } catch (const carat::error& failure) {
                const std::string told = failure.what();
                EXPECT_EQ(told.find('\n'), std::string::npos) << told;
                ++refused;
            } catch (const std::exception& failure) {
                ADD_FAILURE() << failure.what();
            }
        }
    }
    EXPECT_GT(reported, 1000);
    EXPECT_GT(refused, 1000);
}

}  // namespace
