// carat plan: how a product is shared out among ranks, without running anything.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/plan_chart.hpp"
#include "cli/product.hpp"
#include "cli/terminal.hpp"
#include "distributed/bound.hpp"
#include "distributed/prediction.hpp"
#include "distributed/schedule.hpp"
#include "distributed/steps.hpp"
#include "files/read.hpp"
#include "lab/files/document.hpp"
#include "lab/files/fields.hpp"
#include "lab/files/output.hpp"

namespace carat::cli {

namespace {

namespace ranks = carat::distributed;

struct plan_options {
    product_flags product;
    int ranks = 4;
    double memory_bytes = 0;
    std::string machine;
    int random = 0;
    std::uint64_t seed = 1;
    bool json = false, chart = false;
    std::string svg;
};

ranks::links links_of(const std::string& file) {
    ranks::links found;
    if (file.empty()) return found;
    found.start_s = 0;
    found.units = found.tile = 1;
    const nlohmann::json parsed = files::parse(files::read(file), file);
    const files::fields of(parsed, file + ":", "see carat plan --help");
    of.added("latency_s", found.latency_s);
    of.added("bytes_per_s", found.bytes_per_s);
    of.added("flops", found.flops);
    of.added("element_bytes", found.element_bytes);
    of.added("start_s", found.start_s);
    of.added("units", found.units);
    of.added("tile", found.tile);
    if (!(found.start_s >= 0 && found.units >= 1 && found.tile >= 1))
        throw error(error_code::invalid_argument,
                    file + ": units and tile must be at least 1, start_s at least 0");
    if (!(found.latency_s >= 0 && found.bytes_per_s > 0 && found.flops > 0 &&
          found.element_bytes > 0))
        throw error(error_code::invalid_argument,
                    file +
                        ": bytes_per_s, flops and element_bytes must be above 0, latency_s at "
                        "least 0");
    return found;
}

constexpr char names_of_sizes[] = {'M', 'N', 'K'};

char letter(ranks::dimension d) {
    return names_of_sizes[static_cast<std::size_t>(d)];
}

std::string range_text(ranks::index_range r) {
    return fmt::format("{}..{}", r.begin, r.end);
}

// "2 slabs along M, each 3 columns along N of 2 boxes along K"
std::string cuts_text(const ranks::schedule& plan) {
    const auto parts = plan.parts();
    const auto order = plan.order();
    std::string text =
        fmt::format("{} along {}, {} along {}, {} along {}", parts[0], letter(order[0]), parts[1],
                    letter(order[1]), parts[2], letter(order[2]));
    if (!plan.is_grid()) text += "; fewer in some slabs or columns, all boxes of one volume";
    if (plan.pieces() > 1) text += fmt::format("; K in {} pieces", plan.pieces());
    return text;
}

// What a rank does in a step.
std::string step_text(const ranks::step& s, std::size_t number) {
    std::string text = fmt::format("  {:>2}  ", number);
    const auto arrives = [&](const std::optional<ranks::arrival>& a, char of) {
        if (a)
            text += fmt::format("receive {} {} x {}, ", of, range_text(a->what.rows),
                                range_text(a->what.cols));
    };
    arrives(s.a, 'A');
    arrives(s.b, 'B');
    const auto largest = std::ranges::max_element(
        s.products, {}, [](const ranks::box& b) { return b.size().volume(); });
    if (largest == s.products.end()) return text + "multiply nothing";
    const auto size = largest->size().of;
    return text + fmt::format("multiply {}{}x{}x{}",
                              s.products.size() == 1
                                  ? ""
                                  : fmt::format("{} blocks of up to ", s.products.size()),
                              size[0], size[1], size[2]);
}

struct shared_product {
    ranks::schedule plan;
    ranks::prediction time;
    double bound;

    [[nodiscard]] double ratio() const { return bound > 0 ? plan.most_words() / bound : 1; }
};

nlohmann::json json_of_plan(const shared_product& a) {
    const ranks::task& t = a.plan.what();
    nlohmann::json cuts = nlohmann::json::array();
    for (std::size_t i = 0; i < 3; ++i)
        cuts.push_back(
            {{"along", std::string(1, letter(a.plan.order()[i]))}, {"parts", a.plan.parts()[i]}});
    nlohmann::json boxes = nlohmann::json::array();
    constexpr int most_boxes = 4096;
    for (int rank = 0; rank < std::min(t.ranks, most_boxes); ++rank) {
        const auto range = [box = a.plan.of(rank)](std::size_t d) {
            return nlohmann::json{box.of[d].begin, box.of[d].end};
        };
        boxes.push_back({{"m", range(0)}, {"n", range(1)}, {"k", range(2)}});
    }
    return {{"m", t.size.of[0]},
            {"n", t.size.of[1]},
            {"k", t.size.of[2]},
            {"ranks", t.ranks},
            {"cuts", cuts},
            {"boxes", boxes},
            {"is_grid", a.plan.is_grid()},
            {"pieces_of_k", a.plan.pieces()},
            {"words", a.plan.most_words()},
            {"words_of_all", a.plan.all_words()},
            {"bound", a.bound},
            {"ratio", a.ratio()},
            {"busiest_madds", a.plan.most_madds()},
            {"multiply_s", a.time.multiply_s},
            {"move_inputs_s", a.time.move_inputs_s},
            {"move_output_s", a.time.move_output_s},
            {"time_s", a.time.time_s},
            {"efficiency", a.time.efficiency}};
}

void print_plan(const shared_product& a) {
    const ranks::schedule& plan = a.plan;
    const ranks::task& t = plan.what();
    std::string text = fmt::format("{} x {} x {} on {} ranks\n", t.size.of[0], t.size.of[1],
                                   t.size.of[2], t.ranks);
    text += fmt::format("  cuts        {}\n", cuts_text(plan));
    text += fmt::format("  words       {:.4g} at most in and out of a rank, {:.4g} in all\n",
                        plan.most_words(), plan.all_words());
    text += fmt::format("  bound       {:.4g} of a rank; the schedule moves {:.3f} times that\n",
                        a.bound, a.ratio());
    text += fmt::format("  predicted   {:.4g} ms: products {:.4g}, A and B {:.4g}, C {:.4g}\n",
                        1e3 * a.time.time_s, 1e3 * a.time.multiply_s, 1e3 * a.time.move_inputs_s,
                        1e3 * a.time.move_output_s);
    text += fmt::format("  efficiency  {:.1f} % of {} times one rank\n", 100 * a.time.efficiency,
                        t.ranks);
    fmt::print("{}", folded_lines(text, 14));
    text = "Steps of rank 0, with matrices in the layouts that suit:\n";
    const auto steps = ranks::steps_of(plan, 0, plan.of_a().of(0), plan.of_b().of(0),
                                       ranks::pace_of(false, dtype::bf16));
    for (std::size_t i = 0; i < steps.size(); ++i) text += step_text(steps[i], i) + "\n";
    fmt::print("{}", folded_lines(text, 8));
}

// Words over the bound for random products, the figure that a schedule is judged by.
int judge_schedules(const plan_options& o) {
    std::mt19937_64 engine(o.seed);
    const auto draw = [&](double lo, double hi) {
        std::uniform_real_distribution<double> in(std::log(lo), std::log(hi));
        return std::llround(std::exp(in(engine)));
    };
    std::vector<std::pair<double, ranks::task>> all;
    for (int i = 0; i < o.random; ++i) {
        ranks::task t;
        for (auto& size : t.size.of) size = draw(256, 65536);
        t.ranks = static_cast<int>(draw(2, 4096));
        all.emplace_back(ranks::schedule(t).most_words() / ranks::least_words(t), t);
    }
    std::ranges::sort(all, {}, &std::pair<double, ranks::task>::first);
    const auto near = std::ranges::count_if(all, [](const auto& one) { return one.first <= 1.1; });
    const auto& [worst, t] = all.back();
    if (o.json)
        fmt::print("{}\n", nlohmann::json{{"cases", o.random},
                                          {"within_a_tenth", near},
                                          {"median", all[all.size() / 2].first},
                                          {"worst", worst},
                                          {"worst_case",
                                           {t.size.of[0], t.size.of[1], t.size.of[2], t.ranks}}}
                               .dump(1));
    else
        fmt::print(
            "{} of {} random products move at most 1.1 times the bound; the median is "
            "{:.3f}.\nThe worst moves {:.3f} times: {} x {} x {} on {} ranks.\n",
            near, o.random, all[all.size() / 2].first, worst, t.size.of[0], t.size.of[1],
            t.size.of[2], t.ranks);
    return success;
}

// What the product takes on 1, 2, 4 ... ranks.
int show_chart(const plan_options& o, const ranks::task& what, const ranks::links& over) {
    const std::vector<chart_point> all = chart_points(what, over);
    if (!o.svg.empty()) files::write_whole(o.svg, chart_svg(all, what.size));
    if (!o.json) {
        const auto [m, n, k] = what.size.of;
        fmt::print("{} x {} x {}, predicted\n{}", m, n, k, chart_text(all, terminal_columns()));
        return success;
    }
    nlohmann::json points = nlohmann::json::array();
    for (const chart_point& p : all)
        if (p.why_not.empty())
            points.push_back(
                {{"ranks", p.ranks}, {"time_s", p.time.time_s}, {"efficiency", p.time.efficiency}});
    fmt::print("{}\n", points.dump(1));
    return success;
}

int show_plan(const plan_options& o) {
    if (o.random > 0) return judge_schedules(o);
    const request::shape size = shape_of(o.product);
    const ranks::links over = links_of(o.machine);
    ranks::task what{{{size.m, size.n, size.k}}, o.ranks};
    what.memory_words = o.memory_bytes / over.element_bytes;
    if (o.chart) return show_chart(o, what, over);
    const ranks::schedule found(what);
    const shared_product told{found, ranks::predict(found, over), ranks::least_words(what)};
    if (o.json)
        fmt::print("{}\n", json_of_plan(told).dump(1));
    else
        print_plan(told);
    return success;
}

}  // namespace

void add_plan(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("plan", "how a product is divided among ranks");
    auto o = std::make_shared<plan_options>();
    add_product_flags(*sub, o->product);
    sub->add_option("--ranks", o->ranks, "processes or GPUs")
        ->check(whole_number(1, 1000000))
        ->capture_default_str();
    sub->add_option("--memory", o->memory_bytes, "bytes of memory of a rank (default: no limit)")
        ->check(number(1, 1e18));
    sub->add_option("--machine", o->machine,
                    "JSON with latency_s, bytes_per_s, flops (of a rank) and element_bytes "
                    "(default: H200s and NVLink, bf16)")
        ->check(file_name());
    auto* const random = sub->add_option("--random", o->random,
                                         "instead: words moved over the bound, for so many random "
                                         "products on 2 to 4096 ranks")
                             ->check(whole_number(1, 100000));
    sub->add_option("--seed", o->seed, "of --random")->needs(random)->capture_default_str();
    auto* const chart =
        sub->add_flag("--chart", o->chart, "efficiency on 1, 2, 4 ... --ranks ranks");
    sub->add_option("--svg", o->svg, "a file for the chart, too")->needs(chart);
    sub->add_flag("--json", o->json, "print JSON, with every figure unrounded");
    sub->footer(
        "Prints how the M x N x K multiply-adds are divided, what a rank sends and receives\n"
        "relative to the communication lower bound, and the time predicted by a model of\n"
        "latency and bandwidth.\n\n"
        "Examples:\n"
        "  carat plan --ranks 12 --m 4096 --n 4096 --k 4096\n"
        "  carat plan --ranks 4096 --size 65536 --memory 64000000000\n"
        "  carat plan --ranks 7 --size 1000x2000x3000 --machine cluster.json --json\n"
        "  carat plan --ranks 4096 --size 32768 --chart --svg chart.svg\n"
        "  carat plan --random 200");
    sub->callback([o, &chosen] { chosen = [o] { return show_plan(*o); }; });
}

}  // namespace carat::cli
