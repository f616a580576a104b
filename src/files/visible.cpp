#include "files/visible.hpp"

#include <algorithm>
#include <cstdio>

namespace carat::files {

namespace {

struct character {
    unsigned code = 0;
    std::size_t bytes = 1;
};

// Finds ASCII characters, Latin-1 controls, U+061C, and three bytes that begin like those of
// U+2000; nothing else must be escaped.
character first_of(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xC0) return {byte(1), 2};
    if (byte(0) == 0xD8 && byte(1) == 0x9C) return {0x061C, 2};
    if (byte(0) == 0xE2 && (byte(1) == 0x80 || byte(1) == 0x81) && byte(2) >= 0x80)
        return {0x2000U + ((byte(1) & 1U) << 6U) + (byte(2) & 0x3FU), 3};
    return {byte(0), 1};
}

bool breaks(unsigned code) {
    return code == '\n' || code == '\r' || code == '\t' || code == 0x2028 || code == 0x2029;
}

bool obeyed(const character& c) {
    const bool turns = c.code == 0x061C || (c.code >= 0x200E && c.code <= 0x200F) ||
                       (c.code >= 0x202A && c.code <= 0x202E) ||
                       (c.code >= 0x2066 && c.code <= 0x2069);
    const bool c1 = c.bytes == 2 && c.code < 0xA0;
    return c.code < 0x20 || c.code == 0x7F || c1 || turns;
}

}  // namespace

std::string visible(std::string_view text) {
    const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
    if (std::ranges::all_of(text, is_plain)) return std::string(text);  // nearly always
    std::string shown;
    while (!text.empty()) {
        const character c = first_of(text);
        if (breaks(c.code)) {
            shown += ' ';
        } else if (obeyed(c)) {
            char escape[8];
            std::snprintf(escape, sizeof escape, c.bytes == 1 ? "\\x%02x" : "\\u%04x", c.code);
            shown += escape;
        } else {
            shown += text.substr(0, c.bytes);
        }
        text.remove_prefix(c.bytes);
    }
    return shown;
}

std::string_view beginning(std::string_view text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) return text;
    const auto continues = [&](std::size_t i) {
        return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    };
    std::size_t end = most_bytes;
    while (end > 0 && continues(end)) --end;
    return text.substr(0, end);
}

}  // namespace carat::files
