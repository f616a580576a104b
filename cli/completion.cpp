// carat completion: what a shell completes after "carat", from the subcommands' own options.
// Packages install what it prints; it is in no help.
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"

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

constexpr std::string_view bash = R"(# Completions of carat; made by `carat completion bash`.
_carat() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} first= found=
    [[ $COMP_CWORD -eq 1 ]] || first=${{COMP_WORDS[1]}}
    case $first in
    '') found={} ;;
{}    esac
    COMPREPLY=()
    [[ -n $first && $word != -* ]] || COMPREPLY=($(compgen -W "$found" -- "$word"))
}}
complete -o default -F _carat carat
)";

constexpr std::string_view zsh = R"(#compdef carat
# Completions of carat; made by `carat completion zsh`.
_carat() {{
    local first=
    local -a found
    (( CURRENT == 2 )) || first=$words[2]
    case $first in
    '') found={} ;;
{}    esac
    if [[ -n $first && $PREFIX != -* ]]; then _files; else _describe carat found; fi
}}
if [[ $funcstack[1] == _carat ]]; then _carat "$@"; else compdef _carat carat; fi
)";

std::string script_for(const CLI::App& app, const std::string& shell) {
    const auto words = shell == "bash" ? for_bash : for_zsh;
    std::string cases;
    for (const CLI::App* sub : subcommands_of(app))
        cases += fmt::format("    {}) found={} ;;\n", sub->get_name(), words(options_of(*sub)));
    return fmt::format(fmt::runtime(shell == "bash" ? bash : zsh), words(first_words_of(app)),
                       cases);
}

}  // namespace

void add_completion(CLI::App& app, action& chosen) {
    auto shell = std::make_shared<std::string>();
    CLI::App* sub = app.add_subcommand("completion", "Print what a shell completes after carat");
    sub->group("");
    sub->add_option("SHELL", *shell, "bash or zsh")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
    sub->callback([&app, &chosen, shell] {
        chosen = [&app, shell] {
            std::fputs(script_for(app, *shell).c_str(), stdout);
            return success;
        };
    });
}

}  // namespace carat::cli
