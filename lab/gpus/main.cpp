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

#include "distributed/bound.hpp"
#include "lab/gpus/carat_team.hpp"
#include "lab/gpus/cublasmp.hpp"
#include "lab/scale_out/files.hpp"

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
    std::string gpus, size, gather, scatter, by = "local,copies,nccl";
    scale_out::files files;
    int trials = 9;
    double trial_s = 0.05;
};

const char* name(task what) {
    return what == task::product ? "product" : what == task::gather ? "gather" : "scatter";
}

const char* title(task what) {
    return what == task::product  ? "in the layouts that suit"
           : what == task::gather ? "all-gather + product"
                                  : "product + reduce-scatter";
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
        scale_out::comparison told{
            fmt::format("{} x {} x {} bf16 on {} GPUs, {}; {} trials in turn", s.m, s.n, s.k, gpus,
                        title(kind), at.trials),
            {}};
        double one_gpu_s = 0;  // for its share of the work
        for (std::size_t i = 0; i < teams.size(); ++i) {
            const shape& own = i == 0 ? alone : s;
            scale_out::entry row = row_of(teams[i], own, found[i]);
            if (i == 0) row.name = kind == task::product ? "one GPU" : "one GPU, its share";
            if (row.why_not.empty()) {
                if (i == 0) one_gpu_s = row.seconds.median * flop(s) / flop(alone) / gpus;
                if (one_gpu_s > 0) row.efficiency = i == 0 ? 1 : one_gpu_s / row.seconds.median;
                note(kind, own, teams[i], found[i], row);
            }
            told.entries.push_back(std::move(row));
        }
        fmt::print(scale_out::people(what_.files), "{}", scale_out::text(told, efficiency));
        std::fflush(scale_out::people(what_.files));
        told_.push_back(std::move(told));
    }

    [[nodiscard]] bool has_figures() const { return !rows_.empty(); }

    void write() const {
        scale_out::leave(
            {"How fast are several GPUs together, and how many words do they send?", efficiency,
             "Of one: the time of one GPU for its share of the work over the time of the "
             "row. Words/B: what GPU 0 moves over the lower bound.",
             true, told_},
            rows_, what_.files);
    }

  private:
    static constexpr const char* efficiency = "of one";

    static team team_named(const std::string& by, task kind, const shape& s, int gpus,
                           const pace& at) {
        if (by == "nccl") return carat_team(kind, s, gpus, ranks::gpu_transport::nccl, at);
        if (by == "local") return local_team(kind, s, gpus, at);
        if (by == "copies") return carat_team(kind, s, gpus, ranks::gpu_transport::copies, at);
        const std::string peer = "cublasmp";
        if (by == peer) return cublasmp_team(kind, s, gpus, "", at);
        if (by.starts_with(peer + "."))
            return cublasmp_team(kind, s, gpus, by.substr(peer.size() + 1), at);
        throw error(error_code::invalid_argument,
                    "'" + by + "' is no team: local, nccl, copies, cublasmp or cublasmp.ALGORITHM");
    }

    // All but the efficiency.
    static scale_out::entry row_of(const team& by, const shape& s, const figures& found) {
        scale_out::entry row;
        row.name = by.name;
        row.is_answer = by.name == "copies" || by.name == "nccl";
        row.flop = flop(s);
        if (!found.why_not.empty() || found.trials_s.empty()) {
            row.why_not = found.why_not.empty() ? "it has no trial" : found.why_not;
            return row;
        }
        row.seconds = scale_out::summary_of(found.trials_s);
        const double bound = ranks::least_words({{{s.m, s.n, s.k}}, by.gpus});
        if (found.words >= 0 && bound > 0)
            row.words_over_bound = static_cast<double>(found.words) / bound;
        return row;
    }

    void note(task kind, const shape& s, const team& by, const figures& found,
              const scale_out::entry& row) {
        rows_.push_back({{"kind", name(kind)},
                         {"m", s.m},
                         {"n", s.n},
                         {"k", s.k},
                         {"gpus", by.gpus},
                         {"by", by.name},
                         {"seconds", row.seconds.median},
                         {"trials_s", found.trials_s},
                         {"of_one", row.efficiency},
                         {"words_of_rank_0", found.words},
                         {"words_over_bound", row.words_over_bound}});
    }

    const asked& what_;
    nlohmann::json rows_ = nlohmann::json::array();
    std::vector<scale_out::comparison> told_;
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
    if (!all.has_figures())
        throw error(error_code::unsupported, "nothing ran on these GPUs: the rows above say why");
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
    app.add_option(
        "--by", what.by,
        "local, nccl, copies, cublasmp, cublasmp.split, cublasmp.atomic, cublasmp.serial");
    app.add_option("--trials", what.trials, "of each")->check(CLI::Range(1, 1000));
    app.add_option("--trial-time", what.trial_s, "seconds of back-to-back calls in a trial")
        ->check(CLI::Range(0.0, 10.0));
    scale_out::add_files(app, what.files);
    CLI11_PARSE(app, argc, argv);
    try {
        const int gpus = distributed::gpu::device_count();
        scale_out::require_writable(what.files);
        fmt::print(scale_out::people(what.files), "{} GPUs\n", gpus);
        if (what.gpus.empty()) what.gpus = std::to_string(gpus);
        if (what.by.find("nccl") != std::string::npos)
            fmt::print(scale_out::people(what.files), "{}\n", scaling::nccl_found());
        scaling::run(what);
    } catch (const std::exception& why) {
        fmt::print(stderr, "carat: {}\n", why.what());
        return 2;
    }
    return 0;
}
