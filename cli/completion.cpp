// carat completion: what a shell completes after "carat", from the subcommands' own options and the
// values that these take. Packages install what it prints.
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <carat/types.hpp>

#include "cli/command.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/request/epilogue_names.hpp"
#include "lab/study/study.hpp"

namespace carat::cli {

namespace {

struct completed_word {
    std::string word;
    std::string what;  // it is, in one line
};

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// What has no group is hidden.
std::vector<completed_word> options_of(const CLI::App& of) {
    std::vector<completed_word> found;
    for (const CLI::Option* option : of.get_options())
        for (const std::string& name : option->get_lnames())
            if (!option->get_group().empty())
                found.push_back({"--" + name, first_line(option->get_description())});
    return found;
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::vector<completed_word> first_words_of(const CLI::App& app) {
    std::vector<completed_word> found;
    for (const CLI::App* sub : subcommands_of(app))
        found.push_back({sub->get_name(), first_line(sub->get_description())});
    for (completed_word& option : options_of(app)) found.push_back(std::move(option));
    return found;
}

std::string for_bash(const std::vector<completed_word>& all) {
    std::string text;
    for (const completed_word& one : all) text += (text.empty() ? "" : " ") + one.word;
    return "\"" + text + "\"";
}

// 'word:what' each, as _describe wants them.
std::string for_zsh(const std::vector<completed_word>& all) {
    std::string text = "(";
    for (const completed_word& one : all) {
        text += text == "(" ? "'" : " '";
        for (const char c : one.word + ":" + one.what)
            text += c == '\'' ? "'\\''" : std::string(1, c);
        text += "'";
    }
    return text + ")";
}

// Choices that are checked stand in the type that help shows: "TEXT:{hot,rotated}".
std::vector<std::string> choices_in(const std::string& type) {
    const std::size_t open = type.find('{'), close = type.find('}');
    if (open == type.npos || close == type.npos) return {};
    return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

// Names as they are and their last parts, which are taken where they are unambiguous.
std::vector<std::string> implementation_names() {
    std::set<std::string> found = {"all"};
    for (const rows::implementation* one : lab::catalogue().entries()) {
        const std::string name(one->name);
        found.insert(name);
        found.insert(name.substr(name.rfind('.') + 1));
    }
    return {found.begin(), found.end()};
}

std::vector<std::string> types() {
    std::vector<std::string> found;
    for (const dtype type : all_dtypes) found.emplace_back(name(type));
    return found;
}

std::vector<std::string> studies() {
    std::vector<std::string> found = {"all"};
    for (const study::definition& one : study::studies()) found.emplace_back(one.name);
    return found;
}

std::vector<std::string> known_values(const CLI::Option& option) {
    const std::string name =
        option.get_lnames().empty() ? option.get_single_name() : option.get_lnames().front();
    if (name == "impl" || name == "exclude" || name == "base" || name == "PATTERN")
        return implementation_names();
    if (name == "dtype") return types();
    if (name == "device") return {"cpu", "cuda", "all"};
    if (name == "layout") return {"nn", "nt", "tn", "tt"};
    if (name == "epilogue") return {request::epilogue_names.begin(), request::epilogue_names.end()};
    if (name == "names") return studies();
    return choices_in(option.get_type_name());
}

// The key is the word ahead of the value, or the subcommand whose own word it is.
std::map<std::string, std::vector<std::string>> all_values(const CLI::App& app) {
    std::map<std::string, std::vector<std::string>> found;
    for (const CLI::App* sub : subcommands_of(app))
        for (const CLI::Option* option : sub->get_options()) {
            std::vector<std::string> values = known_values(*option);
            if (values.empty()) continue;
            const auto& names = option->get_lnames();
            found[names.empty() ? sub->get_name() : "--" + names.front()] = std::move(values);
        }
    return found;
}

constexpr std::string_view bash = R"(# Completions of carat; made by `carat completion bash`.
_carat() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} first= found= values=
    [[ $COMP_CWORD -eq 1 ]] || first=${{COMP_WORDS[1]}}
    case $first in
    '') found={} ;;
{}    esac
    [[ $before == -* || $COMP_CWORD -eq 1 ]] || before=$first
    [[ -z $first ]] || case $before in
{}    esac
    COMPREPLY=()
    if [[ -z $first || $word == -* ]]; then
        COMPREPLY=($(compgen -W "$found" -- "$word"))
    elif [[ -n $values ]]; then  # of a list, what follows its last comma
        local last=${{word##*,}}
        COMPREPLY=($(compgen -P "${{word%"$last"}}" -W "$values" -- "$last"))
    fi
}}
complete -o default -F _carat carat
)";

constexpr std::string_view zsh = R"(#compdef carat
# Completions of carat; made by `carat completion zsh`.
_carat() {{
    local first= before=$words[CURRENT-1]
    local -a found values
    (( CURRENT == 2 )) || first=$words[2]
    case $first in
    '') found={} ;;
{}    esac
    [[ $before == -* || $CURRENT -eq 2 ]] || before=$first
    [[ -z $first ]] || case $before in
{}    esac
    if [[ -z $first || $PREFIX == -* ]]; then
        _describe carat found
    elif (( $#values )); then
        compset -P '*,'
        compadd -a values
    else
        _files
    fi
}}
if [[ $funcstack[1] == _carat ]]; then _carat "$@"; else compdef _carat carat; fi
)";

std::string script_for(const CLI::App& app, const std::string& shell) {
    const bool is_bash = shell == "bash";
    const auto words = is_bash ? for_bash : for_zsh;
    std::string cases, values;
    for (const CLI::App* sub : subcommands_of(app))
        cases += fmt::format("    {}) found={} ;;\n", sub->get_name(), words(options_of(*sub)));
    for (const auto& [ahead, those] : all_values(app))
        values += fmt::format("    {}) values={}{}{} ;;\n", ahead, is_bash ? '"' : '(',
                              fmt::join(those, " "), is_bash ? '"' : ')');
    return fmt::format(fmt::runtime(is_bash ? bash : zsh), words(first_words_of(app)), cases,
                       values);
}

}  // namespace

void add_completion(CLI::App& app, action& chosen) {
    auto shell = std::make_shared<std::string>();
    CLI::App* sub = app.add_subcommand("completion", "print a completion script for bash or zsh");
    sub->add_option("SHELL", *shell, "bash or zsh")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
    sub->footer(
        "Packages install it. By hand:\n"
        "  source <(carat completion bash)                       in ~/.bashrc\n"
        "  carat completion zsh > \"${fpath[1]}/_carat\"           and a new shell");
    sub->callback([&app, &chosen, shell] {
        chosen = [&app, shell] {
            std::fputs(script_for(app, *shell).c_str(), stdout);
            return success;
        };
    });
}

}  // namespace carat::cli
