#!/usr/bin/env python3
"""Where the time of a build and of its tests went.

    scripts/build_times.py BUILD_FOLDER [--most ROWS] [--cpu-minutes BUDGET]

Job seconds are from Ninja's log: how long each step last ran, beside others on the same cores. Seconds
of tests are from CTest's. CPU minutes are those of the last `./dev` command over the folder. Exit
status 1 where these exceed the budget by more than a quarter.
"""

import argparse
import collections
import pathlib
import sys

TOLERANCE = 1.25
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=15, help="rows of each table")
    parser.add_argument("--cpu-minutes", type=float, help="the budget of the build and its tests")
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
    if asked.cpu_minutes and spent > TOLERANCE * asked.cpu_minutes:
        sys.exit(f"build_times: {spent:.1f} CPU minutes, a quarter more than the "
                 f"{asked.cpu_minutes:g} that --cpu-minutes allows")


if __name__ == "__main__":
    main()
