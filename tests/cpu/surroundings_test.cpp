// What must not influence a product (the addresses of operands, the distance of their lines) and
// what a product must not change (the control word of the floating-point unit). For every row of
// the table.
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sys/mman.h>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "cpu/engine.hpp"
#include "lab/rows/cpu/table.hpp"

namespace {

using namespace carat;

std::vector<const rows::implementation*> available_rows() {
    std::vector<const rows::implementation*> rows;
    for (const rows::implementation* row : rows::cpu::table()) {
        const std::string why = row->unavailable == nullptr ? "" : row->unavailable();
        if (why.empty())
            rows.push_back(row);
        else
            std::printf("NOT TESTED: %s: %s\n", std::string(row->name).c_str(), why.c_str());
    }
    return rows;
}

bool offers(const rows::implementation& row, dtype a, dtype c) {
    for (const core::signature& types : row.signatures)
        if (types.a == a && types.c == c) return true;
    return false;
}

struct shape {
    std::int64_t m, n, k;
};

// Paths direct, skinny by columns and by lines, and blocked.
constexpr shape shapes[] = {
    {37, 43, 41}, {1, 300, 90}, {300, 1, 90}, {400, 5, 160}, {130, 129, 300}};

// Values that cost roundings, so that another order of sums has other bits.
template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-9, 9);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& x : values) x = T(uniform(engine));
    return values;
}

// `values` from the given element after a cache line on.
template <class T>
class placed {
  public:
    placed(const std::vector<T>& values, std::int64_t offset)
        : bytes_((values.size() + 64) * sizeof(T) + 64) {
        auto at = reinterpret_cast<std::uintptr_t>(bytes_.data());
        at = (at + 63) / 64 * 64 + static_cast<std::uintptr_t>(offset) * sizeof(T);
        first_ = reinterpret_cast<T*>(at);
        std::memcpy(first_, values.data(), values.size() * sizeof(T));
    }
    [[nodiscard]] T* data() const { return first_; }

  private:
    std::vector<std::byte> bytes_;
    T* first_;
};

template <class In, class Out>
int compare_offsets(const rows::implementation& row, const shape& s, int threads) {
    const auto a = random_values<In>(s.m * s.k, 1);
    const auto b = random_values<In>(s.k * s.n, 2);
    const auto c = random_values<Out>(s.m * s.n, 3);
    core::problem p = core::row_major_problem(dtype_of_v<In>, s.m, s.n, s.k);
    p.c_type = dtype_of_v<Out>;
    p.beta = 1;
    const auto made = row.prepare(p, {threads, {}});
    std::vector<Out> expected;
    int executed = 0;
    for (const std::int64_t offset : {0, 1, 3, 7, 8, 13, 31}) {
        const placed<In> at_a(a, offset);
        const placed<In> at_b(b, (offset * 5) % 32);
        const placed<Out> at_c(c, (offset * 3) % 32);
        made->run({at_a.data(), at_b.data(), at_c.data()});
        const std::vector<Out> found(at_c.data(), at_c.data() + c.size());
        if (offset == 0) expected = found;
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), c.size() * sizeof(Out)), 0)
            << row.name << " " << core::describe(p) << " at " << offset;
        ++executed;
    }
    return executed;
}

TEST(surroundings, bits_do_not_depend_on_where_operands_begin) {
    int executed = 0;
    int wanted = 0;
    for (const rows::implementation* row : available_rows())
        for (const shape& s : shapes)
            for (const int threads : {1, 2}) {
                const auto with = [&]<class In, class Out>() {
                    if (!offers(*row, dtype_of_v<In>, dtype_of_v<Out>)) return;
                    executed += compare_offsets<In, Out>(*row, s, threads);
                    wanted += 7;
                };
                with.template operator()<double, double>();
                with.template operator()<float, float>();
                with.template operator()<f16, float>();
                with.template operator()<bf16, float>();
                with.template operator()<bf16, bf16>();
            }
    EXPECT_EQ(executed, wanted);
    EXPECT_GE(executed, 2 * 5 * 2 * 5 * 7);
}

// Small multiples of the smallest subnormal, and whole numbers: every product and sum is such a
// multiple, so the result is exact unless subnormals count as zero.
template <class In, class Out>
int multiply_subnormals(const rows::implementation& row, const shape& s) {
    const double least = static_cast<double>(std::numeric_limits<Out>::denorm_min());
    std::vector<In> a(static_cast<std::size_t>(s.m * s.k));
    std::vector<In> b(static_cast<std::size_t>(s.k * s.n));
    std::vector<Out> c(static_cast<std::size_t>(s.m * s.n), Out(7));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = In(least * static_cast<double>(1 + i % 3));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = In(static_cast<double>(i % 2 + 1));
    const core::problem p = core::row_major_problem(dtype_of_v<In>, s.m, s.n, s.k);
    row.prepare(p, core::settings{1, {}})->run({a.data(), b.data(), c.data()});
    int wrong = 0;
    for (std::int64_t i = 0; i < s.m; ++i)
        for (std::int64_t j = 0; j < s.n; ++j) {
            std::int64_t sum = 0;
            for (std::int64_t q = 0; q < s.k; ++q)
                sum += (1 + (i * s.k + q) % 3) * ((q * s.n + j) % 2 + 1);
            wrong +=
                double(c[static_cast<std::size_t>(i * s.n + j)]) == least * static_cast<double>(sum)
                    ? 0
                    : 1;
        }
    EXPECT_EQ(wrong, 0) << row.name << " " << core::describe(p);
    return 1;
}

// bf16 tiles treat subnormals as zeros, which the public call documents.
TEST(surroundings, subnormal_numbers_are_numbers) {
    int executed = 0;
    for (const rows::implementation* row : available_rows())
        for (const shape& s : shapes) {
            if (offers(*row, dtype::f64, dtype::f64))
                executed += multiply_subnormals<double, double>(*row, s);
            if (offers(*row, dtype::f32, dtype::f32))
                executed += multiply_subnormals<float, float>(*row, s);
        }
    EXPECT_GE(executed, 2 * 2 * 5);
}

#if defined(__x86_64__)
// Flags of what happened may be raised; how the unit works is the caller's.
TEST(surroundings, the_control_word_stays) {
    constexpr unsigned flags = 0x3f;
    constexpr unsigned usual = 0x1f80;
    int executed = 0;
    for (const rows::implementation* row : available_rows())
        for (const shape& s : shapes)
            for (const core::signature& types : row->signatures)
                for (const unsigned word : {usual, usual | 0x8040, usual | 0x2000}) {
                    core::problem p = core::row_major_problem(types.a, s.m, s.n, s.k);
                    p.b_type = types.b;
                    p.c_type = types.c;
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

template <class T>
T& element(const sparse& memory, lines which, std::int64_t i, std::int64_t j) {
    const core::layout where = far_apart(which);
    return static_cast<T*>(memory.data())[i * where.row_stride + j * where.col_stride];
}

template <class T>
std::int64_t bytes_of(lines which, std::int64_t rows, std::int64_t cols) {
    return core::extent_elements(rows, cols, far_apart(which)) * std::int64_t{sizeof(T)};
}

// 1 if it ran, 0 if the system gives no such memory.
template <class In, class Out>
int multiply_far_apart(const rows::implementation& row, const shape& s, lines of_a, lines of_b,
                       lines of_c, const core::settings& how) {
    const sparse a(bytes_of<In>(of_a, s.m, s.k));
    const sparse b(bytes_of<In>(of_b, s.k, s.n));
    const sparse c(bytes_of<Out>(of_c, s.m, s.n));
    if (!a.there() || !b.there() || !c.there()) return 0;
    for (std::int64_t q = 0; q < s.k; ++q) {
        for (std::int64_t i = 0; i < s.m; ++i)
            element<In>(a, of_a, i, q) = In(static_cast<double>((i + 2 * q) % 5));
        for (std::int64_t j = 0; j < s.n; ++j)
            element<In>(b, of_b, q, j) = In(static_cast<double>((3 * q + j) % 4));
    }
    const core::problem p = {dtype_of_v<In>,  dtype_of_v<In>,  dtype_of_v<Out>, s.m, s.n, s.k,
                             far_apart(of_a), far_apart(of_b), far_apart(of_c), 1,   0};
    row.prepare(p, how)->run({a.data(), b.data(), c.data()});
    int wrong = 0;
    for (std::int64_t i = 0; i < s.m; ++i)
        for (std::int64_t j = 0; j < s.n; ++j) {
            std::int64_t sum = 0;
            for (std::int64_t q = 0; q < s.k; ++q) sum += (i + 2 * q) % 5 * ((3 * q + j) % 4);
            wrong += double(element<Out>(c, of_c, i, j)) == static_cast<double>(sum) ? 0 : 1;
        }
    EXPECT_EQ(wrong, 0) << row.name << " " << core::describe(p);
    return 1;
}

TEST(surroundings, lines_may_be_further_apart_than_32_bits_say) {
    int executed = 0;
    int wanted = 0;
    for (const rows::implementation* row : available_rows())
        for (const shape& s : {shape{6, 5, 7}, {1, 6, 9}, {6, 1, 9}, {9, 7, 8}})
            for (int bits = 0; bits < 8; ++bits)
                for (const bool blocks : {false, true}) {
                    const auto of = [&](int bit) {
                        return (bits & bit) != 0 ? lines::rows : lines::columns;
                    };
                    core::settings how{2, {}};
                    if (blocks) how.tunables = {{"mc", 4}, {"nc", 4}, {"kc", 3}};
                    const auto with = [&]<class In, class Out>() {
                        if (!offers(*row, dtype_of_v<In>, dtype_of_v<Out>)) return;
                        executed += multiply_far_apart<In, Out>(*row, s, of(1), of(2), of(4), how);
                        ++wanted;
                    };
                    with.template operator()<double, double>();
                    with.template operator()<float, float>();
                    with.template operator()<f16, float>();
                    with.template operator()<std::int8_t, std::int32_t>();
                }
    if (executed == 0) GTEST_SKIP() << "NOT TESTED: this system gives no sparse memory of 128 GiB";
    EXPECT_EQ(executed, wanted);
}

}  // namespace
