// The library's only exception type. Every message is one line that names the argument, the actual
// and expected values, and the remedy.
#pragma once

#include <stdexcept>
#include <string>

#include <carat/export.hpp>

namespace carat {

enum class error_code {
    invalid_argument,  // an impossible size, stride, option or name
    size_mismatch,     // two arguments that don't fit each other
    // C overlaps A, B, another E, values of an epilogue or a C of the same batch, or an amax
    // overlaps what is read
    aliasing,
    overflow,       // a size or an integer result that doesn't fit its type
    out_of_memory,  // on a CPU thrown before anything is written
    unsupported,    // a correct call that this build or machine cannot serve
    device_failed,  // a GPU or its driver failed; C may be anything
};

class CARAT_API error : public std::runtime_error {
  public:
    error(error_code code, const std::string& message) : std::runtime_error(message), code_(code) {}

    [[nodiscard]] error_code code() const noexcept { return code_; }

  private:
    error_code code_;
};

}  // namespace carat
