// Teams of threads, one thread for each GPU, that take turns at the same product, so that all are
// measured at the same time: a team's trial is followed by one of the next.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <carat/distributed.hpp>
#include <carat/types.hpp>

#include "distributed/gpu/driver.hpp"

namespace carat::scaling {

namespace ranks = carat::distributed;

enum class task : std::uint8_t {
    product,  // in the layouts that suit it
    gather,   // A by rows, B and C by columns: all-gather + product
    scatter,  // A by columns, B and C by rows: product + reduce-scatter
};

struct shape {
    std::int64_t m, n, k;
};

struct figures {
    std::vector<double> trials_s = {};  // of the slowest GPU
    std::int64_t words = -1;            // of rank 0; unknown
    std::string why_not = {};
};

class turns {
  public:
    explicit turns(int teams) {
        for (int i = 0; i < teams; ++i) there_.insert(i);
    }
    // Until this team is next; first until all are ready or have left.
    void wait_for(int team);
    void end(int team);
    void leave(int team);

  private:
    void pass_on();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::set<int> there_, ready_;
    int next_ = 0;
};

// One GPU's part in the trials of its team.
struct member {
    int rank = 0, size = 1;
    ranks::gpu::stream on = nullptr;
    std::function<void()> call;  // starts one product
    std::function<void(const void*, void*, std::size_t)> all_gather;
};

struct pace {
    int trials = 9;
    int calls = 1;  // of a trial
};

// Every member calls it; the first gets the seconds of each trial.
std::vector<double> take_trials(turns& all, int team, const member& own, const pace& by);

// A team: its name, how many GPUs it has, and what it does on its own thread.
struct team {
    std::string name;
    int gpus;
    std::function<figures(turns&, int)> run;
};
std::vector<figures> run_teams(const std::vector<team>& all);

// Writes random bf16 numbers, the same every time, to memory of a GPU.
void fill(void* at, std::size_t count);

// Memory of the calling thread's GPU with these numbers.
class numbers {
  public:
    explicit numbers(std::size_t count);
    numbers(const numbers&) = delete;
    numbers& operator=(const numbers&) = delete;
    ~numbers() { ranks::gpu::driver().release(at_); }
    [[nodiscard]] bf16* data() const { return reinterpret_cast<bf16*>(at_); }
    // What the i-th was at first.
    [[nodiscard]] static float value(std::int64_t i);

  private:
    ranks::gpu::device_pointer at_ = 0;
};

// Recomputes a few entries of a rank's C of gather or scatter, which is by rows; throws
// carat::error if one is wrong.
void check_entries(task what, const shape& size, int rank, int gpus, const bf16* c);

}  // namespace carat::scaling
