// What grows beside an output keeps whole lines, and touches nothing of others.
#include "lab/files/growing.hpp"

#include <csignal>
#include <sys/resource.h>

#include "tests/files/scratch.hpp"

namespace {

using namespace carat;
namespace fs = std::filesystem;

class growing : public scratch {};

TEST_F(growing, lines_are_there_at_once_and_gone_when_removed) {
    const fs::path path = files::growing_beside(folder / "r.json");
    EXPECT_EQ(path, folder / ".r.json.journal");
    files::growing file(path);
    file.append("one");
    EXPECT_EQ(text_of(path), "one\n");
    file.append("two");
    EXPECT_EQ(text_of(path), "one\ntwo\n");
    file.remove();
    EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(growing, it_lies_beside_what_a_link_leads_to) {
    fs::create_directory(folder / "far");
    fs::create_symlink("far/r.json", folder / "link.json");
    EXPECT_EQ(files::growing_beside(folder / "link.json"), folder / "far" / ".r.json.journal");
}

TEST_F(growing, what_lies_there_is_neither_followed_nor_added_to) {
    std::ofstream(folder / "mine") << "mine";
    const fs::path path = files::growing_beside(folder / "r.json");
    fs::create_symlink("mine", path);
    files::growing(path).append("new");
    EXPECT_EQ(text_of(folder / "mine"), "mine");
    EXPECT_FALSE(fs::is_symlink(path));
    files::growing(path).append("newer");
    EXPECT_EQ(text_of(path), "newer\n");
}

TEST_F(growing, names_may_be_as_long_as_they_get) {
    files::growing(files::growing_beside(folder / std::string(255, 'n'))).append("line");
    EXPECT_NE(refusal([&] { files::growing(folder / "absent" / "x"); }).find("can't be written"),
              std::string::npos);
}

TEST_F(growing, a_line_that_does_not_fit_leaves_the_lines_before_it) {
    const fs::path path = files::growing_beside(folder / "r.json");
    files::growing file(path);
    file.append("short");
    rlimit old = {};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small = {1000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string why = refusal([&] { file.append(std::string(5000, 'x')); });
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_NE(why.find("journal: can't be written (File too large)"), std::string::npos) << why;
    EXPECT_EQ(text_of(path), "short\n");
}

}  // namespace
