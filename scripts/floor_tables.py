"""How far products on a GPU are from the least time that the machine allows: docs/floors.md."""

import itertools
import math
import re

from tables_common import gpu_source, load, pair_in, size_of, table

FILE = "h200/floors.json"
SIZES = ("dtype", "m", "n", "k")
CALL = ("layout", "batch", "groups", "beta", "epilogue", "out")


def told_cases(results):
    """(carat's result, the fastest vendor's, the case's comparison); cases of one size are told in order."""
    compared = {}
    for comparison in results["comparisons"]:
        compared.setdefault(tuple(comparison[key] for key in SIZES), []).append(comparison)
    def case_of(result):
        return tuple(result.get(key) for key in SIZES + CALL)
    for case, found in itertools.groupby(results["results"], case_of):
        comparison = compared[case[:len(SIZES)]].pop(0)
        cells = sorted((r for r in found if r.get("rank", 0) > 0), key=lambda r: r["rank"])
        ours = next((r for r in cells if r["implementation"].startswith("cuda.engine")), None)
        vendor = next((r for r in cells if r["implementation"].startswith("vendor.")), None)
        if ours and vendor:
            yield ours, vendor, comparison


def product_of(result):
    """Its size and what the call asks beyond C = A B."""
    groups = re.fullmatch(r"uneven:\d+:(\d+)/(\d+)", result.get("groups", ""))
    asked = [f"{groups[2]} groups, {groups[1]} rows in all" if groups else "",
             f"batch of {result['batch']}" if result.get("batch", 1) > 1 else "",
             result["layout"] if result.get("layout", "nn") != "nn" else "",
             "E = C" if result.get("beta") else "", result.get("epilogue", "")]
    return ", ".join([size_of(result), *filter(None, asked)])


def type_of(result):
    """What f32 data are computed in; of others their type, and C's where it is another one."""
    if result["dtype"] == "f32":
        return result["computes_in"].split(" ")[0]
    narrow = result["dtype"] in ("bf16", "f16", "e4m3", "e5m2")
    out = result.get("out") or ("f32" if narrow else result["dtype"])
    return result["dtype"] if out == result["dtype"] else f"{result['dtype']} into {out}"


def not_run(results):
    """What a vendor's routine that could not run says."""
    said = [f"`{r['implementation']}` did not run {product_of(r)}: {r['reason']}.\n"
            for r in results["results"] if not r["available"]]
    return "".join("\n" + line for line in said)


def plan_of(result):
    """Tiles and waves, without what follows them in the plan's words."""
    plan = result.get("plan", "")
    found = re.match(r".*?\d+ of them(?: for \d+ products?)?(?: in [\d.]+ waves)?", plan)
    return found[0] if found else plan or "-"


def floor_s(result):
    """The least time, by the limits that were measured in that run; bytes are read or written once."""
    return result["flop"] / (result["roofline_gflops"] * 1e9)


def floors():
    results = load(FILE)
    rows, shares = [], []
    for ours, vendor, comparison in told_cases(results):
        least = floor_s(ours)
        ratio, (low, high), _ = pair_in(comparison, ours["implementation"], vendor["implementation"])
        shares.append((least / ours["median_s"], least / vendor["median_s"]))
        rows.append([type_of(ours), product_of(ours), f"{ours['flop'] / ours['arithmetic_intensity'] / 1e6:.4g}",
                     f"{ours['flop'] / 1e9:.4g}", f"{1e6 * least:.1f}", ours["bound"],
                     f"{1e6 * ours['median_s']:.1f}", f"{100 * shares[-1][0]:.0f}",
                     f"{1e6 * vendor['median_s']:.1f}", f"{100 * shares[-1][1]:.0f}",
                     f"{ratio:.2f} [{low:.2f}, {high:.2f}]", plan_of(ours)])
    head = ["type", "M x N x K", "MB", "GFLOP", "floor, us", "bound by", "carat, us", "floor / time, %",
            "cuBLAS, us", "floor / time, %", "carat / cuBLAS", "plan"]
    means = [math.exp(sum(math.log(pair[side]) for pair in shares) / len(shares)) for side in (0, 1)]
    return (table(head, ["---", "---"] + ["--:"] * 3 + ["---"] + ["--:"] * 5 + ["---"], rows)
            + not_run(results) + f"\nGeometric mean of floor / time: carat {means[0]:.2f}, cuBLAS {means[1]:.2f}.\n"
            + gpu_source(results, FILE))


PAGES = {"docs/floors.md": {"floors": floors}}
