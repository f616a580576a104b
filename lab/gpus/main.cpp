// Products over several GPUs of one process: the rate on P over P times the rate on one, all-gather
// + product, and product + reduce-scatter, with cuBLASMp beside them. All teams of a shape take
// turns. Prints a line for each, and JSON with --json.
//
//   carat_scale --gpus 2,4 --size 8192,32768 --by copies,nccl
//   carat_scale --gpus 4 --gather 1024x28672x8192 --by copies,nccl,cublasmp,cublasmp.split
//   carat_scale --gpus 2 --scatter 1024x8192x28672
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include <carat/error.hpp>

#include "lab/gpus/carat_team.hpp"
#include "lab/gpus/cublasmp.hpp"

namespace carat::scaling {
namespace {

std::vector<std::string> listed(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) all.push_back(part);
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

struct asked {
    std::string gpus, size, gather, scatter, by = "copies,nccl", json;
    int trials = 9;
    double trial_s = 0.05;
};

const char* name(task what) {
    return what == task::product ? "product" : what == task::gather ? "gather" : "scatter";
}

double flop(const shape& s) {
    return 2.0 * double(s.m) * double(s.n) * double(s.k);
}

class report {
  public:
    explicit report(const asked& what) : what_(what) {}

    void compare(task kind, const shape& s, int gpus) {
        const double one_s = flop(s) / gpus / 600e12;
        const pace at{what_.trials, std::clamp(static_cast<int>(what_.trial_s / one_s), 1, 50)};
        // One GPU multiplies the whole product, or its share of a gather or scatter.
        shape alone = s;
        if (kind == task::gather) alone.n /= gpus;
        if (kind == task::scatter) alone.k /= gpus;
        std::vector<team> teams = {
            carat_team(task::product, alone, 1, ranks::gpu_transport::copies, at)};
        for (const std::string& by : listed(what_.by))
            if (gpus > 1) teams.push_back(team_named(by, kind, s, gpus, at));
        const std::vector<figures> found = run_teams(teams);
        double whole_s = 0;
        for (std::size_t i = 0; i < teams.size(); ++i) {
            if (!found[i].why_not.empty() || found[i].trials_s.empty()) {
                fmt::print("{:<8} {}x{}x{} on {} by {}: not measured: {}\n", name(kind), s.m, s.n,
                           s.k, teams[i].gpus, teams[i].name, found[i].why_not);
                std::fflush(stdout);
                continue;
            }
            const double seconds = found[i].median_s();
            if (i == 0) whole_s = seconds * flop(s) / flop(alone);
            tell(kind, i == 0 ? alone : s, teams[i], found[i], whole_s / teams[i].gpus / seconds);
        }
    }

    void write() const {
        if (what_.json.empty()) return;
        std::FILE* file = std::fopen(what_.json.c_str(), "w");
        if (file == nullptr)
            throw error(error_code::invalid_argument,
                        what_.json + " can't be written: give --json another file");
        std::fputs((rows_.dump(1) + "\n").c_str(), file);
        std::fclose(file);
    }

  private:
    static team team_named(const std::string& by, task kind, const shape& s, int gpus,
                           const pace& at) {
        if (by == "nccl") return carat_team(kind, s, gpus, ranks::gpu_transport::nccl, at);
        if (by == "copies") return carat_team(kind, s, gpus, ranks::gpu_transport::copies, at);
        const std::string peer = "cublasmp";
        if (by == peer) return cublasmp_team(kind, s, gpus, "", at);
        if (by.starts_with(peer + "."))
            return cublasmp_team(kind, s, gpus, by.substr(peer.size() + 1), at);
        throw error(error_code::invalid_argument,
                    "'" + by + "' is no team: nccl, copies, cublasmp or cublasmp.ALGORITHM");
    }

    void tell(task kind, const shape& s, const team& by, const figures& found, double of_one) {
        const double seconds = found.median_s();
        const auto [least, most] = std::ranges::minmax(found.trials_s);
        fmt::print("{:<8} {}x{}x{} on {} by {:<15} {:9.4f} ms [{:.4f}, {:.4f}] {:8.1f} TFLOP/s",
                   name(kind), s.m, s.n, s.k, by.gpus, by.name, 1e3 * seconds, 1e3 * least,
                   1e3 * most, flop(s) / seconds / 1e12);
        if (by.gpus > 1) fmt::print("  {:5.1f} % of {} times one", 100 * of_one, by.gpus);
        fmt::print("\n");
        std::fflush(stdout);
        rows_.push_back({{"kind", name(kind)},
                         {"m", s.m},
                         {"n", s.n},
                         {"k", s.k},
                         {"gpus", by.gpus},
                         {"by", by.name},
                         {"seconds", seconds},
                         {"trials_s", found.trials_s},
                         {"of_one", of_one},
                         {"words_of_rank_0", found.words}});
    }

    const asked& what_;
    nlohmann::json rows_ = nlohmann::json::array();
};

// Or why there is none, as its rows then say, too.
std::string nccl_found() {
    try {
        return ranks::nccl_in_use();
    } catch (const error& why) {
        return why.what();
    }
}

void run(const asked& what) {
    report all(what);
    const std::pair<task, const std::string*> lists[] = {
        {task::product, &what.size}, {task::gather, &what.gather}, {task::scatter, &what.scatter}};
    for (const auto& [kind, sizes] : lists)
        for (const std::string& size : listed(*sizes))
            for (const std::string& gpus : listed(what.gpus))
                all.compare(kind, read_shape(size), std::stoi(gpus));
    all.write();
}

}  // namespace
}  // namespace carat::scaling

int main(int argc, char** argv) {
    using namespace carat;
    CLI::App app("Products of bf16 over several GPUs", "carat_scale");
    scaling::asked what;
    app.add_option("--gpus", what.gpus, "numbers of GPUs, several with commas; all by default");
    app.add_option("--size", what.size, "products: N or MxNxK, several with commas");
    app.add_option("--gather", what.gather, "all-gather + product: MxNxK, several with commas");
    app.add_option("--scatter", what.scatter, "product + reduce-scatter: the same");
    app.add_option("--by", what.by,
                   "nccl, copies, cublasmp, cublasmp.split, cublasmp.atomic, cublasmp.serial");
    app.add_option("--trials", what.trials, "of each")->check(CLI::Range(1, 1000));
    app.add_option("--trial-time", what.trial_s, "seconds of back-to-back calls in a trial")
        ->check(CLI::Range(0.0, 10.0));
    app.add_option("--json", what.json, "a file for all figures");
    CLI11_PARSE(app, argc, argv);
    try {
        const int gpus = distributed::gpu::device_count();
        fmt::print("{} GPUs\n", gpus);
        if (what.gpus.empty()) what.gpus = std::to_string(gpus);
        if (what.by.find("nccl") != std::string::npos) fmt::print("{}\n", scaling::nccl_found());
        scaling::run(what);
    } catch (const std::exception& why) {
        fmt::print(stderr, "carat: {}\n", why.what());
        return 2;
    }
    return 0;
}
