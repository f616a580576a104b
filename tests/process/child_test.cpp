// Processes that answer, crash, hang, exit and are stopped. Nothing depends on their speed:
// counters show what ran, and the system what is stopped.
#include "lab/process/child.hpp"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "lab/process/shared_memory.hpp"
#include "lab/process/turns.hpp"

namespace {

using namespace carat;

constexpr double long_enough_s = 60;

// Answers "go" with "gone", and does what other messages say.
void obey(process::channel questions) {
    for (;;) {
        const auto message = questions.receive(process::forever_s);
        if (message == "crash") {
            std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would report it, and exit
            raise(SIGSEGV);
        }
        if (message == "exit") _exit(3);
        while (message == "hang") pause();
        questions.send("gone");
    }
}

void obey_until_alone(process::channel questions) {
    try {
        obey(std::move(questions));
    } catch (const process::closed&) {
    }
}

std::string reason_of(process::child& one, const std::string& message, double limit_s) {
    try {
        return one.ask(message, limit_s);
    } catch (const process::lost& why) {
        return why.what();
    }
}

bool is_there(pid_t id) {
    return kill(id, 0) == 0;
}

// The system's state of each thread of a process; "T" is stopped.
std::string states(pid_t id) {
    std::string all;
    std::error_code gone;
    for (const auto& thread :
         std::filesystem::directory_iterator("/proc/" + std::to_string(id) + "/task", gone)) {
        std::ifstream stat(thread.path() / "stat");
        std::string text;
        std::getline(stat, text);
        if (const auto name = text.rfind(')'); name != std::string::npos)
            all += text.substr(name + 2, 1);
    }
    return all;
}

TEST(child, answers_until_it_is_no_longer_wanted) {
    pid_t id = -1;
    {
        process::child one = process::child::fork(obey_until_alone);
        id = one.id();
        EXPECT_EQ(one.ask("go", long_enough_s), "gone");
        EXPECT_EQ(one.ask("go", long_enough_s), "gone");
        EXPECT_TRUE(is_there(id));
    }
    EXPECT_FALSE(is_there(id));
}

TEST(child, that_is_lost_says_how_each_time_it_is_asked) {
    process::child crashes = process::child::fork(obey_until_alone);
    EXPECT_EQ(reason_of(crashes, "crash", long_enough_s), "the process ended by SIGSEGV");
    EXPECT_EQ(reason_of(crashes, "go", long_enough_s), "the process ended by SIGSEGV");
    process::child leaves = process::child::fork(obey_until_alone);
    EXPECT_EQ(reason_of(leaves, "exit", long_enough_s), "the process exited with status 3");
    process::child hangs = process::child::fork(obey_until_alone);
    EXPECT_EQ(reason_of(hangs, "hang", 0.05), "the process gave no answer within 0.05 s");
    EXPECT_FALSE(is_there(hangs.id()));
}

TEST(child, killed_while_it_is_stopped_is_lost) {
    process::child one = process::child::fork(obey_until_alone);
    EXPECT_EQ(one.ask("go", long_enough_s), "gone");
    one.stop();
    kill(one.id(), SIGKILL);
    one.go_on();
    EXPECT_EQ(reason_of(one, "go", long_enough_s), "the process ended by SIGKILL");
}

TEST(child, that_is_stopped_ends_with_its_object) {
    pid_t id = -1;
    {
        process::child one = process::child::fork(obey_until_alone);
        id = one.id();
        one.stop();
    }
    EXPECT_FALSE(is_there(id));
}

TEST(child, ends_with_the_process_that_started_it_though_it_is_stopped) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t between = fork();
    if (between == 0) {
        process::child one = process::child::fork(obey_until_alone);
        (void)one.ask("go", long_enough_s);  // it has said whom to end with
        one.stop();
        const pid_t id = one.id();
        (void)!write(ends[1], &id, sizeof id);
        _exit(0);  // and no destructor runs
    }
    pid_t id = -1;
    ASSERT_EQ(read(ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
    waitpid(between, nullptr, 0);
    // Whoever inherits it may not care to reap it: a zombie is gone, too.
    const auto runs = [&] {
        return is_there(id) && states(id).find_first_not_of('Z') != std::string::npos;
    };
    for (int i = 0; i < 1000 && runs(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(runs());
    close(ends[0]);
    close(ends[1]);
}

TEST(child, that_is_a_program_has_its_channel_and_memory_and_nothing_else) {
    const int mine = fcntl(STDERR_FILENO, F_DUPFD, 20);  // not closed by exec
    const process::shared_memory memory;
    const std::string look =
        "for f in 3 4; do test -e /proc/$$/fd/$f || exit 8; done; "
        "test -e /proc/$$/fd/" +
        std::to_string(mine) + " && exit 9; exit 7";
    ASSERT_GT(mine, 4);
    process::child one = process::child::execute({"/bin/sh", "-c", look}, memory.descriptor());
    EXPECT_EQ(reason_of(one, "go", long_enough_s), "the process exited with status 7");
    close(mine);
}

TEST(child, a_program_that_is_not_there_is_told) {
    const process::shared_memory memory;
    EXPECT_THROW((void)process::child::execute({"/no/such/program"}, memory.descriptor()),
                 std::exception);
}

TEST(shared_memory, that_grows_after_a_child_was_started_is_seen_by_both) {
    process::shared_memory ours;
    process::child one = process::child::fork([&](process::channel questions) {
        (void)questions.receive(process::forever_s);
        const process::shared_memory theirs(dup(ours.descriptor()));
        theirs.data()[5] = std::byte{42};
        questions.send(std::to_string(theirs.size_bytes()));
    });
    constexpr std::size_t size = 3 * process::shared_memory::huge_page_bytes;
    ours.grow(size);
    ours.use_huge_pages(0, size);
    EXPECT_EQ(one.ask("go", long_enough_s), std::to_string(size));
    EXPECT_EQ(ours.data()[5], std::byte{42});
    EXPECT_EQ(
        reinterpret_cast<std::uintptr_t>(ours.data()) % process::shared_memory::huge_page_bytes,
        0u);
}

// A library whose pool spins after its product: each of its children counts without end.
struct counters {
    std::atomic<std::int64_t> of[2];
};

TEST(turns, only_one_of_two_spinning_pools_runs_at_a_time) {
    void* memory =
        mmap(nullptr, sizeof(counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto& counted = *new (memory) counters{};
    const auto spinner = [&](int i) {
        return process::child::fork([&counted, i](process::channel questions) {
            const std::jthread pool([&] {
                for (;;) ++counted.of[i];
            });
            obey_until_alone(std::move(questions));
            _exit(0);
        });
    };
    const auto moves = [&](int i) {
        const std::int64_t before = counted.of[i];
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return counted.of[i] != before;
    };
    const auto comes_to_move = [&](int i) {
        for (int tries = 0; tries < 1000; ++tries)
            if (moves(i)) return true;
        return false;
    };
    process::child first = spinner(0);
    process::child second = spinner(1);
    EXPECT_EQ(first.ask("go", long_enough_s), "gone");
    EXPECT_EQ(second.ask("go", long_enough_s), "gone");
    EXPECT_TRUE(comes_to_move(0) && comes_to_move(1));  // without turns both spin

    process::turns turn;
    first.stop();
    second.stop();
    for (process::child* one : {&first, &second, &first}) {
        turn.give(one);
        const int running = one == &first ? 0 : 1;
        process::child& other = one == &first ? second : first;
        EXPECT_TRUE(comes_to_move(running));
        EXPECT_FALSE(moves(1 - running));
        EXPECT_TRUE(other.stopped());
        EXPECT_EQ(states(other.id()), "TT");  // its thread and its pool's
        EXPECT_EQ(one->ask("go", long_enough_s), "gone");
        EXPECT_GT(one->cpu_s(), 0);
    }
    turn.give(nullptr);
    EXPECT_FALSE(moves(0) || moves(1));
    munmap(memory, sizeof(counters));
}

}  // namespace
