// Escapes text from others for a terminal, a table or a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace carat::files {

/// `text` without what a terminal obeys instead of showing: newlines and tabs become spaces, other
/// control characters (C0, DEL, and C1 in UTF-8) and marks that change the writing direction become
/// `\x1b` or `\u202e`.
[[nodiscard]] std::string visible(std::string_view text);

/// At most the first `most_bytes` of `text`, ending with a whole UTF-8 character.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t most_bytes);

}  // namespace carat::files
