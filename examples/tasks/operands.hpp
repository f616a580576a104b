// What the programs of this folder multiply, and how they print it: small whole numbers, so that
// all results but the layer's are exact. Only the lines between "task" and "end" are counted.
#pragma once

#include <cstddef>
#include <cstdio>
#include <vector>

inline constexpr std::size_t m = 4, n = 6, k = 5, products = 3;

// count rows x cols matrices, one after the other.
template <class T>
std::vector<T> numbers(std::size_t rows, std::size_t cols, std::size_t seed,
                       std::size_t count = 1) {
    std::vector<T> values(count * rows * cols);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(static_cast<float>((i * i * 3 + i * 7 + seed * 3) % 11) - 5);
    return values;
}

template <class T>
void print(const char* task, const T* values, std::size_t count = m * n) {
    std::printf("%s", task);
    for (std::size_t i = 0; i < count; ++i) std::printf(" %.4f", static_cast<double>(values[i]));
    std::printf("\n");
}
