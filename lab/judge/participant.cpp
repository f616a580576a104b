#include "lab/judge/participant.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include <carat/carat_kernel.h>

#include "files/visible.hpp"

namespace carat::judge {

participant::participant(std::string name, const std::vector<std::string>& arguments,
                         table_of_rules& rules, bool is_target)
    : name_(std::move(name)),
      arguments_(arguments),
      rules_(rules),
      is_target_(is_target),
      own_(is_target ? std::make_unique<shared_memory>(rules.memory.size_bytes()) : nullptr),
      worker_(arguments, memory(), rules.asked.threads, is_target, rules.user.interrupted) {}

std::unique_ptr<participant> participant::again() const {
    return std::make_unique<participant>(name_, arguments_, rules_, is_target_);
}

std::vector<std::string> participant::wait_until_started() {
    worker_.ask('p', 0, rules_.asked.timeout_s);
    return worker_.libraries();
}

void participant::begin_imports() {
    worker_.send('i', 0);
    imports_ = true;
}

void participant::wait_for_imports() {
    if (std::exchange(imports_, false)) worker_.receive('i', rules_.asked.timeout_s);
}

void participant::load() {
    wait_for_imports();
    order('l', 0);
    const header& head = description();
    const std::string said(head.message, strnlen(head.message, sizeof head.message));
    if (head.version < 1 || head.version > CARAT_KERNEL_VERSION)
        throw foul("it can't be loaded: " + files::visible(said));
    if (!said.empty())
        throw foul("it brings its own " + files::visible(said) + ", a function of the C library");
    if (is_target_) worker_.allow_no_more_processes();
    if (rules_.gpu != nullptr) open_channel();
}

// GPU memory that the process allocates is counted while no other process runs.
void participant::order(char what, std::int32_t calls) {
    if (rules_.gpu == nullptr) return worker_.ask(what, calls, rules_.asked.timeout_s);
    const gpu_memory::capacity before = gpu_memory::memory();
    worker_.ask(what, calls, rules_.asked.timeout_s);
    watch_memory(before);
}

void participant::prepare() {
    calls_->announce(memory());
    order('p', calls_->calls());
}

void participant::enter(batch&& calls, std::vector<std::string>* refused) {
    calls_ = std::make_unique<batch>(std::move(calls));
    calls_->place_on(rules_.gpu);
    prepare();
    for (std::int32_t i = 0; i < calls_->calls(); ++i) {
        if (memory().table()[i].status != 0) continue;
        const std::string product = core::describe(calls_->problem(i));
        if (refused == nullptr) throw foul("it refuses the product to be timed, " + product);
        refused->push_back(product);
    }
    if (refused != nullptr) {
        calls_->keep_supported(memory());
        order('p', calls_->calls());
    }
    if (rules_.gpu != nullptr) warm_up();
}

void participant::make_ready(data_kind kind) {
    prepare();
    if (rules_.gpu != nullptr) enqueue();
    calls_->draw(kind, rules_.numbers.operands, memory());
}

double participant::go() {
    if (rules_.gpu != nullptr) {
        const gpu_memory::capacity before = gpu_memory::memory();
        const worker::use taken = worker_.run(calls_->calls(), rules_.asked.timeout_s);
        watch_memory(before);
        return released(taken.passed_s) / calls_->calls();
    }
    const worker::use taken = worker_.run(calls_->calls(), rules_.asked.timeout_s);
    if (is_target_) count_threads(taken);
    return taken.passed_s / calls_->calls();
}

// The limit applies to the whole judgement, since the system accounts some of a go's time later.
// Total processor time is exact. Threads that take turns on one processor show only in how the work
// is spread, which also includes what a thread pool does when it starts.
void participant::count_threads(const worker::use& taken) {
    constexpr double at_once_slack = 1.02, in_turn_slack = 1.1, least_s = 0.05;
    processor_use& all = rules_.used;
    all.cpu_s += taken.cpu_s;
    all.passed_s += taken.passed_s;
    all.shared.of_all_s += taken.shared.of_all_s;
    all.shared.of_busiest_s += taken.shared.of_busiest_s;
    const double at_once = all.cpu_s / all.passed_s;
    const double in_turn = all.shared.of_all_s / std::max(all.shared.of_busiest_s, 1e-9);
    const double may = rules_.asked.threads;
    if (all.cpu_s < least_s || (at_once <= may * at_once_slack && in_turn <= may * in_turn_slack))
        return;
    throw foul(fmt::format("it used {:.2f} threads, where {} may work", std::max(at_once, in_turn),
                           rules_.asked.threads));
}

void participant::check(double most_s) {
    if (rules_.gpu != nullptr) wait_for_gpu();
    const std::string found = calls_->check(memory(), most_s, rules_.numbers.checks);
    checked_ += calls_->calls();
    if (!found.empty()) throw foul(found + late_writes());
}

// Work that continues after the call returned shows when the process is let go on.
std::string participant::late_writes() {
    try {
        worker_.let_go_on(0.3);
    } catch (const foul&) {
        return {};
    }
    return calls_->changed_since(memory()) ? "; it went on writing after run() had returned" : "";
}

}  // namespace carat::judge
