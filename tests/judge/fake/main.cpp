// carat_judge_on_fake_gpu TARGET [AT_LEAST]: like `carat judge`, with its exit code.
#include <cstdlib>
#include <fmt/format.h>

#include <carat/error.hpp>

#include "lab/judge/judge.hpp"

int main(int argc, char** argv) {
    using namespace carat;
    if (argc < 2) return 3;
    judge::options asked;
    asked.target = argv[1];
    asked.python_on_gpu = asked.target.find(".py:") != asked.target.npos;
    asked.sizes = {{70, 60, 50}};
    asked.at_least = argc > 2 ? std::atof(argv[2]) : 0;
    asked.timeout_s = 5;
    asked.seed = "7";
    try {
        const judge::outcome found = judge::judge(asked, {});
        fmt::print("{}: {}\n", found.gpu, found.sentence());
        return found.ruled == judge::ruling::right ? 0 : 2;
    } catch (const error& failure) {
        fmt::print("{}\n", failure.what());
        return 3;
    }
}
