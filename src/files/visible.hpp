// Escapes text from others for a terminal, a table or a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace carat::files {

/// `text` without what a terminal obeys instead of showing: breaks of lines and tabs become spaces,
/// other control characters (C0, DEL, and C1 in UTF-8) and marks that turn the direction of
/// writing become `\x1b` or `\u202e`.
[[nodiscard]] std::string visible(std::string_view text);

/// At most `most_bytes` of the beginning of `text`, which end with a whole character of UTF-8.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t most_bytes);

}  // namespace carat::files
