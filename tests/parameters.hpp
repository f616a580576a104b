// Parameters of tests as text: what gtest prints, and names of tests, in which it takes letters,
// digits and '_' alone.
#pragma once

#include <cctype>
#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "core/isa.hpp"
#include "lab/rows/implementation.hpp"

namespace carat::core {

inline void PrintTo(const signature& types, std::ostream* out) {
    *out << name(types.a) << " " << name(types.b) << " " << name(types.c);
    if (!types.computes_in.empty()) *out << " in " << types.computes_in;
}

inline void PrintTo(isa level, std::ostream* out) {
    *out << name(level);
}

}  // namespace carat::core

namespace carat::rows {

// gtest would print its address.
inline void PrintTo(const implementation* entry, std::ostream* out) {
    *out << entry->name;
}

}  // namespace carat::rows

namespace carat::test {

inline std::string test_name(std::string text) {
    for (char& letter : text)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
    return text;
}

// Names a test as its parameter is printed; parameters that print alike need other names.
inline constexpr auto as_printed = [](const auto& of) {
    return test_name(testing::PrintToString(of.param));
};

}  // namespace carat::test
