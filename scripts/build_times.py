#!/usr/bin/env python3
"""Where the time of a build and of its tests went.

    scripts/build_times.py BUILD_FOLDER [--most ROWS] [--cpu-minutes BUDGET]
                           [--cached-cpu-minutes BUDGET]

Job seconds are from Ninja's log: how long each step last ran, beside others on the same cores. Seconds
of tests are from CTest's. CPU minutes are those of the last `./dev` command over the folder. Exit
status 1 where these exceed the budget by more than a quarter: --cached-cpu-minutes where ccache had
nearly all objects of the build, --cpu-minutes otherwise.

A budget is for the processors of results/cpu/first_hour.json. Where one is exceeded, a fixed
compilation says whether this machine is slower now, and the budget grows by as much.
"""

import argparse
import collections
import os
import pathlib
import resource
import subprocess
import sys

TOLERANCE = 1.25
NEARLY_ALL = 0.95
YARDSTICK = """
#include <algorithm>
#include <map>
#include <regex>
#include <string>
int main(int count, char** words) {
    std::map<std::string, int> seen;
    for (int i = 0; i < count; ++i) seen[std::regex_replace(words[i], std::regex("a+"), "b")]++;
    return std::max(count, static_cast<int>(seen.size()));
}
"""
YARDSTICK_S = 3.2  # of processor time, where the budgets were measured, others at work there
PARTS = ("src", "lab", "tests", "ladder")  # whose folders are modules


def steps(build):
    """What was made -> job seconds. A step that makes several files is one, under its first."""
    found = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, made, command = line.split("\t")
        found[command, start, end] = found.get((command, start, end), made)
    last = {}
    for (_, start, end), made in found.items():
        last[made] = (int(end) - int(start)) / 1000
    return last


def module_of(made):
    """src/cpu, lab/report, cli, tests/api."""
    folders = pathlib.PurePath(made).parts[:-1]
    return "/".join(folders[:2 if folders[:1] and folders[0] in PARTS else 1]) or "."


def tests(build):
    """Test -> seconds, the mean of its runs."""
    costs = build / "Testing" / "Temporary" / "CTestCostData.txt"
    if not costs.exists():
        return {}
    known = costs.read_text().split("---\n")[0].splitlines()
    return {name: float(seconds) for name, _, seconds in (line.rsplit(" ", 2) for line in known)}


def table(title, rows, most):
    ordered = sorted(rows.items(), key=lambda row: -row[1])
    print(f"\n{title}: {sum(rows.values()):.0f} s")
    for name, seconds in ordered[:most]:
        print(f"{seconds:9.1f}  {name}")
    if len(ordered) > most:
        print(f"{sum(seconds for _, seconds in ordered[most:]):9.1f}  {len(ordered) - most} others")


def cpu_minutes(build):
    """Wall, user and system seconds of the last build and the last tests, as noted by ./dev."""
    total = 0
    for part in ("build", "tests"):
        note = build / f"seconds_of_{part}"
        if note.exists() and note.read_text().strip():  # it is empty while that runs
            wall, user, system = map(float, note.read_text().split())
            print(f"{part}: {wall / 60:.1f} minutes, {(user + system) / 60:.1f} CPU minutes")
            total += (user + system) / 60
    return total


def cached_share(build):
    """The share of the last build's compilations that ccache had; None where it compiled none."""
    log = build / "ccache.log"
    if not log.exists():
        return None
    said = collections.Counter(log.read_text().splitlines())
    had = said["direct_cache_hit"] + said["preprocessed_cache_hit"]
    compiled = had + said["cache_miss"]
    if compiled == 0:
        return None
    print(f"compilations: {compiled}, of which ccache had {had}")
    return had / compiled


def slowness():
    """How many times as long as where the budgets were measured a compilation takes; at least 1."""
    def compile_once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-x", "c++", "-c", "-",
                        "-o", os.devnull], input=YARDSTICK, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return max(1, sorted(compile_once() for _ in range(3))[1] / YARDSTICK_S)


def hold_against(budget, option, spent):
    if spent <= TOLERANCE * budget:
        return
    slower = slowness()
    if spent <= TOLERANCE * budget * slower:
        print(f"above {budget:g} CPU minutes, on processors that are {slower:.2f} times as slow")
        return
    sys.exit(f"build_times: {spent:.1f} CPU minutes, more than a quarter above the {budget:g} that "
             f"{option} allows; the tables above say where they went")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=15, help="rows of each table")
    parser.add_argument("--cpu-minutes", type=float, help="the budget of the build and its tests")
    parser.add_argument("--cached-cpu-minutes", type=float,
                        help="that of a build whose objects ccache had")
    asked = parser.parse_args()
    if not (asked.build / ".ninja_log").exists():
        sys.exit(f"build_times: {asked.build} is no folder that Ninja built in")

    made = steps(asked.build)
    modules = collections.Counter()
    for name, seconds in made.items():
        modules[module_of(name)] += seconds
    table("job seconds by module", modules, asked.most)
    table("job seconds by step", made, asked.most)
    of_tests = tests(asked.build)
    if of_tests:
        table("seconds by test", of_tests, asked.most)
    print()
    spent = cpu_minutes(asked.build)
    share = cached_share(asked.build)
    if asked.cached_cpu_minutes and share is not None and share >= NEARLY_ALL:
        hold_against(asked.cached_cpu_minutes, "--cached-cpu-minutes", spent)
    elif asked.cpu_minutes:
        hold_against(asked.cpu_minutes, "--cpu-minutes", spent)


if __name__ == "__main__":
    main()
