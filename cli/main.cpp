// carat, the command.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "cli/worker.hpp"
#include "files/visible.hpp"
#include "lab/judge/peer.hpp"
#include "lab/results/build_info.hpp"
#include "lab/rows/edit_distance.hpp"

namespace {

using namespace carat;

constexpr const char* description =
    "carat benchmarks matrix multiplication: it runs every implementation that this\n"
    "machine can, verifies each, times it beside the others and against the machine's\n"
    "measured peaks, and says which differences are real.\n"
    "\n"
    "Without a subcommand it ranks them; that takes half a minute on a quiet machine.";

constexpr const char* examples =
    "Examples:\n"
    "  carat                                   the half-minute tour\n"
    "  carat info --measure                    this machine and its limits\n"
    "  carat list                              the families of implementations here\n"
    "  carat run --m 512 --n 512 --k 512 --impl tiled --tile-size 32 --verify\n"
    "  carat bench --impl openblas,engine --size 256:4096:x2 --json a.json\n"
    "  carat explain --m 64 --n 64 --k 4096    what limits this product?\n"
    "  carat plan --ranks 12 --size 4096       what would 12 ranks send each other?\n"
    "  carat crossover                         from which size does the GPU pay?\n"
    "  carat tune --size 3000 --dtype bf16     is there a faster plan than the chosen?\n"
    "  carat study ladder --quick              what does each technique gain?\n"
    "  carat judge mine.cpp                    is my kernel right, and how fast?\n"
    "  carat run-with python3 program.py       which BLAS calls does it make?\n"
    "  carat compare a.json b.json             is b faster, and by how much?\n"
    "  carat report a.json -o a.html           a page to show to a colleague";

// CLI11's help in 80 columns: what describes an option stays in its column.
class narrow_help : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        std::istringstream whole(CLI::Formatter::make_help(app, std::move(name), mode));
        std::string text;
        for (std::string line; std::getline(whole, line);)
            text += cli::folded(line, line.starts_with("  ") ? column_width_ : 0) + "\n";
        return text;
    }
};

// One line for people, whatever CLI11 would have printed.
int fail(const CLI::App& app, const std::string& message) {
    std::fprintf(stderr, "carat: %s\n", files::visible(message).c_str());
    return app.got_subcommand("judge") ? cli::no_judgement : cli::bad_input;
}

// The help to look into: the subcommand's that was given, where there is one.
std::string help_of(const CLI::App& app) {
    const auto given = app.get_subcommands();
    return given.empty() ? "carat --help" : "carat " + given.front()->get_name() + " --help";
}

// What a mistyped subcommand may have meant; nothing where what was typed is none.
std::string meant(const CLI::App& app, const char* typed) {
    if (typed == nullptr || *typed == '-') return {};
    const auto all = app.get_subcommands([](const CLI::App*) { return true; });
    if (std::ranges::find(all, typed, &CLI::App::get_name) != all.end()) return {};
    const auto distance = [&](const CLI::App* sub) {
        return rows::edit_distance(typed, sub->get_name());
    };
    const CLI::App* nearest = *std::ranges::min_element(all, {}, distance);
    constexpr std::size_t alike = 3;
    return std::string("'") + typed + "' is no subcommand" +
           (distance(nearest) > alike ? "" : ": the nearest is " + nearest->get_name());
}

// What a mistyped option may have meant, by the subcommand's own.
std::string meant_option(const CLI::App& app) {
    const auto given = app.get_subcommands();
    const CLI::App& of = given.empty() ? app : *given.front();
    for (const std::string& word : app.remaining(true)) {
        if (!word.starts_with('-')) continue;
        const std::string typed = word.substr(0, word.find('='));
        std::string nearest;
        std::size_t least = std::max<std::size_t>(1, typed.size() / 3);
        for (const CLI::Option* option : of.get_options())
            for (const std::string& name : option->get_lnames())
                if (const std::size_t far = rows::edit_distance(typed, "--" + name); far <= least) {
                    least = far;
                    nearest = "--" + name;
                }
        return "'" + typed + "' is no option" +
               (nearest.empty() ? "" : ": the nearest is " + nearest);
    }
    return {};
}

// --thorough=5 would set the flag.
constexpr std::string_view given_a_value = " was given a disallowed flag override";
void refuse_values_of_flags(CLI::App& app) {
    for (CLI::Option* option : app.get_options())
        if (option->get_expected_max() == 0) option->disable_flag_override();
    for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        refuse_values_of_flags(*sub);
}

// Replaces CLI11's words by those of the command line.
std::string in_plain_words(const std::string& what) {
    if (!what.ends_with(given_a_value)) return what;
    return "--" + what.substr(0, what.size() - given_a_value.size()) + " takes no value";
}

// What was printed may still lie in a buffer: a full disk or a closed output shows here.
int told(const CLI::App& app, int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    const int failed = fail(app, "standard output can't be written: not all of the answer arrived");
    return code == cli::success ? failed : code;
}

}  // namespace

int main(int argc, char** argv) {
    if (cli::is_worker(argc, argv)) return cli::serve_as_worker();
    if (argc == 3 && std::string_view(argv[1]) == judge::peer_command)
        return judge::serve_peer(argv[2]);
    cli::remember_command_line(argc, argv);
    CLI::App app(description, "carat");
    app.formatter(std::make_shared<narrow_help>());  // before subcommands, which take it over
    app.footer(examples);
    app.set_version_flag("--version", results::version() + " (" + results::revision() + ")");
    app.require_subcommand(0, 1);
    cli::action chosen = cli::tour;
    cli::add_info(app, chosen);
    cli::add_list(app, chosen);
    cli::add_run(app, chosen);
    cli::add_run_with(app, chosen);
    cli::add_bench(app, chosen);
    cli::add_explain(app, chosen);
    cli::add_plan(app, chosen);
    cli::add_crossover(app, chosen);
    cli::add_tune(app, chosen);
    cli::add_study(app, chosen);
    cli::add_judge(app, chosen);
    cli::add_compare(app, chosen);
    cli::add_report(app, chosen);
    cli::add_completion(app, chosen);
    refuse_values_of_flags(app);
    try {
        app.parse(argc, argv);
        return told(app, chosen());
    } catch (const CLI::Success& asked) {
        return told(app, app.exit(asked));
    } catch (const CLI::ParseError& failure) {
        std::string why = meant(app, argc > 1 ? argv[1] : nullptr);
        // Its name is the subcommand's.
        if (why.empty() && dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr)
            why = meant_option(app);
        if (why.empty()) why = in_plain_words(failure.what());
        return fail(app, why + " (" + help_of(app) + ")");
    } catch (const std::exception& failure) {
        return fail(app, failure.what());
    }
}
