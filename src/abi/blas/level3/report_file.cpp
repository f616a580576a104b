#include "abi/blas/level3/report_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace carat::blas::profile {

namespace {

std::string with_process_number(std::string text) {
    const std::string number = std::to_string(getpid());
    for (std::size_t at = 0; (at = text.find("%p", at)) != std::string::npos; at += number.size())
        text.replace(at, 2, number);
    return text;
}

std::string absolute(const std::string& path) {
    char folder[4096];
    if (path.starts_with('/') || getcwd(folder, sizeof folder) == nullptr) return path;
    return std::string(folder) + "/" + path;
}

}  // namespace

void report_file::name(const std::string& wanted) {
    wanted_ = absolute(wanted);
}

void report_file::make() {
    const std::string plain = with_process_number(wanted_);
    struct stat found {};
    if (stat(plain.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
        path_ = plain;
        kind_ = kind::other;
        return;
    }
    kind_ = kind::impossible;
    const std::string numbered = plain + "." + std::to_string(getpid());
    for (int i = 0; i < 100; ++i) {
        path_ = i == 0 ? plain : i == 1 ? numbered : numbered + "." + std::to_string(i);
        descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ < 0 && errno != EEXIST) return;
        if (descriptor_ >= 0) break;
    }
    if (descriptor_ < 0 || fstat(descriptor_, &found) != 0) return;
    device_ = found.st_dev;
    number_ = found.st_ino;
    kind_ = kind::regular;
}

// A program may close descriptors that are not its own and open its own under the same number.
bool report_file::still_ours() const {
    struct stat found {};
    return fstat(descriptor_, &found) == 0 && found.st_dev == device_ && found.st_ino == number_;
}

void report_file::write(std::size_t offset, const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t more = pwrite(descriptor_, text.data() + done, text.size() - done,
                                    static_cast<off_t>(offset + done));
        if (more > 0) done += static_cast<std::size_t>(more);
        if (more == 0 || (more < 0 && errno != EINTR)) return;
    }
}

void report_file::write_at(std::size_t offset, const std::string& text) {
    const int before = errno;  // a caller of the BLAS does not expect it to change
    if (kind_ == kind::none) make();
    if (kind_ == kind::regular && still_ours()) write(offset, text);
    errno = before;
}

void report_file::finish(const std::string& report) {
    if (kind_ == kind::none) make();
    if (kind_ == kind::regular && !still_ours()) {
        descriptor_ = open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor_ < 0 || !still_ours()) kind_ = kind::impossible;
    }
    if (kind_ == kind::regular && ftruncate(descriptor_, 0) == 0) return write(0, report);
    if (std::FILE* to = kind_ == kind::other ? std::fopen(path_.c_str(), "w") : nullptr) {
        std::fputs(report.c_str(), to);
        std::fclose(to);
        return;
    }
    std::fprintf(stderr, "carat_blas: CARAT_PROFILE=%s can't be written; here it is instead\n%s",
                 path_.c_str(), report.c_str());
}

void report_file::leave_to_parent() {
    if (kind_ == kind::regular && still_ours()) close(descriptor_);
    kind_ = kind::none;
    descriptor_ = -1;
}

}  // namespace carat::blas::profile
