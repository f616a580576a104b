"""What the tables of every page share: results, the cells of a case, rows of Markdown."""

import json
import math
import pathlib
import random
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent


def load(name):
    return json.loads((ROOT / "results" / name).read_text())


def ranked(results, **case):
    cells = [c for c in results["results"]
             if c.get("rank", 0) > 0 and all(c[key] == value for key, value in case.items())]
    return sorted(cells, key=lambda c: c["rank"])


def cases(results):
    keys = ("dtype", "threads", "m", "n", "k")
    return [{key: c[key] for key in keys} for c in results["comparisons"]]


def table(head, align, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(align) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def lost_table(head, align, found):
    """The (ratio, interval, row) whose interval lies below 1, and a sentence on the others."""
    rows = [row for _, interval, row in sorted(found) if interval[1] < 1]
    won = [ratio for ratio, interval, _ in found if interval[0] > 1]
    text = table(head, align, rows) + "\n" if rows else ""
    open_cases = len(found) - len(rows) - len(won)
    return text + (f"A peer is faster in {len(rows)} of {len(found)} cases. carat is faster in {len(won)}, by "
                   f"a factor of {min(won):.2f} to {max(won):.2f}. In the other {open_cases} the interval "
                   "contains 1.\n")


def cores(machine):
    return f"{machine['cores']} core{'' if machine['cores'] == 1 else 's'}"


def brackets(results):
    """What intervals are over: files measured before processes were replicated say it."""
    over = ("" if any("trials_per_process" in r for r in results["results"])
            else " within one process")
    return f"Brackets: 95 % intervals{over}.\n"


def source(results, file):
    machine = results["machine"]
    return (f"\n`results/{file}`: {machine['cpu_model']}, {cores(machine)}"
            + (f" of a {machine['hypervisor']} guest" if machine["hypervisor"] else "")
            + f", revision {results['revision']}, {results['date'][:10]}. " + brackets(results))


def pair_of(results, case, a, b):
    for comparison in results["comparisons"]:
        if all(comparison[key] == value for key, value in case.items()):
            found = pair_in(comparison, a, b)
            if found:
                return found
    return None


def pair_in(comparison, a, b):
    """(ratio of a to b, its interval, verdict) of one case; None if it doesn't compare them."""
    for pair in comparison["pairs"]:
        low, high = pair["ci95_ratio"] or (0, math.inf)
        if (pair["a"], pair["b"]) == (a, b):
            return pair["ratio"], [low, high], pair["verdict"]
        if (pair["a"], pair["b"]) == (b, a):
            swap = {"faster": "slower", "slower": "faster"}
            return (1 / pair["ratio"], [1 / high, 1 / low if low else math.inf],
                    swap.get(pair["verdict"], pair["verdict"]))
    return None


FEWEST_CASES = 6  # with an interval, as in lab/statistics/sets.hpp


def mean_of(found):
    """Geometric mean of ratios, and its 95 % interval as text: resampled over the cases."""
    logs = [math.log(ratio) for ratio, _, _ in found]
    mean = math.exp(statistics.fmean(logs))
    if len(logs) < FEWEST_CASES:
        return mean, "-"
    draw = random.Random(1)
    means = sorted(statistics.fmean(draw.choices(logs, k=len(logs))) for _ in range(10000))
    low, high = (math.exp(means[i]) for i in (250, 9749))
    return mean, f"[{low:.2f}, {high:.2f}]"


def gflops_span(cell, form=".4g", unit=1):
    """Its interval; of fewer than three processes the range of its trials, called so."""
    if cell["ci95_gflops"]:
        low, high = cell["ci95_gflops"]
        return f"[{low / unit:{form}}, {high / unit:{form}}]"
    low, high = (cell["flop"] / trial / 1e9 for trial in (max(cell["trials_s"]),
                                                          min(cell["trials_s"])))
    return f"trials {low / unit:{form}} to {high / unit:{form}}"


def size_of(case):
    if case["m"] == case["n"] == case["k"]:
        return str(case["n"])
    return f"{case['m']}x{case['n']}x{case['k']}"


def gpu_source(results, *files):
    gpus = results["machine"]["gpus"]
    names = ", ".join(f"`results/{file}`" for file in files)
    return (f"\n{names}: {gpus[0]['name'] if gpus else 'NVIDIA H200'}, revision "
            f"{results['revision']}, {results['date'][:10]}. " + brackets(results))
