// Products over several GPUs of one process: the rate on P over P times the rate on one, measured
// in the same run, and all-gather + product. Prints a line for each, and JSON with --json.
//
//   carat_scale --gpus 2,4 --size 8192,32768 --by copies,nccl
//   carat_scale --gpus 4 --gather 1024x28672x8192 --by copies,nccl
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <carat/distributed_gpu.hpp>
#include <carat/error.hpp>

#include "distributed/gpu/driver.hpp"

namespace {

using namespace carat;
namespace ranks = carat::distributed;
using ranks::gpu::check;
using ranks::gpu::device_pointer;
using ranks::gpu::driver;

struct shape {
    std::int64_t m, n, k;
};

// Memory of the calling thread's GPU with random bf16 numbers, which repeat every 64 MiB.
class numbers {
  public:
    explicit numbers(std::size_t count) {
        check(driver().allocate(&at_, std::max<std::size_t>(count, 1) * 2), "cuMemAlloc");
        static const std::vector<bf16> some = drawn();
        for (std::size_t i = 0; i < count; i += some.size())
            check(driver().upload(at_ + i * 2, some.data(), std::min(some.size(), count - i) * 2),
                  "cuMemcpyHtoD");
    }
    numbers(const numbers&) = delete;
    numbers& operator=(const numbers&) = delete;
    ~numbers() { driver().release(at_); }
    [[nodiscard]] bf16* data() const { return reinterpret_cast<bf16*>(at_); }

  private:
    static std::vector<bf16> drawn() {
        std::vector<bf16> some(std::size_t{32} << 20U);
        std::mt19937 engine(1);
        std::normal_distribution<float> normal;
        for (bf16& x : some) x = bf16(double(normal(engine)));
        return some;
    }
    device_pointer at_ = 0;
};

struct timer {
    ranks::gpu::event begun = nullptr, ended = nullptr;
    timer() {
        check(driver().event_create(&begun, 0), "cuEventCreate");
        check(driver().event_create(&ended, 0), "cuEventCreate");
    }
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;
    ~timer() {
        driver().event_destroy(begun);
        driver().event_destroy(ended);
    }
};

void meet(ranks::communicator& comm) {
    char mine = 0;
    std::vector<char> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(&mine, all.data(), 1);
}

// Seconds of one product of the slowest rank: the median of trials of a few each.
double seconds(ranks::communicator& comm, ranks::product& multiply, double one_s) {
    const auto on = place_of(comm).stream;
    const timer clock;
    const int repeats = std::clamp(static_cast<int>(0.05 / one_s), 1, 50);
    constexpr int trials = 9;
    std::vector<double> times;
    for (int i = 0; i < trials + 2; ++i) {
        meet(comm);
        check(driver().event_record(clock.begun, on), "cuEventRecord");
        for (int r = 0; r < repeats; ++r) multiply();
        check(driver().event_record(clock.ended, on), "cuEventRecord");
        check(driver().event_wait(clock.ended), "cuEventSynchronize");
        float ms = 0;
        check(driver().event_elapsed_ms(&ms, clock.begun, clock.ended), "cuEventElapsedTime");
        const double mine = static_cast<double>(ms) / 1e3 / repeats;
        std::vector<double> all(static_cast<std::size_t>(comm.size()));
        comm.all_gather(&mine, all.data(), sizeof mine);
        if (i >= 2) times.push_back(std::ranges::max(all));
    }
    std::ranges::nth_element(times, times.begin() + trials / 2);
    return times[trials / 2];
}

struct measured {
    double seconds = 0;
    ranks::traffic moved;
};

// A by rows and B by columns in memory, as for the weights of a layer, so that pieces of both are
// contiguous.
measured measure(int gpus, const shape& size, ranks::gpu_transport by,
                 std::optional<ranks::dimension> along) {
    measured found;
    std::mutex mutex;
    ranks::with_gpus(
        gpus,
        [&](ranks::communicator& comm) {
            ranks::layouts l = ranks::best_layouts(size.m, size.n, size.k, gpus);
            if (along)
                l = {ranks::distribution::by_rows(size.m, size.k, gpus),
                     ranks::distribution::by_columns(size.k, size.n, gpus),
                     ranks::distribution::by_columns(size.m, size.n, gpus)};
            const auto count = [&](const ranks::distribution& d, bool rows) {
                const ranks::share own = d.of(comm.rank());
                return static_cast<std::size_t>(rows ? own.rows.size() : own.cols.size());
            };
            const std::size_t am = count(l.a, true), ak = count(l.a, false), bk = count(l.b, true),
                              bn = count(l.b, false), cm = count(l.c, true), cn = count(l.c, false);
            const numbers a(am * ak), b(bk * bn), c(cm * cn);
            ranks::product multiply(
                comm, ranks::view(matrix_view<const bf16>(a.data(), am, ak), l.a),
                ranks::view(column_major<const bf16>(b.data(), bk, bn, bk), l.b),
                ranks::view(matrix_view<bf16>(c.data(), cm, cn), l.c), {.along = along});
            const double one_s =
                2.0 * double(size.m) * double(size.n) * double(size.k) / gpus / 600e12;
            const double s = seconds(comm, multiply, one_s);
            const std::lock_guard hold(mutex);
            if (comm.rank() == 0) found = {s, multiply.moved()};
        },
        by);
    return found;
}

template <class T>
std::vector<T> listed(const std::string& text, T (*read)(const std::string&)) {
    std::vector<T> all;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) all.push_back(read(part));
    return all;
}

shape read_shape(const std::string& text) {
    shape s{};
    char x = 0, y = 0;
    std::istringstream in(text);
    if (in >> s.m && !(in >> x)) return {s.m, s.m, s.m};
    if (in >> s.n >> y >> s.k) return s;
    throw error(error_code::invalid_argument, "'" + text + "' is no size: use N or MxNxK");
}

int read_count(const std::string& text) {
    return std::stoi(text);
}

ranks::gpu_transport read_transport(const std::string& text) {
    if (text == "nccl") return ranks::gpu_transport::nccl;
    if (text == "copies") return ranks::gpu_transport::copies;
    throw error(error_code::invalid_argument, "'" + text + "' is no transport: nccl or copies");
}

const char* name(ranks::gpu_transport by) {
    return by == ranks::gpu_transport::nccl ? "nccl" : "copies";
}

struct asked {
    std::string gpus = "2,4", size, gather, by = "copies,nccl", json;
};

void run(const asked& what) {
    nlohmann::json all = nlohmann::json::array();
    const auto tell = [&](const char* kind, const shape& s, int gpus, const char* by,
                          const measured& m, double one_s) {
        const double rate = 2.0 * double(s.m) * double(s.n) * double(s.k) / m.seconds / 1e12;
        fmt::print("{:<8} {}x{}x{} on {} by {:<7} {:9.3f} ms {:8.1f} TFLOP/s", kind, s.m, s.n, s.k,
                   gpus, by, 1e3 * m.seconds, rate);
        if (one_s > 0)
            fmt::print("  {:6.1f} % of {} times one", 100 * one_s / gpus / m.seconds, gpus);
        fmt::print("  workspace {} MiB\n", m.moved.workspace_bytes >> 20U);
        std::fflush(stdout);
        all.push_back({{"kind", kind},
                       {"m", s.m},
                       {"n", s.n},
                       {"k", s.k},
                       {"gpus", gpus},
                       {"by", by},
                       {"seconds", m.seconds},
                       {"tflops", rate},
                       {"one_gpu_seconds", one_s},
                       {"words_of_rank_0", m.moved.words()}});
    };
    const auto transports = listed(what.by, read_transport);
    const auto attempt = [](const auto& work) {
        try {
            work();
        } catch (const error& why) {
            fmt::print("not measured: {}\n", why.what());
            std::fflush(stdout);
        }
    };
    for (const shape& s : listed(what.size, read_shape)) {
        double one_s = 0;
        attempt([&] {
            const measured one = measure(1, s, ranks::gpu_transport::copies, {});
            one_s = one.seconds;
            tell("product", s, 1, "-", one, 0);
        });
        for (const int gpus : listed(what.gpus, read_count))
            for (const auto by : transports)
                attempt(
                    [&] { tell("product", s, gpus, name(by), measure(gpus, s, by, {}), one_s); });
    }
    for (const shape& s : listed(what.gather, read_shape))
        for (const int gpus : listed(what.gpus, read_count)) {
            double one_s = 0;  // of the local part alone
            attempt([&] {
                const shape part{s.m, s.n / gpus, s.k};
                const measured one = measure(1, part, ranks::gpu_transport::copies, {});
                one_s = one.seconds * gpus;
                tell("local", part, 1, "-", one, 0);
            });
            for (const auto by : transports)
                attempt([&] {
                    tell("gather", s, gpus, name(by), measure(gpus, s, by, ranks::dimension::n),
                         one_s);
                });
        }
    if (what.json.empty()) return;
    std::FILE* file = std::fopen(what.json.c_str(), "w");
    if (file == nullptr) throw error(error_code::invalid_argument, what.json + " can't be written");
    std::fputs((all.dump(1) + "\n").c_str(), file);
    std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Products of bf16 over several GPUs", "carat_scale");
    asked what;
    app.add_option("--gpus", what.gpus, "numbers of GPUs");
    app.add_option("--size", what.size, "products: N or MxNxK, several with commas");
    app.add_option("--gather", what.gather, "all-gather + product: MxNxK, several with commas");
    app.add_option("--by", what.by, "transports: nccl, copies");
    app.add_option("--json", what.json, "a file for all figures");
    CLI11_PARSE(app, argc, argv);
    try {
        fmt::print("{} GPUs\n", ranks::gpu::device_count());
        if (what.by.find("nccl") != std::string::npos) fmt::print("{}\n", ranks::nccl_in_use());
        run(what);
    } catch (const std::exception& why) {
        fmt::print(stderr, "carat_scale: {}\n", why.what());
        return 2;
    }
    return 0;
}
