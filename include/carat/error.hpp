// The one exception type of the library. Every message is one line that names the argument, the
// values met and expected, and the remedy.
#pragma once

#include <stdexcept>
#include <string>

#include <carat/export.hpp>

namespace carat {

enum class error_code {
    invalid_argument,  // a size, stride, option or name that can't be right
    size_mismatch,     // two arguments that don't fit each other
    aliasing,  // C overlaps A, B, another E, values of an epilogue or a C of the same batch; or
               // an amax what is read
    overflow,  // a size or an integer result that doesn't fit its type
    out_of_memory,  // on a CPU said before anything is written
    unsupported,    // a right call that this build or machine can't serve
    device_failed,  // a GPU or its driver didn't do what was asked for; C may be anything
};

class CARAT_API error : public std::runtime_error {
  public:
    error(error_code code, const std::string& message) : std::runtime_error(message), code_(code) {}

    [[nodiscard]] error_code code() const noexcept { return code_; }

  private:
    error_code code_;
};

}  // namespace carat
