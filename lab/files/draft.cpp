#include "lab/files/draft.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>

namespace carat::files {

namespace {

namespace fs = std::filesystem;

// Short, since the target's name may be as long as names may be.
fs::path name_beside(const fs::path& target) {
    static std::random_device source;
    const std::uint64_t chance = std::uint64_t{source()} << 32U | source();
    char name[32];
    std::snprintf(name, sizeof name, ".carat-%016llx", static_cast<unsigned long long>(chance));
    return target.parent_path() / name;
}

}  // namespace

bool write_all(const handle& file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file.number(), text.data(), text.size());
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

draft::draft(fs::path target) : target_(std::move(target)) {
    constexpr int attempts = 16;
    for (int i = 0; i < attempts && !file_; ++i) {
        name_ = name_beside(target_);
        constexpr int new_and_ours = O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        file_ = handle(open(name_.c_str(), O_WRONLY | new_and_ours, 0666));
        if (!file_ && errno != EEXIST) break;
    }
    if (!file_) name_.clear();
    struct stat old = {};
    if (file_ && stat(target_.c_str(), &old) == 0) fchmod(file_.number(), old.st_mode & 0777U);
}

draft::~draft() {
    if (!name_.empty()) unlink(name_.c_str());
}

bool draft::write(std::string_view text) {
    return file_ && write_all(file_, text);
}

bool draft::settle() {
    return fsync(file_.number()) == 0 || errno == EINVAL || errno == ENOSYS;  // it knows no disk
}

bool draft::lock() {
    return flock(file_.number(), LOCK_EX | LOCK_NB) == 0;
}

bool draft::take_place(onto what) {
    const char* const from = name_.c_str();
    const char* const to = target_.c_str();
    bool done = false;
    if (what == onto::nothing)
        done = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0;
    // Some file systems do not support RENAME_NOREPLACE.
    if (what == onto::anything || (!done && errno == EINVAL)) done = std::rename(from, to) == 0;
    if (done) name_.clear();
    return done;
}

}  // namespace carat::files
