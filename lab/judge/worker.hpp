// A process that multiplies for the judge and is stopped between calls with all its threads, and
// frozen where the system allows it, so nothing runs unobserved. Time is taken here, from before it
// is continued until its last thread has stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/judge/freezer.hpp"
#include "lab/judge/memory.hpp"
#include "lab/judge/processes.hpp"
#include "lab/judge/start.hpp"

namespace carat::judge {

// The process ended, hangs or broke a rule.
struct foul : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// It gave no answer in time.
struct hangs : foul {
    using foul::foul;
};

// Thrown if the user asked to stop.
struct interrupted {};

class worker {
  public:
    // `interrupted` is polled while waiting. If the process ends by itself, its last output is
    // reported.
    worker(const std::vector<std::string>& arguments, const shared_memory& memory, int threads,
           bool is_target, std::function<bool()> interrupted);
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker();

    // Has it execute one command of protocol.hpp, then stops it. Throws foul.
    void ask(char what, std::int32_t calls, double timeout_s);
    // The same in two steps, between which it runs.
    void send(char what, std::int32_t calls);
    void receive(char what, double timeout_s);

    struct use {
        double passed_s = 0;
        double cpu_s = 0;    // of all its threads, and of children it waited for
        shared_work shared;  // among its threads, at once or in turn
    };
    // Runs the calls of the table. Throws foul, also if it started another process.
    [[nodiscard]] use run(std::int32_t calls, double timeout_s);

    // Lets it run without a command for this long, to find out whether it does anything.
    void let_go_on(double time_s);

    // Has the kernel refuse it new processes, but not threads. Throws foul if one still
    // exists. Does nothing if the boundary has no gate.
    void allow_no_more_processes();

    [[nodiscard]] pid_t id() const { return started_.process; }

    // Names of the boundary's parts.
    [[nodiscard]] std::vector<std::string> boundary() const;

    // Processor time of all its threads since it began.
    [[nodiscard]] double cpu_s() const;
    // The files with code that it has loaded; empty if it hides them.
    [[nodiscard]] std::vector<std::string> libraries() const;

  private:
    void resume();
    void stop();
    void await_reply(char what, double timeout_s);
    void drain() const;
    [[nodiscard]] std::string how_it_ended(int status) const;
    [[nodiscard]] std::string last_words() const;
    void require_no_children() const;

    started started_;
    freezer freezer_;
    bool ended_ = false;
    bool stopped_ = false;
    std::function<bool()> interrupted_;
};

}  // namespace carat::judge
