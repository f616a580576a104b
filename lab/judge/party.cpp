#include "lab/judge/party.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include <carat/carat_kernel.h>

#include "files/visible.hpp"

namespace carat::judge {

party::party(std::string name, const std::vector<std::string>& arguments, table_of_rules& rules,
             bool is_target)
    : name_(std::move(name)),
      arguments_(arguments),
      rules_(rules),
      is_target_(is_target),
      own_(is_target ? std::make_unique<shared_memory>(rules.memory.size_bytes()) : nullptr),
      worker_(arguments, memory(), rules.asked.threads, is_target, rules.user.interrupted) {}

std::unique_ptr<party> party::again() const {
    return std::make_unique<party>(name_, arguments_, rules_, is_target_);
}

std::vector<std::string> party::wait_until_started() {
    worker_.ask('p', 0, rules_.asked.timeout_s);
    return worker_.libraries();
}

void party::begin_imports() {
    worker_.send('i', 0);
    imports_ = true;
}

void party::wait_for_imports() {
    if (std::exchange(imports_, false)) worker_.receive('i', rules_.asked.timeout_s);
}

void party::load() {
    wait_for_imports();
    order('l', 0);
    const header& head = description();
    const std::string said(head.message, strnlen(head.message, sizeof head.message));
    if (head.version < 1 || head.version > CARAT_KERNEL_VERSION)
        throw foul("it can't be loaded: " + files::visible(said));
    if (!said.empty())
        throw foul("it brings its own " + files::visible(said) + ", a function of the C library");
    if (is_target_) worker_.allow_no_more_processes();
    if (rules_.gpu != nullptr) open_door();
}

// What the process takes of a GPU's memory is counted while no other is at work.
void party::order(char what, std::int32_t calls) {
    if (rules_.gpu == nullptr) return worker_.ask(what, calls, rules_.asked.timeout_s);
    const desk::room before = desk::memory();
    worker_.ask(what, calls, rules_.asked.timeout_s);
    watch_memory(before);
}

void party::prepare() {
    calls_->announce(memory());
    order('p', calls_->calls());
}

void party::enter(batch&& calls, std::vector<std::string>* refused) {
    calls_ = std::make_unique<batch>(std::move(calls));
    calls_->lie_on(rules_.gpu);
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

void party::make_ready(data_kind kind) {
    prepare();
    if (rules_.gpu != nullptr) enqueue();
    calls_->draw(kind, rules_.numbers.operands, memory());
}

double party::go() {
    if (rules_.gpu != nullptr) {
        const desk::room before = desk::memory();
        const worker::use taken = worker_.run(calls_->calls(), rules_.asked.timeout_s);
        watch_memory(before);
        return released(taken.passed_s) / calls_->calls();
    }
    const worker::use taken = worker_.run(calls_->calls(), rules_.asked.timeout_s);
    if (is_target_) count_threads(taken);
    return taken.passed_s / calls_->calls();
}

// Over the whole judgement: a single go may be off by what the system accounts later. Processor
// time is exact. Threads that take turns on one processor only show in how the work is spread,
// where what a pool does when it starts counts, too.
void party::count_threads(const worker::use& taken) {
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

void party::check(double most_s) {
    if (rules_.gpu != nullptr) wait_for_gpu();
    const std::string found = calls_->check(memory(), most_s, rules_.numbers.checks);
    checked_ += calls_->calls();
    if (!found.empty()) throw foul(found + late_writes());
}

// What is still at work when the call has returned shows when it may go on.
std::string party::late_writes() {
    try {
        worker_.let_go_on(0.3);
    } catch (const foul&) {
        return {};
    }
    return calls_->changed_since(memory()) ? "; it went on writing after run() had returned" : "";
}

}  // namespace carat::judge
