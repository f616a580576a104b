#include "files/read.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <carat/error.hpp>

#include "files/handle.hpp"

namespace carat::files {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
    throw error(error_code::invalid_argument, name + ": " + what);
}

[[noreturn]] void fail_to_read(const fs::path& file, const char* why) {
    fail(file.string(), std::string("can't be read (") + why + "); name a file that is there");
}

// The size of a regular file, else 0.
std::size_t size_of(const handle& in, const fs::path& file, kind allowed) {
    struct stat facts = {};
    if (fstat(in.number(), &facts) != 0) fail_to_read(file, std::strerror(errno));
    if (S_ISDIR(facts.st_mode)) fail_to_read(file, "it is a folder");
    if (!S_ISREG(facts.st_mode) && allowed == kind::regular)
        fail_to_read(file, "it is no regular file");
    return S_ISREG(facts.st_mode) ? static_cast<std::size_t>(facts.st_size) : 0;
}

// Waits while there is nothing to read. poll() ends at every signal; open() and read() of a pipe
// would go on, and the program could not be interrupted.
std::size_t read_some(const handle& in, const fs::path& file, char* to, std::size_t most) {
    for (;;) {
        pollfd waiting = {in.number(), POLLIN, 0};
        if (poll(&waiting, 1, -1) < 0) fail_to_read(file, "a signal ended the wait for it");
        const ssize_t got = ::read(in.number(), to, most);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EAGAIN && errno != EINTR) fail_to_read(file, std::strerror(errno));
    }
}

}  // namespace

std::string read(const fs::path& file, kind allowed) {
    const handle in(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!in) fail_to_read(file, std::strerror(errno));
    constexpr std::size_t piece = std::size_t{1} << 20U;
    std::string text;
    // If the file tells its size, allocates that and one more piece to find its end.
    if (const std::size_t told = size_of(in, file, allowed); told <= most_bytes)
        text.reserve(told + 2 * piece);
    std::size_t size = 0;
    for (;;) {
        text.resize(size + piece);
        const std::size_t got = read_some(in, file, text.data() + size, piece);
        size += got;
        if (got == 0) break;
        if (size > most_bytes)
            fail(file.string(), "holds more than " + std::to_string(most_bytes >> 20U) +
                                    " MiB, the most that is read; split it");
    }
    text.resize(size);
    return text;
}

void fail_for_depth(const std::string& name) {
    fail(name, "is nested deeper than " + std::to_string(most_levels) +
                   " levels, which no file of carat's is; name another file");
}

void fail_for_syntax(const std::string& name) {
    fail(name, "is not JSON (damaged, or cut off?); measure again or name another file");
}

}  // namespace carat::files
