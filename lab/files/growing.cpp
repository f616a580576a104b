#include "lab/files/growing.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>

#include <carat/error.hpp>

#include "files/visible.hpp"
#include "lab/files/draft.hpp"
#include "lab/files/output.hpp"

namespace carat::files {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path) {
    throw error(error_code::invalid_argument, path.string() + ": can't be written (" +
                                                  std::strerror(errno) +
                                                  "); make room, or name another output");
}

}  // namespace

fs::path growing_beside(const fs::path& output) {
    // Names have at most 255 bytes. Two that are cut to the same name differ in their contents.
    constexpr std::size_t most = 240;
    const fs::path target = target_of(output);
    const std::string name = target.filename().string();
    return target.parent_path() / ("." + std::string(beginning(name, most)) + ".journal");
}

growing::growing(fs::path path) : path_(std::move(path)) {
    unlink(path_.c_str());
    constexpr int new_and_ours = O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = handle(open(path_.c_str(), O_WRONLY | O_APPEND | new_and_ours, 0666));
    if (!file_) fail(path_);
    settled_ = std::chrono::steady_clock::now();
}

void growing::append(std::string_view line) {
    const std::string whole = std::string(line) + "\n";
    if (!write_all(file_, whole)) {
        const int why = errno;
        if (ftruncate(file_.number(), size_) != 0) remove();  // half a line with more after it
        errno = why;
        fail(path_);
    }
    size_ += static_cast<std::int64_t>(whole.size());
    const auto now = std::chrono::steady_clock::now();
    if (now - settled_ < std::chrono::seconds(1)) return;
    settled_ = now;
    fdatasync(file_.number());  // where a disk fails, what is in memory is still more than nothing
}

void growing::remove() {
    unlink(path_.c_str());
    file_.close();
}

}  // namespace carat::files
