// The file that CARAT_PROFILE names. Each call's line is brought up to date in place as the call
// returns, so that a process that is killed, or leaves by _exit, as forked children do, has said
// what it did; one that ends as it should replaces the lines by the report.
#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>

namespace carat::blas::profile {

class report_file {
  public:
    // `wanted` may have %p, the process number, in it. Another directory later changes nothing.
    void name(const std::string& wanted);

    // The text at a place in the file, which is made by the first call: under the wanted name if
    // there is no such file yet, else with the process number at its end. A name that is no regular
    // file (/dev/stderr, a FIFO) gets the report only.
    void write_at(std::size_t offset, const std::string& text);

    // The report in place of all that was written; to stderr where the file can't be.
    void finish(const std::string& report);

    // In a forked child, whose file is another one.
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
