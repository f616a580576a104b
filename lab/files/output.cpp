#include "lab/files/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <utility>

#include <carat/error.hpp>

#include "files/handle.hpp"
#include "lab/files/draft.hpp"

namespace carat::files {

namespace {

// Reserves the name of a file that does not exist yet. A lock needs a file, and an empty one would
// be taken for results. So the reservation is a socket bound in Linux's abstract namespace to the
// folder and name; it is on no disk and ends with the process.

namespace fs = std::filesystem;

// The names that this process holds and may reserve again.
std::map<std::string, handle>& reserved() {
    static std::map<std::string, handle> all;
    return all;
}

// Returns false if another process has reserved `target`; true if such a socket cannot be made.
bool reserve(const fs::path& target) {
    struct stat folder = {};
    const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (stat(parent.c_str(), &folder) != 0) return true;  // writing there fails, and says why
    const std::string name = "carat-output-" + std::to_string(folder.st_dev) + "-" +
                             std::to_string(folder.st_ino) + "-" +
                             std::to_string(std::hash<std::string>()(target.filename().string()));
    if (reserved().contains(name)) return true;
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, address.sun_path + 1);  // the NUL before it means: on no disk
    handle made(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (!made) return true;
    if (bind(made.number(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
        return errno != EADDRINUSE;
    reserved()[name] = std::move(made);
    return true;
}

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
    throw error(error_code::invalid_argument, path.string() + ": " + what);
}

[[noreturn]] void fail_to_write(const fs::path& path) {
    if (errno == EISDIR) fail(path, "is a folder; name a file in it");
    fail(path, std::string("can't be written (") + std::strerror(errno) +
                   "); name a file in a folder that exists and is yours");
}

[[noreturn]] void fail_for_another_run(const fs::path& path) {
    fail(path, "another run writes it; name another file, or wait for that run's end");
}

// The file that is replaced, opened; empty if there is none yet. A rename alone would not check
// whether that file may be written, or whether a link in its place may be followed.
handle open_old(const fs::path& path) {
    handle old(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!old && errno != ENOENT) fail_to_write(path);
    return old;
}

// One name for each file, as far as possible.
fs::path settled(const fs::path& path) {
    std::error_code unknown;
    return fs::weakly_canonical(target_of(fs::absolute(path, unknown)), unknown);
}

bool is_called(const handle& file, const fs::path& path) {
    struct stat mine = {}, named = {};
    return fstat(file.number(), &mine) == 0 && stat(path.c_str(), &named) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

// The outputs of this process: each file in its current state, locked; empty if it does not exist.
std::map<fs::path, handle>& held() {
    static std::map<fs::path, handle> all;
    return all;
}

// If another run replaces the file meanwhile, its new state counts.
handle lock_old(const fs::path& path) {
    handle old = open_old(path);
    for (; old; old = open_old(path)) {
        if (flock(old.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            fail_for_another_run(path);
        if (is_called(old, path)) break;
    }
    return old;
}

handle& hold(const fs::path& path) {
    handle old = open_old(path);  // refuses what isn't ours to write
    const fs::path target = settled(path);
    const auto known = held().find(target);
    if (known != held().end()) return known->second;
    old = lock_old(path);
    if (!old) {
        if (!reserve(target)) fail_for_another_run(path);
        old = lock_old(path);  // another run may have made it, and ended, meanwhile
    }
    return held()[target] = std::move(old);
}

// Creating an unnamed file is the proof; file systems that cannot do so are judged by permissions.
void require_folder(const fs::path& path) {
    const fs::path folder = fs::absolute(target_of(path)).parent_path();
    if (const handle probe(open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)); probe)
        return;
    const bool unknown = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
    if (!unknown || faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
        fail_to_write(path);
}

void write_stream(const fs::path& path, std::string_view text) {
    handle out(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
    if (!out || !write_all(out, text) || !out.close()) fail_to_write(path);
}

}  // namespace

bool is_stream(const fs::path& path) {
    std::error_code unknown;
    const fs::file_type type = fs::status(path, unknown).type();
    return type == fs::file_type::character || type == fs::file_type::fifo;
}

fs::path target_of(fs::path path) {
    constexpr int most_links = 40;  // as many as the kernel follows
    std::error_code none;
    for (int i = 0; i < most_links && fs::is_symlink(fs::symlink_status(path, none)); ++i)
        path = path.parent_path() / fs::read_symlink(path, none);
    return path;
}

bool same_file(const fs::path& a, const fs::path& b) {
    if (is_stream(a) || is_stream(b)) return false;  // nor has /dev/stdout a path of its own
    std::error_code unknown;
    if (fs::equivalent(a, b, unknown)) return true;
    const fs::path one = settled(a);
    return !one.empty() && one == settled(b);
}

void require_writable(const fs::path& path) {
    if (is_stream(path)) {  // opening a pipe waits for its reader
        if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail_to_write(path);
        return;
    }
    hold(path);
    require_folder(path);
}

void write_whole(const fs::path& path, const std::string& text) {
    if (is_stream(path)) return write_stream(path, text);
    handle& ours = hold(path);
    draft next(target_of(path));
    const bool written = next.write(text) && next.settle();
    if (written) next.lock();
    if (written && next.take_place(ours ? onto::anything : onto::nothing)) {
        ours = next.release();
        return;
    }
    if (written && errno == EEXIST) fail_for_another_run(path);
    fail(path, std::string("can't be written (") + std::strerror(errno) +
                   "); it is as it was: make room, or name another file");
}

}  // namespace carat::files
