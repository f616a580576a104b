// How old the libraries are that are measured against: a peer of years ago is easily beaten.
#pragma once

#include <string>
#include <string_view>

#include "lab/results/document.hpp"

namespace carat::report {

// The month, "2022-08", by which that version was out; empty where it is newer than all that are
// known here.
[[nodiscard]] std::string released(std::string_view library, std::string_view version);

// The same where that was more than two years before `date` ("2026-11-24..."), else empty.
[[nodiscard]] std::string old_release(std::string_view library, std::string_view version,
                                      std::string_view date);

// The age of a result's library at the document's date; empty if it is no vendor's.
[[nodiscard]] std::string old_release(const results::result& of, std::string_view date);

// What stands behind a name in a table: " (of 2022)", or nothing.
[[nodiscard]] std::string age_mark(std::string_view month);

// "OpenBLAS 0.3.21 was out by 2022-08".
[[nodiscard]] std::string age_of(std::string_view library, std::string_view version,
                                 std::string_view month);

// The same, "..., more than two years before: newer ones may be faster".
[[nodiscard]] std::string age_note(std::string_view library, std::string_view version,
                                   std::string_view month);

}  // namespace carat::report
