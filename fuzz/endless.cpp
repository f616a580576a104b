#include "endless.hpp"

#include <csignal>
#include <unistd.h>

namespace carat::fuzz {

namespace {

bool holds_process = false;

[[noreturn]] void wait_for_ever() {
    for (;;) pause();
}

std::string run(std::uint64_t, std::uint64_t number, const surroundings& in, tally&) {
    tell_description(in, "endless");
    holds_process = number == 2;
    if (holds_process) return {};
    if (number == 0) static_cast<void>(std::signal(SIGALRM, SIG_IGN));
    wait_for_ever();
}

void end(const std::string&) {
    if (holds_process) wait_for_ever();
}

}  // namespace

family of_endless_cases() {
    return {"endless", run, nullptr, end};
}

}  // namespace carat::fuzz
