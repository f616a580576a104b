// A library opened at run time, and the search for one. Symbols stay private to it (RTLD_LOCAL), so
// several BLAS libraries, which all export dgemm_, live side by side in one process.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace carat::vendor {

// Why a library, or a file that looked like it, can't be used; one line.
class rejected : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class shared_library {
  public:
    // `name` is a soname or a path. Throws rejected with the loader's reason. A symbol is looked up
    // under its own name, then with `prefix` before it.
    explicit shared_library(const std::string& name, std::string_view prefix = {});

    [[nodiscard]] bool exports(const char* symbol) const { return find(symbol) != nullptr; }

    // The function of that name, null when there is none, also in libraries that this one needs.
    template <class Function>
    [[nodiscard]] Function* function(const char* symbol) const {
        return reinterpret_cast<Function*>(find(symbol));
    }

    // The same. Throws rejected when there is none.
    template <class Function>
    [[nodiscard]] Function* required(const char* symbol) const {
        if (auto* found = function<Function>(symbol)) return found;
        throw rejected(std::string("exports no ") + symbol);
    }

    // The file it came from, links resolved.
    [[nodiscard]] std::string path() const;

  private:
    [[nodiscard]] void* find(const char* symbol) const;

    std::string prefix_;
    void* handle_;  // never closed: a library with running threads does not survive that
};

// What to look for and what to tell people who lack it.
struct library_search {
    std::string_view title;
    std::span<const std::string_view> files;  // sonames and full paths, best first
    std::string_view remedy;                  // "apt install ..."
    std::string_view prefix = {};             // of its symbols, in some builds
};

// The files in the order they are tried: each soname in the folders of CARAT_PEER_PATH (separated
// by colons), then all files as given.
[[nodiscard]] std::vector<std::string> candidates(const library_search& search);

// Hands each candidate that opens to `connect` until it returns. Returns an empty text, or one line
// that says what was tried, why it would not do and what to install. `connect` throws rejected.
[[nodiscard]] std::string open_first(const library_search& search,
                                     const std::function<void(const shared_library&)>& connect);

}  // namespace carat::vendor
