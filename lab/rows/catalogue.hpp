// All implementations in one list, made by joining the tables of the modules. Look-ups accept the
// full name or any unambiguous tail of it ("tiled", "ladder.tiled").
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lab/rows/implementation.hpp"

namespace carat::rows {

using table = std::span<const implementation* const>;

class catalogue {
  public:
    // Joins the tables in order. Throws std::logic_error when a name appears twice.
    explicit catalogue(std::initializer_list<table> tables);

    [[nodiscard]] table entries() const { return entries_; }

    // A tail that several devices share ("naive") means the one that runs on `preferred`. Throws
    // carat::error with the nearest name if `name` is unknown, and with the candidates if it is
    // ambiguous.
    [[nodiscard]] const implementation& find(std::string_view name,
                                             device preferred = device::cpu) const;

  private:
    std::vector<const implementation*> entries_;
};

}  // namespace carat::rows
