// A process of one's own making that answers questions: started, asked, stopped and continued, and
// never left behind: it ends with this object, and with the process that started it.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

#include "lab/process/channel.hpp"

namespace carat::process {

// A child that is of no more use. what(): "the process ended by SIGSEGV", "the process exited with
// status 3", "the process gave no answer within 60 s".
struct lost : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class child {
  public:
    // What a program that is started finds open beside its standard files.
    static constexpr int channel_descriptor = 3;
    static constexpr int memory_descriptor = 4;

    // `command` with its arguments, in a process that has nothing of this one but `memory` (a
    // descriptor) and the channel. What it prints goes nowhere; its errors are seen. Throws
    // carat::error.
    [[nodiscard]] static child execute(const std::vector<std::string>& command, int memory);

    // A copy of this process that ends after `body`; for tests, whose code no command reaches.
    [[nodiscard]] static child fork(const std::function<void(channel)>& body);

    child(child&& other) noexcept;
    child& operator=(child&&) = delete;
    ~child();  // at once, whatever it does

    // Sends a message and waits for the answer. Throws lost; the child is gone then.
    [[nodiscard]] std::string ask(std::string_view message, double limit_s);

    // Returns when none of its threads runs any more.
    void stop();
    void go_on();
    [[nodiscard]] bool stopped() const { return stopped_; }

    // Processor time of all its threads so far; 0 when it has ended.
    [[nodiscard]] double cpu_s() const;

    [[nodiscard]] pid_t id() const { return id_; }

  private:
    child(pid_t id, channel ours) : id_(id), ours_(std::move(ours)) {}

    [[nodiscard]] std::string how_it_ended();
    void end();
    void signal_all(int number) const;

    pid_t id_ = -1;
    channel ours_;
    bool stopped_ = false;
    std::optional<int> status_;  // of waitpid(), once it has ended
};

// For the child to say first: when the process that started it ends, so does it.
void end_with_parent();

}  // namespace carat::process
