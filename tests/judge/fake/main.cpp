// carat_judge_on_fake_gpu TARGET: whether it is right, as `carat judge` says it, with its exit
// code.
#include <fmt/format.h>

#include "lab/judge/judge.hpp"

int main(int argc, char** argv) {
    using namespace carat;
    if (argc != 2) return 3;
    judge::request asked;
    asked.target = argv[1];
    asked.sizes = {{70, 60, 50}};
    asked.at_least = 0;
    asked.timeout_s = 5;
    asked.seed = 7;
    const judge::outcome found = judge::judge(asked, {});
    fmt::print("{}: {}\n", found.gpu, found.sentence());
    return found.ruled == judge::ruling::right ? 0 : 2;
}
