// A process that multiplies for the referee and stands still whenever it is not asked to: all its
// threads are stopped between calls, and frozen where the system lets us, so nothing goes on behind
// the referee's back. Time is taken here, from before it may go on until after its last thread has
// stopped.
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

// The process ended, hangs or broke a rule: what is said of the target.
struct foul : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// It gave no answer in time.
struct hangs : foul {
    using foul::foul;
};

// Thrown where the user asked to stop.
struct interrupted {};

class worker {
  public:
    // `interrupted` is asked while waiting; what it printed last is told when it ends by itself.
    worker(const std::vector<std::string>& arguments, const shared_memory& memory, int threads,
           bool is_target, std::function<bool()> interrupted);
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker();

    // Has it do one of protocol.hpp's commands, and stops it. Throws foul.
    void ask(char what, std::int32_t calls, double timeout_s);
    // The same in two steps, between which it goes on.
    void send(char what, std::int32_t calls);
    void receive(char what, double timeout_s);

    struct use {
        double passed_s = 0;
        double cpu_s = 0;    // of all its threads, and of children it waited for
        shared_work shared;  // among its threads, at once or in turn
    };
    // The calls of the table. Throws foul, also where it started another process.
    [[nodiscard]] use run(std::int32_t calls, double timeout_s);

    // Lets it go on without an order for so long. To find out whether it does something.
    void let_go_on(double time_s);

    // From here on the kernel refuses it processes; threads it may start. Throws foul where one is
    // still there. Nothing where the boundary has no such gate.
    void allow_no_more_processes();

    [[nodiscard]] pid_t id() const { return started_.process; }

    // What keeps it apart from all others, by names.
    [[nodiscard]] std::vector<std::string> boundary() const;

    // Of all its threads since it began.
    [[nodiscard]] double cpu_s() const;
    // Files with code that it has loaded; empty where it hides them.
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
