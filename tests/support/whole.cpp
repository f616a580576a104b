#include "tests/support/whole.hpp"

#include <array>
#include <map>
#include <mutex>

namespace carat::test {

const sums& whole_sums(std::size_t m, std::size_t n, std::size_t k) {
    static std::mutex alone;
    static std::map<std::array<std::size_t, 3>, sums> known;
    const std::scoped_lock lock(alone);
    const std::array<std::size_t, 3> size = {m, n, k};
    if (const auto at = known.find(size); at != known.end()) return at->second;
    const auto filled = [](std::size_t rows, std::size_t cols, unsigned operand) {
        matrix<float> made(rows, cols);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j)
                made(i, j) = static_cast<float>(whole(operand, i, j));
        return made;
    };
    return known.emplace(size, sums(filled(m, k, 'a'), filled(k, n, 'b'))).first->second;
}

}  // namespace carat::test
