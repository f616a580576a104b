// The search for a library that isn't there, isn't what it says or has been told nonsense.
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/common/kernel_note.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor::test {

namespace {

constexpr std::array<std::string_view, 1> no_files = {"libcarat-no-such-library.so.7"};
constexpr std::array<std::string_view, 2> wrong_files = {"libcarat-no-such-library.so.7",
                                                         "libm.so.6"};

void accept(const shared_library&, blas_library&) {}

constexpr blas_vendor absent = {{"Nosuch", no_files, "apt install nosuch"}, accept};
constexpr blas_vendor impostor = {{"Nosuch", wrong_files, "apt install nosuch"}, accept};

// Sets an environment variable for the length of a test.
class environment {
  public:
    environment(const char* name, const char* value) : name_(name) {
        const char* former = std::getenv(name);
        if (former != nullptr) former_ = former;
        was_set_ = former != nullptr;
        setenv(name, value, 1);
    }
    ~environment() {
        if (was_set_) setenv(name_, former_.c_str(), 1);
        if (!was_set_) unsetenv(name_);
    }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

  private:
    const char* name_;
    std::string former_;
    bool was_set_ = false;
};

TEST(search, absent_library_names_what_was_tried_and_the_remedy) {
    const rows::implementation row = blas_row<absent>("vendor.absent", "");
    const std::string why = row.unavailable();
    EXPECT_NE(why.find("no Nosuch to use: tried libcarat-no-such-library.so.7"), std::string::npos)
        << why;
    EXPECT_TRUE(why.ends_with("remedy: apt install nosuch")) << why;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    const core::problem p = core::row_major_problem(dtype::f64, 2, 2, 2);
    EXPECT_EQ(rows::reason_against(row, p, {}), why);
}

TEST(search, a_file_that_will_not_do_says_why) {
    const std::string why = blas_row<impostor>("vendor.impostor", "").unavailable();
    EXPECT_NE(why.find("; libm.so.6: exports no dgemm_"), std::string::npos) << why;
}

TEST(search, a_file_that_needs_another_says_which) {
    static constexpr std::array<std::string_view, 1> files = {CARAT_TEST_INCOMPLETE};
    const std::string why =
        open_first({"Nosuch", files, "apt install nosuch"}, [](const shared_library&) {});
    EXPECT_NE(why.find("; " CARAT_TEST_INCOMPLETE ": libcarat_test_needed.so: "), std::string::npos)
        << why;
}

TEST(search, libraries_of_64_bit_integers_will_not_do) {
    const environment peers("CARAT_PEER_PATH", CARAT_TEST_WIDE_INTEGERS);
    for (const rows::implementation* row : {&openblas_row, &blis_row}) {
        const std::string why = row->unavailable();
        if (why.empty())
            EXPECT_EQ(row->library().path.find("wide_integers"), std::string::npos) << row->name;
        else
            EXPECT_NE(why.find("takes 64-bit integers"), std::string::npos) << why;
    }
}

TEST(search, a_prefix_before_all_names_is_seen_through) {
    static constexpr std::array<std::string_view, 1> files = {CARAT_TEST_PREFIXED};
    const auto answer = [](std::string_view prefix) {
        int told = 0;
        const std::string why = open_first({"X", files, "", prefix}, [&](const auto& file) {
            told = file.template required<int()>("answer")();
        });
        return why.empty() ? told : -1;
    };
    EXPECT_EQ(answer("scipy_"), 42);
    EXPECT_EQ(answer(""), -1);
}

// The newest OpenBLAS, where ./dev peers has brought it.
TEST(search, the_wheel_of_openblas_is_taken_before_the_system_s) {
    const char* peers = std::getenv("CARAT_PEER_PATH");
    if (peers == nullptr || openblas_row.unavailable() != "" ||
        openblas_row.library().path.find("scipy") == std::string::npos)
        GTEST_SKIP()
            << "NOT TESTED: no wheel of OpenBLAS in CARAT_PEER_PATH; ./dev peers fetches it";
    EXPECT_TRUE(openblas_row.library().version.starts_with("0.3."))
        << openblas_row.library().version;
}

TEST(search, peer_path_comes_first_and_holds_sonames_only) {
    static constexpr std::array<std::string_view, 2> files = {"/opt/x/libx.so.1", "libx.so.1"};
    const environment peers("CARAT_PEER_PATH", "/one::/two");
    const std::vector<std::string> expected = {"/one/libx.so.1", "/two/libx.so.1",
                                               "/opt/x/libx.so.1", "libx.so.1"};
    EXPECT_EQ(candidates({"X", files, ""}), expected);
}

TEST(kernel_note, is_silent_for_the_best_and_warns_below_it) {
    EXPECT_EQ(kernel_note(core::best_isa(), "CARAT_NO_SUCH_OVERRIDE", "best"), "");
    if (core::best_isa() == core::isa::baseline) GTEST_SKIP() << "no level lies below this one";
    const std::string note = kernel_note(core::isa::baseline, "CARAT_NO_SUCH_OVERRIDE", "best");
    EXPECT_NE(note.find("its kernel is baseline code"), std::string::npos) << note;
    EXPECT_TRUE(note.ends_with("; try CARAT_NO_SUCH_OVERRIDE=best")) << note;
}

TEST(kernel_note, refuses_an_override_that_the_machine_can_not_run) {
    const environment set("CARAT_NO_SUCH_OVERRIDE", "SkylakeX");
    std::string why;
    try {
        (void)kernel_note(core::isa::avx512, "CARAT_NO_SUCH_OVERRIDE", "best", core::isa::avx2);
    } catch (const rejected& refusal) {
        why = refusal.what();
    }
    EXPECT_EQ(why,
              "CARAT_NO_SUCH_OVERRIDE=SkylakeX asks for avx512 code, and this machine has avx2: "
              "unset it");
}

TEST(kernel_note, records_an_override) {
    const environment set("CARAT_NO_SUCH_OVERRIDE", "slow");
    EXPECT_EQ(kernel_note(core::best_isa(), "CARAT_NO_SUCH_OVERRIDE", "best"),
              "CARAT_NO_SUCH_OVERRIDE=slow is set");
}

}  // namespace

}  // namespace carat::vendor::test
