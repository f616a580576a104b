// Implementations that work in their own process, and some that do not, for tests of a session.
// They are forked, since no command knows them.
#pragma once

#include <atomic>
#include <csignal>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lab/session/session.hpp"
#include "lab/workers/serve.hpp"

namespace carat::fakes {

inline constexpr core::signature f64_only[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"}};

// What the fakes tell the test, from whichever process they run in.
struct notes {
    std::atomic<int> prepared, runs;
    std::atomic<std::int64_t> spins;  // of a pool that never rests
    std::atomic<int> disturbed;       // runs of the witness that saw it spin
};

inline notes& told() {
    static notes& shared = *new (mmap(nullptr, sizeof(notes), PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0)) notes{};
    return shared;
}

inline void multiply(const core::problem& p, const core::operands& data) {
    const auto a = core::a_view<double>(p, data);
    const auto b = core::b_view<double>(p, data);
    const auto c = core::c_view<double>(p, data);
    for (std::size_t i = 0; i < c.rows(); ++i)
        for (std::size_t j = 0; j < c.cols(); ++j) {
            c(i, j) = 0;
            for (std::size_t l = 0; l < a.cols(); ++l) c(i, j) += a(i, l) * b(l, j);
        }
}

// A product that `run` computes.
template <class Run>
std::unique_ptr<rows::runnable> product_by(Run run) {
    class product final : public rows::runnable {
      public:
        explicit product(Run by) : by_(std::move(by)) {}
        void run(const core::operands& data) override { by_(data); }

      private:
        Run by_;
    };
    return std::make_unique<product>(std::move(run));
}

// Multiplies, and then does what `After` does with the number of its run, from 1.
template <void (*After)(int, const core::problem&, const core::operands&)>
std::unique_ptr<rows::runnable> prepare(const core::problem& p, const core::settings&) {
    class product final : public rows::runnable {
      public:
        explicit product(const core::problem& problem) : problem_(problem) {}
        void run(const core::operands& data) override {
            multiply(problem_, data);
            ++told().runs;
            After(++runs_, problem_, data);
        }
        [[nodiscard]] int threads() const override { return 3; }
        [[nodiscard]] std::string note() const override { return "a note"; }
        [[nodiscard]] core::plan_facts planned() const override {
            return {.why = "a plan\nand why not another"};
        }

      private:
        core::problem problem_;
        int runs_ = 0;
    };
    ++told().prepared;
    return std::make_unique<product>(p);
}

inline void crash() {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would report it, and exit
    raise(SIGSEGV);
}

inline rows::implementation fake(const char* name, decltype(rows::implementation::prepare) ready,
                                 rows::device where = rows::device::cpu) {
    return {.name = name, .summary = "", .where = where, .signatures = f64_only, .prepare = ready};
}

// What a process that is started now can find by name.
inline std::vector<const rows::implementation*>& chosen_now() {
    static std::vector<const rows::implementation*> all;
    return all;
}

inline void choose(request::measurement& r, const std::vector<const rows::implementation*>& all) {
    chosen_now() = all;
    r.chosen.clear();
    for (const rows::implementation* entry : all) r.chosen.push_back({entry, {}, true});
}

inline const rows::implementation& find(const std::string& name) {
    for (const rows::implementation* entry : chosen_now())
        if (entry->name == name) return *entry;
    throw std::runtime_error("there is no " + name);
}

inline int channel_of_this_process = -1;

inline process::child forked_with(int memory, const workers::find_space& space) {
    return process::child::fork([&space, memory](process::channel questions) {
        channel_of_this_process = questions.descriptor();
        workers::serve(std::move(questions), memory, find, space);
    });
}

inline process::child forked(int memory, const rows::implementation* = nullptr) {
    return forked_with(memory, workers::space_of_gpu);
}

inline std::vector<pid_t> children() {
    std::vector<pid_t> all;
    std::ifstream list("/proc/self/task/" + std::to_string(gettid()) + "/children");
    for (pid_t id = 0; list >> id;) all.push_back(id);
    return all;
}

}  // namespace carat::fakes
