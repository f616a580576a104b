#include "lab/report/charts.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <carat/error.hpp>

#include "files/read.hpp"
#include "lab/files/document.hpp"
#include "lab/files/fields.hpp"
#include "lab/process/program.hpp"

extern char** environ;

namespace carat::report {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds patience{120};
constexpr const char* remedy =
    "install chromium, name one in CARAT_CHROMIUM, or save each chart from the report's page";

// Its exit code, or nothing when it did not start or did not end in time.
std::optional<int> run(std::vector<std::string> command, const std::string& output) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failure = posix_spawnp(&child, command.front().c_str(), &files, nullptr,
                                     process::pointers_to(command).data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failure != 0) return {};
    const auto end = std::chrono::steady_clock::now() + patience;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return {};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

// A browser that starts: some systems have a stub in its place, which asking for a version shows.
std::string browser(const fs::path& folder) {
    const char* wanted = std::getenv("CARAT_CHROMIUM");
    const std::vector<std::string> names =
        wanted != nullptr ? std::vector<std::string>{wanted}
                          : std::vector<std::string>{"chromium", "chromium-browser",
                                                     "google-chrome-stable", "google-chrome"};
    for (const std::string& name : names)
        if (run({name, "--version"}, (folder / "version").string()) == 0) return name;
    throw error(
        error_code::unsupported,
        fmt::format("charts are drawn by a browser and {}: {}",
                    wanted != nullptr ? fmt::format("CARAT_CHROMIUM={} does not start", wanted)
                                      : std::string("no Chromium was found"),
                    remedy));
}

std::string from_base64(std::string_view text) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t held = 0;
    int bits = 0;
    for (const char c : text) {
        const auto digit = digits.find(c);
        if (digit == digits.npos) break;  // the padding at the end
        held = held << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(held >> bits & 0xFFU);
    }
    return bytes;
}

// What hand_over_charts() of the page left in its place.
std::vector<chart_file> parse(const std::string& document) {
    constexpr std::string_view mark = "id=\"charts\">";
    const auto start = document.find(mark);
    const auto end = document.find("</script", start == document.npos ? 0 : start);
    if (start == document.npos || end == document.npos)
        throw error(error_code::unsupported, fmt::format("the browser drew no charts: {}", remedy));
    const auto from = start + mark.size();
    std::vector<chart_file> all;
    const auto drawn = files::parse(document.substr(from, end - from), "the browser's charts");
    for (const auto& [name, element] : drawn.items()) {
        const files::fields chart(element, "the browser's chart " + name, remedy);
        const auto png = chart.get<std::string>("png");
        all.push_back(
            {name, chart.get<std::string>("svg"), from_base64(png.substr(png.find(',') + 1))});
    }
    return all;
}

}  // namespace

std::vector<chart_file> charts(const std::string& page) {
    const process::scratch_folder scratch;  // the page, the browser's profile and its answer
    const fs::path& folder = scratch.path();
    const fs::path file = folder / "page.html";
    std::ofstream(file, std::ios::binary) << page;
    std::vector<std::string> command = {browser(folder),
                                        "--headless=new",
                                        "--disable-gpu",
                                        "--disable-dev-shm-usage",
                                        "--disable-extensions",
                                        "--disable-background-networking",
                                        "--no-first-run",
                                        "--window-size=1280,900",
                                        "--user-data-dir=" + (folder / "profile").string(),
                                        "--dump-dom"};
    if (geteuid() == 0) command.emplace_back("--no-sandbox");  // it does not start as root with one
    command.push_back("file://" + file.string() + "#charts");
    const fs::path answer = folder / "answer.html";
    if (!run(command, answer.string()))
        throw error(error_code::unsupported, fmt::format("the browser did not end within {} s: {}",
                                                         patience.count(), remedy));
    return parse(files::read(answer));
}

}  // namespace carat::report
