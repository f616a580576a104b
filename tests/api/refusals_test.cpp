// Bad arguments: the code, one line naming argument, values and remedy, and C to the bit as it was.
#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

struct refusal {
    const char* name;
    error_code code;
    std::vector<std::string> words;
    std::function<void(double*)> call;  // given 4096 doubles
};

constexpr auto far = std::ptrdiff_t{1} << 62;

matrix_view<double> at(double* p, std::size_t rows, std::size_t cols) {
    return {p, rows, cols};
}

std::vector<refusal> refusals() {
    using enum error_code;
    double* const null = nullptr;
    return {
        {"inner sizes",
         size_mismatch,
         {"A is 3 x 4", "B is 5 x 6"},
         [](double* p) { matrix_product(at(p, 3, 4), at(p + 100, 5, 6), at(p + 200, 3, 6)); }},
        {"rows of C",
         size_mismatch,
         {"C is 2 x 6", "3 x 6"},
         [](double* p) { matrix_product(at(p, 3, 4), at(p + 100, 4, 6), at(p + 200, 2, 6)); }},
        {"columns of C",
         size_mismatch,
         {"C is 3 x 7", "3 x 6"},
         [](double* p) { matrix_product(at(p, 3, 4), at(p + 100, 4, 6), at(p + 200, 3, 7)); }},
        {"E",
         size_mismatch,
         {"E is 3 x 1", "C is 3 x 6"},
         [](double* p) {
             matrix_product(at(p, 3, 4), at(p + 100, 4, 6), at(p + 300, 3, 1), at(p + 200, 3, 6));
         }},
        {"empty but unequal",
         size_mismatch,
         {"C is 0 x 5", "0 x 6"},
         [](double* p) { matrix_product(at(p, 0, 4), at(p, 4, 6), at(p, 0, 5)); }},
        {"null A",
         invalid_argument,
         {"A is 3 x 4", "null"},
         [=](double* p) { matrix_product(at(null, 3, 4), at(p, 4, 6), at(p + 200, 3, 6)); }},
        {"null C",
         invalid_argument,
         {"C is 3 x 6", "null"},
         [=](double* p) { matrix_product(at(p, 3, 4), at(p, 4, 6), at(null, 3, 6)); }},
        {"threads",
         invalid_argument,
         {"-1", "0 for all"},
         [](double* p) { matrix_product(cpu{-1}, at(p, 1, 1), at(p, 1, 1), at(p + 200, 1, 1)); }},
        {"C is A",
         aliasing,
         {"C overlaps A"},
         [](double* p) { matrix_product(at(p, 4, 4), at(p + 200, 4, 4), at(p, 4, 4)); }},
        {"C shares one element with B",
         aliasing,
         {"C overlaps B"},
         [](double* p) { matrix_product(at(p, 4, 4), at(p + 100, 4, 4), at(p + 115, 4, 4)); }},
        {"C shares one element with E",
         aliasing,
         {"C overlaps E"},
         [](double* p) {
             matrix_product(at(p, 4, 4), at(p + 100, 4, 4), at(p + 200, 4, 4), at(p + 215, 4, 4));
         }},
        {"C is E transposed",
         aliasing,
         {"C overlaps E"},
         [](double* p) {
             const auto c = at(p + 200, 4, 4);
             matrix_product(at(p, 4, 4), at(p + 100, 4, 4), transposed(c), c);
         }},
        {"C repeats a row",
         invalid_argument,
         {"strides 0 and 1", "one place"},
         [](double* p) {
             matrix_product(at(p, 4, 4), at(p + 100, 4, 4), matrix_view(p + 200, 4, 4, 0, 1));
         }},
        {"C overlaps itself",
         invalid_argument,
         {"strides 3 and 1"},
         [](double* p) {
             matrix_product(at(p, 4, 4), at(p + 100, 4, 4), matrix_view(p + 200, 4, 4, 3, 1));
         }},
        {"a stride past 64 bits",
         overflow,
         {"A, 3 x 4", "64-bit"},
         [](double* p) {
             matrix_product(matrix_view(p, 3, 4, far, 1), at(p + 100, 4, 6), at(p + 200, 3, 6));
         }},
        {"an extent past 63 bits",
         overflow,
         {"below 2^63"},
         [](double* p) {
             const std::size_t huge = std::size_t{1} << 63;
             matrix_product(at(p, 1, huge), at(p, huge, 1), at(p + 200, 1, 1));
         }},
    };
}

TEST(refusals, name_the_argument_and_leave_c_alone) {
    int executed = 0;
    for (const refusal& r : refusals()) {
        std::vector<double> memory(4096);
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = double(i);
        const std::vector<double> before = memory;
        try {
            r.call(memory.data());
            ADD_FAILURE() << r.name << " was accepted";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), r.code) << r.name << ": " << e.what();
            const std::string message = e.what();
            EXPECT_TRUE(message.starts_with("matrix_product: ")) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
            for (const std::string& word : r.words)
                EXPECT_NE(message.find(word), std::string::npos) << r.name << ": " << message;
        }
        EXPECT_EQ(memory, before) << r.name;
        ++executed;
    }
    EXPECT_EQ(executed, 16);
}

TEST(refusals, empty_matrices_need_no_data) {
    const matrix_view<double> none(nullptr, 0, 0);
    matrix_product(none, none, none);
    double c[4] = {1, 2, 3, 4};
    matrix_product(matrix_view<double>(nullptr, 2, 0), matrix_view<double>(nullptr, 0, 2),
                   at(c, 2, 2));
    for (const double x : c) EXPECT_EQ(x, 0);
}

TEST(refusals, an_extent_of_a_matrix_with_no_elements_may_be_anything) {
    const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
    const matrix_view<double> tall(nullptr, most, 0, far, far);
    matrix_product(tall, matrix_view<double>(nullptr, 0, 0), tall);
}

}  // namespace
