// Step 7: more cores, by hand. The tiles of C stand in a queue behind a mutex; each worker takes
// one, computes it as step 5 does, and comes back for the next:
//
//          queue of C tiles           +--------+
//        +---+---+---+---+    next -> | worker |--+
//        | 7 | 6 | 5 | 4 | ---------> +--------+  |   a slow worker takes fewer tiles,
//        +---+---+---+---+    next -> | worker |--+   a fast one more; nobody is assigned
//                                     +--------+      a share in advance
//
// The lock is taken once a tile, half a million multiplications, so it costs nothing to speak of.
// Workers live as long as the prepared product and sleep when there is nothing to do: starting
// threads on every call would cost more than a small product. Reference: document 000, "threads".
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <carat/error.hpp>

#include "ladder/cpu/step.hpp"
#include "ladder/cpu/tiles.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
class threads_step {
  public:
    threads_step(const core::problem&, const core::settings& s)
        : size_(static_cast<size_t>(s.value(tile_size))) {
        try {
            for (int t = 0; t < s.threads; ++t)
                workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
        } catch (const std::system_error&) {
            throw error(error_code::unsupported, "threads " + std::to_string(s.threads) +
                                                     ": the system grants fewer; ask for less");
        }
    }

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        std::unique_lock lock(mutex_);
        job_ = {alpha, a, b, c};
        columns_ = (c.cols() + size_ - 1) / size_;
        queued_ = unfinished_ = columns_ * ((c.rows() + size_ - 1) / size_);
        work_ready_.notify_all();
        work_done_.wait(lock, [this] { return unfinished_ == 0; });
    }

    [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()); }

  private:
    // The job is read without the lock: it changes only while no tile is unfinished.
    void work(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (work_ready_.wait(lock, stop, [this] { return queued_ > 0; })) {
            const size_t tile = --queued_;
            lock.unlock();
            multiply_tiles(job_.alpha, job_.a, job_.b, job_.c, tile / columns_ * size_,
                           tile % columns_ * size_, size_);
            lock.lock();
            if (--unfinished_ == 0) work_done_.notify_one();
        }
    }

    struct job {
        T alpha;
        matrix_view<const T> a, b;
        matrix_view<T> c;
    };

    size_t size_;
    job job_{};
    size_t columns_ = 0;
    size_t queued_ = 0;      // tiles nobody has taken: 0 ... queued_ - 1
    size_t unfinished_ = 0;  // tiles nobody has finished
    std::mutex mutex_;
    std::condition_variable_any work_ready_;
    std::condition_variable work_done_;
    std::vector<std::jthread> workers_;  // last: they stop before what they use is gone
};

}  // namespace

extern const rows::implementation threads_entry;
constexpr rows::implementation threads_entry = {
    .name = "cpu.ladder.threads",
    .summary = "the tiles of C taken from a queue by C++ threads",
    .signatures = real_and_integer,
    .tunables = tile_tunables,
    .threaded = true,
    .unsupported = unsupported,
    .prepare = prepare<threads_step>,
};

}  // namespace carat::ladder::cpu
