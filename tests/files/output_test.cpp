// Outputs replace what is there whole or not at all, and touch nothing else.
#include "lab/files/output.hpp"

#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/files/draft.hpp"
#include "tests/files/scratch.hpp"

namespace {

using namespace carat;
namespace fs = std::filesystem;

class output : public scratch {
  protected:
    // What lies in the folder.
    [[nodiscard]] std::size_t count() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
    std::string why_not(const fs::path& path, const std::string& text = "new") {
        return refusal([&] { files::write_whole(path, text); });
    }
    // What another run sees: the lock belongs to the open file, not to a process.
    static bool is_held(const fs::path& path) {
        const int other = open(path.c_str(), O_RDONLY);
        const bool held = flock(other, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        close(other);
        return held;
    }
};

TEST_F(output, is_made_replaced_and_alone) {
    for (const std::string text : {"first", "second", ""}) {
        files::write_whole(folder / "r.json", text);
        EXPECT_EQ(text_of(folder / "r.json"), text);
        EXPECT_EQ(count(), 1U);
    }
}

TEST_F(output, files_with_names_near_it_are_left_alone) {
    std::ofstream(folder / "mine") << "mine";
    std::ofstream(folder / "r.json.tmp") << "unrelated";
    fs::create_symlink("mine", folder / "s.json.tmp");
    for (const char* name : {"r.json", "s.json"}) {
        files::require_writable(folder / name);
        files::write_whole(folder / name, "new");
        EXPECT_EQ(text_of(folder / name), "new");
    }
    EXPECT_EQ(text_of(folder / "r.json.tmp"), "unrelated");
    EXPECT_EQ(text_of(folder / "mine"), "mine");
    EXPECT_TRUE(fs::is_symlink(folder / "s.json.tmp"));
    EXPECT_EQ(count(), 5U);
}

TEST_F(output, that_is_only_asked_for_leaves_nothing) {
    EXPECT_NE(refusal([&] { files::require_writable(folder / "absent" / "r.json"); }), "");
    EXPECT_NE(refusal([&] { files::require_writable(folder); }).find("is a folder"),
              std::string::npos);
    files::require_writable(folder / "r.json");
    EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(output, a_write_that_fails_leaves_the_old_file_and_nothing_else) {
    files::write_whole(folder / "r.json", "old");
    rlimit old = {};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small = {1000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string why = why_not(folder / "r.json", std::string(5000, 'x'));
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_NE(why.find("r.json: can't be written (File too large); it is as it was"),
              std::string::npos)
        << why;
    EXPECT_EQ(text_of(folder / "r.json"), "old");
    EXPECT_EQ(count(), 1U);
}

TEST_F(output, names_may_be_as_long_as_they_get_and_no_longer) {
    files::write_whole(folder / std::string(255, 'n'), "long");
    EXPECT_EQ(text_of(folder / std::string(255, 'n')), "long");
    for (const std::size_t length : {256U, 300U, 5000U}) {
        const fs::path name = folder / std::string(length, 'n');
        EXPECT_NE(refusal([&] { files::require_writable(name); }).find("File name too long"),
                  std::string::npos);
        EXPECT_NE(why_not(name).find("File name too long"), std::string::npos);
        EXPECT_FALSE(files::same_file(name, folder / "other"));
    }
}

TEST_F(output, links_that_lead_in_a_circle_are_told) {
    fs::create_symlink("b", folder / "a");
    fs::create_symlink("a", folder / "b");
    EXPECT_NE(refusal([&] { files::require_writable(folder / "a"); }).find("symbolic links"),
              std::string::npos);
    EXPECT_NE(why_not(folder / "a").find("symbolic links"), std::string::npos);
    EXPECT_FALSE(files::same_file(folder / "a", folder / "c"));
    EXPECT_EQ(count(), 2U);
}

TEST_F(output, what_a_link_names_is_replaced_and_the_link_stays) {
    fs::create_directory(folder / "far");
    fs::create_symlink("far/a.json", folder / "link.json");
    for (const std::string text : {"first", "second"}) {  // the link leads nowhere at first
        files::require_writable(folder / "link.json");
        files::write_whole(folder / "link.json", text);
        EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
        EXPECT_EQ(text_of(folder / "far" / "a.json"), text);
    }
}

TEST_F(output, permissions_stay_and_new_files_have_the_usual_ones) {
    const auto mode = [&] { return fs::status(folder / "r.json").permissions(); };
    const mode_t mask = umask(027);
    files::write_whole(folder / "r.json", "new");
    umask(mask);
    EXPECT_EQ(mode(), static_cast<fs::perms>(0640));
    fs::permissions(folder / "r.json", static_cast<fs::perms>(0600));
    files::write_whole(folder / "r.json", "newer");
    EXPECT_EQ(mode(), static_cast<fs::perms>(0600));
}

TEST_F(output, pipes_and_devices_are_written_to_and_never_replaced) {
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    files::require_writable(pipe);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    files::write_whole(pipe, "through");
    char text[8] = {};
    EXPECT_EQ(read(reader, text, sizeof text), 7);
    EXPECT_STREQ(text, "through");
    EXPECT_TRUE(fs::is_fifo(pipe));
    close(reader);
    EXPECT_NE(why_not("/dev/full").find("No space left"), std::string::npos);
}

TEST_F(output, is_held_against_other_runs_from_the_first_check_on) {
    const fs::path file = folder / "r.json";
    std::ofstream(file) << "there";
    EXPECT_FALSE(is_held(file));
    files::require_writable(file);
    files::require_writable(folder / "." / "r.json");  // of this run's own
    EXPECT_TRUE(is_held(file));
    for (const char* text : {"next", "last"}) {  // each is another file of the same name
        files::write_whole(file, text);
        EXPECT_TRUE(is_held(file));
    }
    files::write_whole(folder / "new.json", "new");
    EXPECT_TRUE(is_held(folder / "new.json"));
}

TEST_F(output, of_another_run_is_refused) {
    const fs::path file = folder / "r.json";
    std::ofstream(file) << "theirs";
    fs::create_symlink("r.json", folder / "link");
    const int theirs = open(file.c_str(), O_RDONLY);
    ASSERT_EQ(flock(theirs, LOCK_EX), 0);
    for (const fs::path& path : {file, folder / "link"}) {
        EXPECT_NE(refusal([&] { files::require_writable(path); }).find("another run writes it"),
                  std::string::npos);
        EXPECT_NE(why_not(path).find("another run writes it"), std::string::npos);
    }
    EXPECT_EQ(text_of(file), "theirs");
    close(theirs);
    EXPECT_EQ(why_not(file), "");
}

// Two runs start at once with one new name: the second is refused before it measures.
TEST_F(output, that_is_not_there_yet_is_refused_to_another_run) {
    const fs::path file = folder / "new.json";
    int start[2];
    ASSERT_EQ(pipe(start), 0);
    const pid_t other = fork();  // before this process holds the name, which a child would inherit
    if (other == 0) {
        char ready = 0;
        const bool told = read(start[0], &ready, 1) == 1;
        const std::string why = refusal([&] { files::require_writable(file); });
        _exit(told && why.find("another run writes it") != why.npos ? 0 : 1);
    }
    files::require_writable(file);
    EXPECT_TRUE(fs::is_empty(folder));
    ASSERT_EQ(write(start[1], "x", 1), 1);
    int status = -1;
    waitpid(other, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(why_not(file), "");
    close(start[0]);
    close(start[1]);
}

TEST_F(output, that_another_run_made_meanwhile_is_not_replaced) {
    files::require_writable(folder / "r.json");
    std::ofstream(folder / "r.json") << "theirs";
    EXPECT_NE(why_not(folder / "r.json").find("another run writes it"), std::string::npos);
    EXPECT_EQ(text_of(folder / "r.json"), "theirs");
    EXPECT_EQ(count(), 1U);
}

TEST_F(output, that_is_the_same_is_known_by_any_name) {
    std::ofstream(folder / "a.json") << "{}";
    fs::create_symlink("a.json", folder / "b.json");
    fs::create_symlink("far.json", folder / "dangling");
    fs::create_symlink("dangling", folder / "twice");
    const auto same = [&](const char* a, const char* b) {
        return files::same_file(folder / a, folder / b);
    };
    EXPECT_TRUE(same("a.json", "./a.json"));
    EXPECT_TRUE(same("a.json", "b.json"));
    EXPECT_TRUE(same("absent", "./absent"));
    EXPECT_TRUE(same("dangling", "far.json"));
    EXPECT_TRUE(same("twice", "far.json"));
    EXPECT_TRUE(same("twice", "dangling"));
    EXPECT_FALSE(same("a.json", "absent"));
    EXPECT_FALSE(same("dangling", "absent"));
    EXPECT_FALSE(files::same_file("/dev/null", "/dev/null"));
    EXPECT_FALSE(files::same_file(folder / "a.json", "/dev/null"));
}

TEST_F(output, a_draft_that_is_given_up_is_gone) {
    {
        files::draft next(folder / "r.json");
        EXPECT_TRUE(next.write("half"));
        EXPECT_EQ(count(), 1U);
        EXPECT_FALSE(fs::exists(folder / "r.json"));
    }
    EXPECT_EQ(count(), 0U);
    files::draft nowhere(folder / "absent" / "r.json");
    EXPECT_FALSE(nowhere.write("half"));
}

}  // namespace
