// Every row on operands that touch pages nobody may read or write, before their first and after
// their last element: an access of one byte too many ends the process.
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/engine.hpp"
#include "lab/rows/cpu/table.hpp"

namespace {

using namespace carat;

// size_bytes of memory between two inaccessible pages, next to the first or the second.
class guarded {
  public:
    guarded(std::size_t size_bytes, bool at_end) {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t inner = (size_bytes + page - 1) / page * page;
        total_ = inner + 2 * page;
        memory_ = static_cast<std::byte*>(
            mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
        mprotect(memory_ + page, inner, PROT_READ | PROT_WRITE);
        data_ = memory_ + page + (at_end ? inner - size_bytes : 0);
    }
    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;
    ~guarded() { munmap(memory_, total_); }

    [[nodiscard]] std::byte* data() const { return data_; }

  private:
    std::byte* memory_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t total_ = 0;
};

// A matrix of ones.
template <class T>
class guarded_matrix {
  public:
    guarded_matrix(std::int64_t rows, std::int64_t cols, bool by_rows, bool at_end)
        : where_(by_rows ? core::row_major(cols) : core::column_major(rows)),
          count_(static_cast<std::size_t>(rows * cols)),
          memory_(count_ * sizeof(T), at_end) {
        for (std::size_t i = 0; i < count_; ++i) data()[i] = T(1);
    }
    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data()); }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] const core::layout& where() const { return where_; }

  private:
    core::layout where_;
    std::size_t count_;
    guarded memory_;
};

// C = A B + C of ones, in every layout, at both ends.
template <class T, class Sum>
int run_row(const rows::implementation& row, std::int64_t m, std::int64_t n, std::int64_t k,
            const core::settings& settings) {
    int executed = 0;
    for (int bits = 0; bits < 16; ++bits, ++executed) {
        const bool at_end = (bits & 8) != 0;
        const guarded_matrix<T> a(m, k, (bits & 1) != 0, at_end);
        const guarded_matrix<T> b(k, n, (bits & 2) != 0, at_end);
        const guarded_matrix<Sum> c(m, n, (bits & 4) != 0, at_end);
        const auto type = dtype_of_v<T>;
        const core::problem p = {type,      type,      dtype_of_v<Sum>, m, n, k,
                                 a.where(), b.where(), c.where(),       1, 1};
        row.prepare(p, settings)->run({a.data(), b.data(), c.data()});
        for (std::size_t i = 0; i < c.count(); ++i)
            if (double(c.data()[i]) != double(k + 1)) return -1000;
    }
    return executed;
}

template <class T>
class guard : public testing::Test {};
using element_types =
    testing::Types<double, float, std::int32_t, f16, bf16, std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(guard, element_types);

TYPED_TEST(guard, no_access_outside_the_operands) {
    using sum = std::conditional_t<is_byte_integer(dtype_of_v<TypeParam>), std::int32_t, TypeParam>;
    const core::settings usual;
    const core::settings blocks{1, {{"mc", 48}, {"nc", 16}, {"kc", 12}}};
    int executed = 0;
    int rows = 0;
    for (const rows::implementation* row : rows::cpu::table()) {
        if (row->unavailable != nullptr && !row->unavailable().empty()) continue;
        ++rows;
        for (const std::int64_t m : {1, 7, 23, 25, 49})
            for (const std::int64_t n : {1, 5, 9, 47})
                for (const core::settings& s : {usual, blocks})
                    executed += run_row<TypeParam, sum>(*row, m, n, 13, s);
    }
    EXPECT_EQ(executed, rows * 5 * 4 * 2 * 16);
}

}  // namespace
