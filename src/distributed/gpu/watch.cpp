#include "distributed/gpu/watch.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <carat/error.hpp>

namespace carat::distributed::gpu {

namespace {

constexpr status not_ready = 600;  // CUDA_ERROR_NOT_READY

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point begun) {
    return std::chrono::duration<double>(clock::now() - begun).count();
}

// Short waits are answered at once.
void pause(double waited_s) {
    if (waited_s < 1e-3)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

struct limits {
    int least, most, otherwise;
};

int number_of(const char* variable, const limits& in, const char* remedy) {
    const char* const given = std::getenv(variable);
    const std::string_view text = given == nullptr ? "" : given;
    if (text.empty()) return in.otherwise;
    int number = 0;
    const auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || stopped != text.data() + text.size() || number < in.least ||
        number > in.most)
        throw error(error_code::invalid_argument,
                    std::string(variable) + "=" + std::string(text) + ": " + remedy);
    return number;
}

int nccl_timeout_s() {
    return number_of("CARAT_NCCL_TIMEOUT", {1, 1'000'000, 600},
                     "give the seconds to wait for NCCL, 1 to 1000000");
}

}  // namespace

watch::watch(exchange* shared, nccl::handle comm, bool is_own)
    : shared_(shared),
      comm_(comm),
      is_own_(is_own),
      limit_s_(comm == nullptr ? 0 : nccl_timeout_s()) {}

void watch::check_others(double waited_s) const {
    if (shared_ != nullptr) shared_->check();
    if (comm_ == nullptr) return;
    constexpr int in_progress = 7;  // ncclInProgress
    int failure = 0;
    check_nccl(nccl_library().async_error(comm_, &failure), "ncclCommGetAsyncError");
    if (failure != in_progress) check_nccl(failure, "a message of NCCL");
    if (waited_s > limit_s_)
        throw error(error_code::device_failed,
                    "distributed product: NCCL has not ended after " + std::to_string(limit_s_) +
                        " s: see whether a rank has died, or set CARAT_NCCL_TIMEOUT to more");
}

void watch::wait(stream on) {
    if (failure_) std::rethrow_exception(failure_);
    const auto begun = clock::now();
    status now = driver().stream_query(on);
    for (; now == not_ready; now = driver().stream_query(on)) {
        const double waited_s = seconds_since(begun);
        try {
            check_others(waited_s);
        } catch (...) {
            failure_ = std::current_exception();
            abort();
            throw;
        }
        pause(waited_s);
    }
    check(now, "cuStreamQuery");
}

bool watch::ends(stream on) noexcept {
    try {
        wait(on);
        return true;
    } catch (...) {
    }
    // What was aborted ends soon, unless the communicator is the program's.
    constexpr double grace_s = 5;
    const auto begun = clock::now();
    while (driver().stream_query(on) == not_ready) {
        const double waited_s = seconds_since(begun);
        if (waited_s > grace_s) return false;
        pause(waited_s);
    }
    return true;
}

void watch::abort() noexcept {
    if (is_own_ && comm_ != nullptr) nccl_library().abort(comm_);
    is_own_ = false;
}

int nccl_ctas() {
    return number_of("CARAT_NCCL_CTAS", {0, most_nccl_ctas, usual_nccl_ctas},
                     "give the SMs that NCCL may take, 1 to 64, or 0 for its own choice");
}

}  // namespace carat::distributed::gpu
