// What must not influence a product (the addresses of operands, the distance of their lines) and
// what a product must not change (the control word of the floating-point unit). For every row of
// the table.
#include <gtest/gtest.h>
#include <limits>
#include <sys/mman.h>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "tests/cpu/rows.hpp"
#include "tests/support/guarded_matrix.hpp"
#include "tests/support/oracle.hpp"

namespace {

using namespace carat;

struct shape {
    std::int64_t m, n, k;
};

// Paths direct, skinny by columns and by lines, and blocked.
constexpr shape shapes[] = {
    {37, 43, 41}, {1, 300, 90}, {300, 1, 90}, {400, 5, 160}, {130, 129, 300}};

// Values that cost roundings, so that another order of sums has other bits.
const workload::distribution values = workload::uniform(-9, 9);

int compare_offsets(const rows::implementation& row, const core::signature& types, const shape& s,
                    int threads) {
    core::problem p = test::problem_of(types.a, types.b, types.c, s.m, s.n, s.k);
    p.beta = 1;
    const auto made = row.prepare(p, {threads, {}});
    const auto placed = [](std::int64_t offset) {
        return test::placement{test::flush::front, offset};
    };
    std::vector<std::byte> expected;
    int executed = 0;
    for (const std::int64_t offset : {0, 1, 3, 7, 8, 13, 31}) {
        test::guarded_matrix a(p.a_type, p.m, p.k, p.a_layout, placed(offset));
        test::guarded_matrix b(p.b_type, p.k, p.n, p.b_layout, placed(offset * 5 % 32));
        test::guarded_matrix c(p.c_type, p.m, p.n, p.c_layout, placed(offset * 3 % 32));
        a.fill(values, 1, workload::operand::a);
        b.fill(values, 1, workload::operand::b);
        c.fill(values, 1, workload::operand::c);
        made->run({a.data(), b.data(), c.data()});
        const std::vector<std::byte> found(
            c.data(), c.data() + p.m * p.n * std::int64_t(size_bytes(types.c)));
        if (offset == 0) expected = found;
        EXPECT_EQ(found, expected) << row.name << " " << core::describe(p) << " at " << offset;
        ++executed;
    }
    return executed;
}

TEST(surroundings, bits_do_not_depend_on_where_operands_begin) {
    constexpr std::pair<dtype, dtype> every[] = {{dtype::f64, dtype::f64},
                                                 {dtype::f32, dtype::f32},
                                                 {dtype::f16, dtype::f32},
                                                 {dtype::bf16, dtype::f32},
                                                 {dtype::bf16, dtype::bf16}};
    int executed = 0;
    int wanted = 0;
    for (const rows::implementation* row : test::available_rows())
        for (const shape& s : shapes)
            for (const int threads : {1, 2})
                for (const auto& [in, out] : every)
                    if (const auto* types = test::signature_of(*row, in, in, out)) {
                        executed += compare_offsets(*row, *types, s, threads);
                        wanted += 7;
                    }
    EXPECT_EQ(executed, wanted);
    EXPECT_GE(executed, 2 * 5 * 2 * 5 * 7);
}

// Small multiples of the smallest subnormal, and whole numbers: every product and sum is such a
// multiple, so the result is exact unless subnormals count as zero.
template <class T>
int multiply_subnormals(const rows::implementation& row, const shape& s) {
    const double least = static_cast<double>(std::numeric_limits<T>::denorm_min());
    std::vector<T> a(static_cast<std::size_t>(s.m * s.k));
    std::vector<T> b(static_cast<std::size_t>(s.k * s.n));
    std::vector<T> c(static_cast<std::size_t>(s.m * s.n), T(7));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(least * static_cast<double>(1 + i % 3));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(static_cast<double>(i % 2 + 1));
    const core::problem p = core::row_major_problem(dtype_of_v<T>, s.m, s.n, s.k);
    row.prepare(p, core::settings{1, {}})->run({a.data(), b.data(), c.data()});
    EXPECT_EQ(test::beyond_bound(p, {a.data(), b.data(), c.data()}, c.data()), "") << row.name;
    return 1;
}

// bf16 tiles treat subnormals as zeros, which the public call documents.
TEST(surroundings, subnormal_numbers_are_numbers) {
    int executed = 0;
    for (const rows::implementation* row : test::available_rows())
        for (const shape& s : shapes) {
            if (test::signature_of(*row, dtype::f64, dtype::f64, dtype::f64) != nullptr)
                executed += multiply_subnormals<double>(*row, s);
            if (test::signature_of(*row, dtype::f32, dtype::f32, dtype::f32) != nullptr)
                executed += multiply_subnormals<float>(*row, s);
        }
    EXPECT_GE(executed, 2 * 2 * 5);
}

#if defined(__x86_64__)
// Flags of what happened may be raised; how the unit works is the caller's.
TEST(surroundings, the_control_word_stays) {
    constexpr unsigned flags = 0x3f;
    constexpr unsigned usual = 0x1f80;
    int executed = 0;
    for (const rows::implementation* row : test::available_rows())
        for (const shape& s : shapes)
            for (const core::signature& types : row->signatures)
                for (const unsigned word : {usual, usual | 0x8040, usual | 0x2000}) {
                    const core::problem p =
                        test::problem_of(types.a, types.b, types.c, s.m, s.n, s.k);
                    const std::vector<double> a(static_cast<std::size_t>(s.m * s.k));
                    const std::vector<double> b(static_cast<std::size_t>(s.k * s.n));
                    std::vector<double> c(static_cast<std::size_t>(s.m * s.n));
                    const auto made = row->prepare(p, {2, {}});
                    _mm_setcsr(word);
                    made->run({a.data(), b.data(), c.data()});
                    const unsigned after = _mm_getcsr() & ~flags;
                    _mm_setcsr(usual);
                    EXPECT_EQ(after, word) << row->name << " " << core::describe(p);
                    ++executed;
                }
    EXPECT_GE(executed, 2 * 9 * 5 * 3);
}
#endif

// Memory of which only touched pages exist.
class sparse {
  public:
    explicit sparse(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
        memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    sparse(const sparse&) = delete;
    sparse& operator=(const sparse&) = delete;
    ~sparse() {
        if (there()) munmap(memory_, bytes_);
    }
    [[nodiscard]] bool there() const { return memory_ != MAP_FAILED; }
    [[nodiscard]] void* data() const { return memory_; }

  private:
    std::size_t bytes_;
    void* memory_;
};

// Lines further apart than 32 bits can say, in elements.
constexpr std::int64_t far = (std::int64_t{1} << 31) + 24;

enum class lines { rows, columns };

core::layout far_apart(lines which) {
    return which == lines::rows ? core::layout{far, 1} : core::layout{1, far};
}

std::int64_t bytes_of(dtype type, lines which, std::int64_t rows, std::int64_t cols) {
    return core::extent_elements(rows, cols, far_apart(which)) *
           static_cast<std::int64_t>(size_bytes(type));
}

// 1 if it ran, 0 if the system gives no such memory.
int multiply_far_apart(const rows::implementation& row, const core::signature& types,
                       const shape& s, lines of_a, lines of_b, lines of_c,
                       const core::settings& how) {
    const sparse a(bytes_of(types.a, of_a, s.m, s.k));
    const sparse b(bytes_of(types.b, of_b, s.k, s.n));
    const sparse c(bytes_of(types.c, of_c, s.m, s.n));
    if (!a.there() || !b.there() || !c.there()) return 0;
    const core::problem p = {types.a,         types.b,         types.c,         s.m, s.n, s.k,
                             far_apart(of_a), far_apart(of_b), far_apart(of_c), 1,   0};
    const auto small = workload::integers(-2, 2);
    workload::fill(a.data(), p.a_type, p.m, p.k, p.a_layout, small, 1, workload::operand::a, 1);
    workload::fill(b.data(), p.b_type, p.k, p.n, p.b_layout, small, 1, workload::operand::b, 1);
    row.prepare(p, how)->run({a.data(), b.data(), c.data()});
    EXPECT_EQ(test::beyond_bound(p, {a.data(), b.data(), c.data()}, c.data()), "") << row.name;
    return 1;
}

TEST(surroundings, lines_may_be_further_apart_than_32_bits_say) {
    constexpr std::pair<dtype, dtype> every[] = {{dtype::f64, dtype::f64},
                                                 {dtype::f32, dtype::f32},
                                                 {dtype::f16, dtype::f32},
                                                 {dtype::i8, dtype::i32}};
    int executed = 0;
    int wanted = 0;
    for (const rows::implementation* row : test::available_rows())
        for (const shape& s : {shape{6, 5, 7}, {1, 6, 9}, {6, 1, 9}, {9, 7, 8}})
            for (int bits = 0; bits < 8; ++bits)
                for (const bool blocks : {false, true}) {
                    const auto of = [&](int bit) {
                        return (bits & bit) != 0 ? lines::rows : lines::columns;
                    };
                    core::settings how{2, {}};
                    if (blocks) how.tunables = {{"mc", 4}, {"nc", 4}, {"kc", 3}};
                    for (const auto& [in, out] : every)
                        if (const auto* types = test::signature_of(*row, in, in, out)) {
                            executed +=
                                multiply_far_apart(*row, *types, s, of(1), of(2), of(4), how);
                            ++wanted;
                        }
                }
    if (executed == 0) GTEST_SKIP() << "NOT TESTED: this system gives no sparse memory of 128 GiB";
    EXPECT_EQ(executed, wanted);
}

}  // namespace
