#include "files/tree.hpp"

#include <carat/error.hpp>

#include "files/read.hpp"
#include "files/visible.hpp"

namespace carat::files {

namespace {

constexpr unsigned first_surrogate = 0xD800, first_low_surrogate = 0xDC00,
                   after_surrogates = 0xE000;

void append_utf8(std::string& to, unsigned code) {
    const auto byte = [&](unsigned bits) { to += static_cast<char>(bits); };
    const auto rest = [&](unsigned shift) { byte(0x80U | ((code >> shift) & 0x3FU)); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
        byte(0xC0U | code >> 6U);
    } else if (code < 0x10000) {
        byte(0xE0U | code >> 12U);
        rest(6);
    } else {
        byte(0xF0U | code >> 18U);
        rest(12);
        rest(6);
    }
    rest(0);
}

// A recursive-descent parser. Every function starts at the first character of what it reads and
// ends behind it.
class parser {
  public:
    parser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

    tree whole() {
        tree value = any(0);
        skip_spaces();
        if (!rest_.empty()) fail();
        return value;
    }

  private:
    [[noreturn]] void fail() const { fail_for_syntax(name_); }

    void skip_spaces() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
    }
    // Skips spaces; if the next character is `c`, skips it and returns true.
    bool take(char c) {
        skip_spaces();
        const bool found = rest_.starts_with(c);
        if (found) rest_.remove_prefix(1);
        return found;
    }
    void require(char c) {
        if (!take(c)) fail();
    }
    char next() {
        if (rest_.empty()) fail();
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    tree any(int level) {
        if (take('{')) return object(level + 1);
        if (take('[')) return list(level + 1);
        if (take('"')) return {tree::kind::text, quoted(), {}, {}};
        for (const std::string_view word : {"null", "true", "false"})
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return {tree::kind::word, std::string(word), {}, {}};
            }
        return number();
    }

    tree list(int level) {
        if (level > most_levels) fail_for_depth(name_);
        tree found{tree::kind::list, {}, {}, {}};
        if (take(']')) return found;
        do found.elements.push_back(any(level));
        while (take(','));
        require(']');
        return found;
    }

    tree object(int level) {
        if (level > most_levels) fail_for_depth(name_);
        tree found{tree::kind::object, {}, {}, {}};
        if (take('}')) return found;
        do {
            require('"');
            found.names.push_back(quoted());
            require(':');
            found.elements.push_back(any(level));
        } while (take(','));
        require('}');
        return found;
    }

    // Reads a string after its first quotation mark.
    std::string quoted() {
        std::string text;
        for (char c = next(); c != '"'; c = next()) {
            if (static_cast<unsigned char>(c) < 0x20) fail();
            if (c == '\\') {
                escaped(text);
            } else {
                text += c;
            }
        }
        return text;
    }

    void escaped(std::string& text) {
        constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        const char c = next();
        if (c == 'u') return append_utf8(text, code());
        const std::size_t at = letters.find(c);
        if (at == std::string_view::npos) fail();
        text += meant[at];
    }

    // Reads one character, which may be written as a surrogate pair.
    unsigned code() {
        const unsigned first = four_digits();
        if (first < first_surrogate || first >= after_surrogates) return first;
        if (first >= first_low_surrogate || next() != '\\' || next() != 'u') fail();
        const unsigned second = four_digits();
        if (second < first_low_surrogate || second >= after_surrogates) fail();
        return 0x10000U + ((first - first_surrogate) << 10U) + (second - first_low_surrogate);
    }
    unsigned four_digits() {
        const std::string_view digits = rest_.substr(0, 4);
        unsigned value = 0;
        const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (digits.size() < 4 || end.ptr != digits.data() + 4) fail();
        rest_.remove_prefix(4);
        return value;
    }

    tree number() {
        const std::string_view start = rest_;
        if (rest_.starts_with('-')) rest_.remove_prefix(1);
        if (!rest_.starts_with('0')) {
            digits();
        } else {
            rest_.remove_prefix(1);
        }
        if (rest_.starts_with('.')) {
            rest_.remove_prefix(1);
            digits();
        }
        if (rest_.starts_with('e') || rest_.starts_with('E')) {
            rest_.remove_prefix(1);
            if (rest_.starts_with('-') || rest_.starts_with('+')) rest_.remove_prefix(1);
            digits();
        }
        return {
            tree::kind::number, std::string(start.substr(0, start.size() - rest_.size())), {}, {}};
    }
    void digits() {
        const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        if (count == 0) fail();
        rest_.remove_prefix(count);
    }

    std::string_view rest_;
    const std::string& name_;
};

}  // namespace

tree parse_tree(std::string_view text, const std::string& name) {
    return parser(text, name).whole();
}

std::string to_text(const tree& value) {
    if (value.what == tree::kind::text) return '"' + value.text + '"';
    if (!value.is_array() && !value.is_object()) return value.text;
    std::string text(1, value.is_array() ? '[' : '{');
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
        if (i > 0) text += ',';
        if (value.is_object()) text += '"' + value.names[i] + "\":";
        text += to_text(value.elements[i]);
    }
    return text + (value.is_array() ? ']' : '}');
}

std::string mismatch(const std::string& value, const std::string& type) {
    constexpr std::size_t most_bytes = 40;
    const std::string_view shown = beginning(value, most_bytes);
    return "is " + std::string(shown) + (shown.size() < value.size() ? "..." : "") + ", expected " +
           type;
}

void fail_for_field(const std::string& message) {
    throw error(error_code::invalid_argument, visible(message));
}

}  // namespace carat::files
