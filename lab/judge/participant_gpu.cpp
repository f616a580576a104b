// Goes of a process whose matrices are in a GPU's memory. Its calls are enqueued on a held stream;
// then data are drawn and the stream is released. Work outside that stream therefore sees other
// data, and its time shows in the events and the judge's clock.
#include <cstring>
#include <fmt/format.h>

#include <carat/error.hpp>

#include "files/visible.hpp"
#include "lab/judge/participant.hpp"
#include "lab/judge/speed.hpp"

namespace carat::judge {

namespace {

constexpr std::int64_t most_kept_bytes = std::int64_t{64} << 20;
constexpr double late_s = 5e-3;

std::string message_of(const carat_gpu_channel& channel) {
    return {channel.message, strnlen(channel.message, sizeof channel.message)};
}

}  // namespace

carat_gpu_channel& participant::channel() const {
    return *reinterpret_cast<carat_gpu_channel*>(memory().data() + data_begins);
}

void participant::open_channel() {
    channel() = rules_.gpu->channel();
    order('m', 0);
    if (const std::string why = message_of(channel()); !why.empty())
        throw error(error_code::unsupported,
                    fmt::format("judge: {}'s process has no way to the GPU's memory: {}", name_,
                                files::visible(why)));
}

// The first call may load, choose or allocate. The stream is not held, since that may wait for it.
void participant::warm_up() {
    is_warm_ = false;
    if (calls_->calls() == 0) return;
    calls_->draw(data_kind::general, rules_.numbers.operands, memory());
    order('w', calls_->calls());
    wait_for_gpu();
    is_warm_ = true;
}

void participant::enqueue() {
    try {
        order('q', calls_->calls());
    } catch (const hangs& late) {
        throw foul(
            fmt::format("{}: run() is to start its work on the stream, which is held, and "
                        "not to wait for it",
                        late.what()));
    }
}

// Seconds of all calls, from events.
double participant::released(double passed_s) {
    if (is_target_) rules_.gpu->remember();
    const carat_gpu_channel seen = channel();
    if (const std::string why = message_of(seen); !why.empty()) throw foul(files::visible(why));
    passed_s_ += passed_s;
    explained_s_ += seen.calls_s + seen.copies_s;
    ++goes_;
    return seen.calls_s;
}

std::string participant::reason_against_times() const {
    if (rules_.gpu == nullptr) return {};
    return judge::reason_against_times(passed_s_, explained_s_, goes_);
}

void participant::wait_for_gpu() {
    channel().message[0] = '\0';
    order('s', 0);
    const carat_gpu_channel seen = channel();
    if (const std::string why = message_of(seen); !why.empty()) throw foul(files::visible(why));
    if (!is_target_ || !is_warm_) return;
    late_in_a_row_ = seen.late_s > late_s ? late_in_a_row_ + 1 : 0;
    if (late_in_a_row_ >= 3)  // once or twice, this process may have waited for a processor
        throw foul(fmt::format("the GPU worked on for {:.3g} ms after the stream was done",
                               1e3 * seen.late_s));
}

void participant::watch_memory(const gpu_memory::capacity& before) {
    const gpu_memory::capacity after = gpu_memory::memory();
    const std::int64_t taken = before.free_bytes - after.free_bytes;
    taken_bytes_ += taken;
    if (is_warm_) kept_bytes_ += taken;
    if (!is_target_) return;
    if (taken_bytes_ > after.total_bytes / 2)
        throw foul(fmt::format("it took {} MiB of the GPU's {}", taken_bytes_ >> 20,
                               after.total_bytes >> 20));
    if (kept_bytes_ > most_kept_bytes)
        throw foul(fmt::format("it took {} MiB more of the GPU's memory after its first calls",
                               kept_bytes_ >> 20));
}

}  // namespace carat::judge
