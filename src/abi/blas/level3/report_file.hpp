// The file that CARAT_PROFILE names. Each call updates its line in place when it returns, so a
// process that is killed, or leaves by _exit like forked children, has recorded what it did; one
// that ends normally replaces the lines by the report.
#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>

namespace carat::blas::profile {

class report_file {
  public:
    // `wanted` may contain %p, the process number. A later change of directory has no effect.
    void name(const std::string& wanted);

    // Writes text at a position in the file, which the first call creates: under the wanted name if
    // there is no such file, else with the process number appended. A name that is not a regular
    // file (/dev/stderr, a FIFO) receives only the report.
    void write_at(std::size_t offset, const std::string& text);

    // Replaces everything by the report; writes to stderr if there can be no file.
    void finish(const std::string& report);

    // Forgets the file in a forked child, which has its own.
    void leave_to_parent();

  private:
    enum class kind { none, regular, other, impossible };

    void make();
    [[nodiscard]] bool still_ours() const;
    void write(std::size_t offset, const std::string& text) const;

    std::string wanted_;
    std::string path_;
    kind kind_ = kind::none;
    int descriptor_ = -1;
    dev_t device_ = 0;
    ino_t number_ = 0;
};

}  // namespace carat::blas::profile
