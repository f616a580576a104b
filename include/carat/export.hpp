// What the shared library exports; everything else in it is hidden.
#pragma once

#if __cplusplus < 202002L
#error "carat needs C++20: compile with -std=c++20 or later (carat/carat.h is for C and older C++)"
#endif

// Types whose layout the compiled library depends on are in an inline namespace of this name, which
// is part of all function names: a program built with other layouts than its library's fails to
// link or load. Increment it when a layout or meaning changes, as well as the version in
// cmake/exports.map.
#define CARAT_ABI abi_2

#define CARAT_API __attribute__((visibility("default")))
