"""The Hopper engine beside the vendor's best, set by set and case by case, from committed results."""

import re

from tables_common import (ROOT, cases, gpu_source, load, lost_table, mean_of, pair_of, ranked,
                           size_of, table)

FILES = [f"h200/against_{name}.json"
         for name in ("bf16", "bf16_few", "f16", "f32", "f64", "fp8", "i8")]
ODD = {1000, 3000, 4000, 4001, 4095, 6000, 10000}


def files():
    return [file for file in FILES if (ROOT / "results" / file).exists()]


# The vendor's shorter products wait for their launches, and more so on a busy host.
SHORT_S = 20e-6


def set_of(case, peer):
    if peer["median_s"] < SHORT_S:
        return f"under {SHORT_S * 1e6:.0f} us"
    if case["m"] != case["n"] or case["n"] != case["k"]:
        return "few rows" if case["m"] <= 128 else "little K"
    if case["n"] in ODD:
        return "odd squares"
    return "squares"


def best_vendor(results, case, computes_in):
    return next((c for c in ranked(results, **case) if c["implementation"].startswith("vendor.")
                 and c["computes_in"] in computes_in), None)


# The peer that an engine's row is compared with.
PEER_OF = {"tf32": ("tf32",), "3xtf32": ("f32",)}


def against():
    """Each row of ours and each case: (data, computed in, set, case, peer, ratio, interval)."""
    for file in files():
        results = load(file)
        for case in cases(results):
            for ours in ranked(results, **case):
                if not ours["implementation"].startswith("cuda.engine"):
                    continue
                how = ours["computes_in"]
                peer = best_vendor(results, case, PEER_OF.get(how, (how,)))
                found = peer and pair_of(results, case, ours["implementation"],
                                         peer["implementation"])
                if found:
                    yield (case["dtype"], how, set_of(case, peer), case, peer["implementation"], ours,
                           found[0], found[1])


def sources():
    """Files of one GPU, revision and day in one line."""
    alike = {}
    for file in files():
        alike.setdefault(gpu_source(load(file)), []).append(file)
    return "".join(gpu_source(load(of[0]), *of) for of in alike.values())


def sets():
    """The geometric mean and the worst of carat / vendor for each set of shapes."""
    grouped = {}
    for data, how, name, case, _, _, ratio, interval in against():
        grouped.setdefault((data, how, name), []).append((ratio, interval, size_of(case)))
    rows = []
    for (data, how, name), found in grouped.items():
        mean, span = mean_of(found)
        worst, _, size = min(found)
        rows.append([data, how, name, str(len(found)), f"{mean:.2f}", span,
                     f"{worst:.2f} at {size}"])
    head = ["data", "computed in", "shapes", "cases", "carat / vendor", "95 % CI", "worst"]
    return table(head, ["---", "---", "---", "--:", "--:", "---", "---"], rows) + sources()


def lost():
    """The cases that the vendor surely wins, and a sentence on all others."""
    found = [(ratio, interval, [data, how, size_of(case), f"{ours['median_gflops'] / 1e3:.4g}",
                                f"`{peer.removeprefix('vendor.')}`", f"{ratio:.2f}",
                                f"[{interval[0]:.2f}, {interval[1]:.2f}]"])
             for data, how, _, case, peer, ours, ratio, interval in against()]
    head = ["data", "computed in", "size", "carat, TFLOP/s", "fastest vendor routine",
            "carat / vendor", "95 % CI"]
    return lost_table(head, ["---", "---", "--:", "--:", "---", "--:", "---"], found) + sources()


def profile(file="h200/profile_after.json"):
    """What the hardware counted while a kernel of each side ran alone."""
    results = load(file)
    rows = []
    for c in results["cases"]:
        if "counted_kernel" not in c:
            continue
        theirs = re.search(r"nvjet_sm90_[a-z]+_(\w+)", c["counted_kernel"])
        ours = re.search(r"(\d+), (\d+), ((?:\d, )+\d)>", c["counted_kernel"])
        # The last two of a kernel's words are: apart (pingpong), and even (stream-K).
        apart, even = (ours[3].split(", ") + ["0"] * 3)[4:6] if ours else ("0", "0")
        kernel = theirs[1] if theirs else c["counted_kernel"] if not ours else (
            f"{ours[1]}x{ours[2]}" + " pingpong" * (apart == "1") + " stream-K" * (even == "1"))
        first, stalls = next(iter(c["stalled"].items()))
        rows.append([c["dtype"], size_of(c), f"`{c['implementation'].removeprefix('vendor.')}`",
                     f"`{kernel}`", f"{c['us']:.4g}", f"{c['tensor_active_percent']:.0f}",
                     f"{c['l2_to_sm_bytes'] / 1e6:.4g}", f"{c['dram_read_bytes'] / 1e6:.3g}",
                     f"{c['warp_instructions'] / 1e6:.3g}", f"{first} {stalls:.1f}"])
    head = ["data", "size", "implementation", "kernel", "us", "tensor cores busy, %", "L2 to SMs, MB",
            "DRAM read, MB", "warp instructions, M", "main stall"]
    return table(head, ["---", "--:", "---", "---", "--:", "--:", "--:", "--:", "--:", "---"], rows) + (
        f"\n`results/{file}`: {results['gpu']}, revision {results['revision']}, "
        f"{results['date']}; each kernel ran alone.\n")


MID_SIZED = "h200/mid_sized.json"


def mid_sized():
    """Random calls of one population: as calls, and as graphs that replay them."""
    results = load(MID_SIZED)
    kinds = {}
    for run in results["runs"]:
        kinds.setdefault(run["name"], {})[run["timed"]] = run
    rows = []
    for name, timed in kinds.items():
        row = [name, str(max(run["cases"] for run in timed.values()))]
        for run in (timed.get("calls"), timed.get("graphs")):
            row += [f"{run['geomean']:.2f} [{run['interval'][0]:.2f}, {run['interval'][1]:.2f}]",
                    f"{run['p5']:.2f}", percent(run["share_at_least_1"])] if run else ["-"] * 3
        rows.append(row)
    head = ["", "cases", "calls: mean", "5th percentile", "at least 1 in", "graphs: mean",
            "5th percentile", "at least 1 in"]
    unlike = [f"{run['unlike_cublas']} of {run['cases']} ({run['name']})" for run in results["runs"]
              if run["timed"] == "calls" and run["unlike_cublas"]]
    said = ("\nEntries differ from cuBLAS's by more than two orders of summation explain in "
            f"{', '.join(unlike)}.\n" if unlike else "")
    return table(head, ["---"] + ["--:"] * 7, rows) + said + (
        f"\n`results/{MID_SIZED}`: {results['gpu']}, revision {results['revision']}, {results['date']}; "
        f"{results['conditions']}. Brackets: two standard errors.\n")


def percent(share):
    return f"{100 * share:.0f} %"


def random_wins():
    """Writes the README's sentence: how many random calls carat wins, without the host."""
    found = [f"{percent(run['share_at_least_1'])} ({run['name'].removesuffix(', any size')})"
             for run in load(MID_SIZED)["runs"]
             if run["track"] == "plain" and run["timed"] == "graphs"
             and run["type"] != "e4m3_fast" and (run["type"], run["multiple"]) != ("bf16", 1)]
    return (f"Of [random calls](docs/gpu.md) in graphs carat wins, against cuBLAS, {', '.join(found)}.\n")
