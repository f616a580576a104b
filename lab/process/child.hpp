// A child process that answers requests. It can be stopped and continued, and ends with this object
// or with the process that started it.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

#include "lab/process/channel.hpp"

namespace carat::process {

// The child cannot be used any more. what(): "the process ended by SIGSEGV", "the process exited
// with status 3", "the process gave no answer within 60 s".
struct lost : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class child {
  public:
    // The descriptors that a started program finds open besides its standard files.
    static constexpr int channel_descriptor = 3;
    static constexpr int memory_descriptor = 4;

    // Runs `command` with its arguments in a process that inherits only `memory` (a descriptor) and
    // the channel. Its output is discarded; its errors are shown. Throws carat::error.
    [[nodiscard]] static child execute(const std::vector<std::string>& command, int memory);

    // Forks a copy of this process that ends after `body`; for tests, whose code no command
    // reaches.
    [[nodiscard]] static child fork(const std::function<void(channel)>& body);

    child(child&& other) noexcept;
    child& operator=(child&&) = delete;
    ~child();  // at once, whatever it does

    // Sends a message and waits for the answer. Throws lost if the child has ended.
    [[nodiscard]] std::string ask(std::string_view message, double limit_s);

    // Returns when none of its threads runs any more.
    void stop();
    void go_on();
    [[nodiscard]] bool stopped() const { return stopped_; }

    // The processor time of all its threads so far; 0 if it has ended.
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

// Called by a child first: it ends when the process that started it does.
void end_with_parent();

}  // namespace carat::process
