// The libraries of this process, and the program's own BLAS among them.
#pragma once

#include <string>
#include <vector>

namespace carat::blas {

// Their files, in load order.
[[nodiscard]] std::vector<std::string> loaded_files();

// An open handle of a loaded library, which is never closed, or null.
[[nodiscard]] void* handle_of(const std::string& file);

// Why a profiled program called nothing here: it has a BLAS that precedes carat, or it never asked
// that BLAS for a product. Empty if it has none. One line with its newline.
[[nodiscard]] std::string why_no_calls();

}  // namespace carat::blas
