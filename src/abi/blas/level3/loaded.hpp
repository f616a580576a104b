// The libraries of this process, and what BLAS of its own the program has among them.
#pragma once

#include <string>
#include <vector>

namespace carat::blas {

// Their files, in the order of loading.
[[nodiscard]] std::vector<std::string> loaded_files();

// An open handle of a loaded library, which is never closed; null when it is none.
[[nodiscard]] void* handle_of(const std::string& file);

// Why a program that was to be profiled called nothing here: it has a BLAS that carat doesn't come
// before, or asked that for no product. Empty when it has none. One line, with its end.
[[nodiscard]] std::string why_no_calls();

}  // namespace carat::blas
