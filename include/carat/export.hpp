// What the shared library offers to programs; everything else in it is hidden.
#pragma once

#if __cplusplus < 202002L
#error "carat needs C++20: compile with -std=c++20 or later (carat/carat.h is for C and older C++)"
#endif

// What crosses into the compiled library by its layout lies in an inline namespace of this name,
// and so is part of the names of all functions: a program built with other layouts than its
// library's is refused when it is linked or loaded. A change of layout or meaning there counts this
// up, and the version in cmake/exports.map.
#define CARAT_ABI abi_2

#define CARAT_API __attribute__((visibility("default")))
