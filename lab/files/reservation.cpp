#include "lab/files/reservation.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <utility>

#include "files/handle.hpp"

namespace carat::files {

namespace fs = std::filesystem;

namespace {

// The names that this process holds and may reserve again.
std::map<std::string, handle>& reserved() {
    static std::map<std::string, handle> all;
    return all;
}

}  // namespace

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

}  // namespace carat::files
