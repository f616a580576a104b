// Files that others may have written: each is read, or refused in one line.
#include "files/read.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <sys/stat.h>
#include <thread>

#include "lab/files/document.hpp"
#include "lab/files/fields.hpp"
#include "tests/files/scratch.hpp"

namespace {

using namespace carat;
namespace fs = std::filesystem;
using nlohmann::json;

using reading = scratch;

TEST_F(reading, a_file_is_read_whole) {
    std::string text(3'000'000, 'x');
    text[5] = '\0';
    std::ofstream(folder / "a", std::ios::binary) << text;
    EXPECT_EQ(files::read(folder / "a"), text);
    std::ofstream(folder / "empty") << "";
    EXPECT_EQ(files::read(folder / "empty"), "");
}

TEST_F(reading, what_is_no_file_is_refused_without_waiting) {
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_symlink("loop", folder / "loop");
    const auto why = [&](const fs::path& file) {
        return refusal([&] { (void)files::read(file); });
    };
    EXPECT_NE(why(folder / "pipe").find("pipe: can't be read (it is no regular file)"),
              std::string::npos);
    EXPECT_NE(why(folder).find("can't be read (it is a folder)"), std::string::npos);
    EXPECT_NE(why("/dev/zero").find("no regular file"), std::string::npos);
    EXPECT_NE(why(folder / "absent").find("No such file"), std::string::npos);
    EXPECT_NE(why(folder / "loop").find("symbolic links"), std::string::npos);
    EXPECT_NE(why(std::string(300, 'x')).find("too long"), std::string::npos);
}

TEST_F(reading, a_pipe_is_read_to_its_end_where_it_may_be) {
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe) << std::string(200'000, 'y'); });
    EXPECT_EQ(files::read(pipe, files::kind::or_pipe), std::string(200'000, 'y'));
    writer.join();
}

// Installed as the command does for SIGTERM: read() would be restarted after it.
TEST_F(reading, a_signal_ends_the_wait_for_a_pipe) {
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::signal(SIGTERM, [](int) {});
    const pthread_t reader = pthread_self();
    std::atomic<bool> done = false;
    std::thread sender([&] {
        while (!done) {
            pthread_kill(reader, SIGTERM);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    const std::string why = refusal([&] { (void)files::read(pipe, files::kind::or_pipe); });
    done = true;
    sender.join();
    std::signal(SIGTERM, SIG_DFL);
    EXPECT_NE(why.find("a signal ended the wait"), std::string::npos) << why;
}

TEST_F(reading, more_than_the_most_is_refused) {
    fs::resize_file((std::ofstream(folder / "big") << "", folder / "big"), files::most_bytes + 1);
    EXPECT_NE(refusal([&] { (void)files::read(folder / "big"); }).find("more than 256 MiB"),
              std::string::npos);
}

std::string nested(int levels, char open, char close) {
    return std::string(static_cast<std::size_t>(levels), open) +
           std::string(static_cast<std::size_t>(levels), close);
}

TEST_F(reading, json_nested_too_deep_is_refused) {
    const auto why = [](const std::string& text) {
        return refusal([&] { (void)files::parse(text, "x.json"); });
    };
    EXPECT_EQ(why(nested(files::most_levels, '[', ']')), "");
    for (const int levels : {files::most_levels + 1, 100'000, 5'000'000})
        EXPECT_NE(why(nested(levels, '[', ']')).find("x.json: is nested deeper than 64 levels"),
                  std::string::npos);
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    EXPECT_NE(why(objects).find("nested deeper"), std::string::npos);
    EXPECT_EQ(why("[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]"), "");
    EXPECT_EQ(why("[[1],[2],[" + std::string(200, ' ') + "]]"), "");
    for (const char* bad : {"", "{", "[1", "\"", "\"\\", "nul", "1e999", "[1]]", "\xff"})
        EXPECT_NE(why(bad).find("x.json: is not JSON"), std::string::npos) << bad;
    for (const char* behind : {"", "x", "{}"}) {
        const std::string text = std::string("{}\n") + '\0' + behind;
        EXPECT_NE(why(text).find("x.json: is not JSON"), std::string::npos) << behind;
    }
}

TEST_F(reading, texts_and_names_are_made_visible) {
    const json foreign = {{"a\x1b", {"b\x1b", {{"c", "\x07"}}, 3, nullptr}}};
    const json shown = {{"a\\x1b", {"b\\x1b", {{"c", "\\x07"}}, 3, nullptr}}};
    EXPECT_EQ(files::with_visible_texts(foreign), shown);
}

TEST_F(reading, fields_are_of_their_type_or_named) {
    const json object = json::parse(R"({"i": 3, "half": 0.5, "big": 4294967296, "huge":
        18446744073709551615, "minus": -1, "text": "t", "yes": true, "none": null,
        "range": [null, 2], "list": [{"i": 1}, {"i": "x"}], "o": {"p": {}},
        "long": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"})");
    const files::fields in(object, "x.json:", "remedy");
    const auto why = [&](const auto& wanted, const char* key) {
        return refusal([&] { (void)in.get<std::decay_t<decltype(wanted)>>(key); });
    };
    EXPECT_EQ(in.get<int>("i"), 3);
    EXPECT_EQ(in.get<double>("i"), 3.0);
    EXPECT_EQ(in.get<std::uint64_t>("huge"), 18446744073709551615U);
    EXPECT_EQ(in.get<double>("none"), std::numeric_limits<double>::infinity());
    EXPECT_EQ((in.get<std::array<double, 2>>("range")[0]),
              -std::numeric_limits<double>::infinity());
    const std::string whole = ", expected a whole number from -2147483648 to 2147483647: remedy";
    for (const auto& [key, value] : {std::pair{"half", "0.5"},
                                     {"big", "4294967296"},
                                     {"huge", "18446744073709551615"},
                                     {"text", "\"t\""},
                                     {"yes", "true"},
                                     {"none", "null"},
                                     {"list", R"([{"i":1},{"i":"x"}])"},
                                     {"o", R"({"p":{}})"}})
        EXPECT_EQ(why(0, key), std::string("x.json: ") + key + " is " + value + whole);
    EXPECT_EQ(why(std::uint8_t{}, "minus"),
              "x.json: minus is -1, expected a whole number from 0 to 255: remedy");
    EXPECT_NE(why(std::int64_t{}, "huge").find("huge is 18446744073709551615, expected a whole"),
              std::string::npos);
    EXPECT_EQ(why(false, "i"), "x.json: i is 3, expected true or false: remedy");
    EXPECT_EQ(why(std::string(), "i"), "x.json: i is 3, expected a string: remedy");
    EXPECT_EQ(
        why(std::vector<double>(), "list"),
        R"(x.json: list is [{"i":1},{"i":"x"}], expected a list, each element a number: remedy)");
    EXPECT_EQ(why(0, "long"), "x.json: long is \"" + std::string(39, 'x') + "..." + whole);
    EXPECT_EQ(why(0, "absent"), "x.json: absent is missing: remedy");
    EXPECT_EQ(refusal([&] { (void)in.object("o").object("p").get<int>("q"); }),
              "x.json: o.p.q is missing: remedy");
    EXPECT_EQ(refusal([&] { (void)in.object("list"); }), "x.json: list is not an object: remedy");
    EXPECT_EQ(refusal([&] {
                  in.each("list", [](const files::fields& one) { (void)one.get<int>("i"); });
              }),
              "x.json: list[1].i is \"x\"" + whole);
}

}  // namespace
