"""The tables of docs/documents.md: what the five documents print beside the limits that makers publish
for the documents' own GPUs. Figures stand once, in lab/study/published.hpp and costs/published.json."""

import json
import re

from tables_common import ROOT, table

UNITS = {"dfma": "f64", "dmma": "f64, tensor cores", "ffma": "f32", "tensor tf32": "tf32",
         "tensor f16": "f16", "tensor bf16": "bf16", "tensor e4m3": "fp8", "tensor i8": "int8"}


def published():
    return json.loads((ROOT / "costs/published.json").read_text())


def gpu(name):
    return next(one for one in published()["gpus"] if one["name"] == name)


def printed(array):
    """The rows of an array of lab/study/published.hpp, numbers as numbers."""
    text = (ROOT / "lab/study/published.hpp").read_text()
    body = re.search(rf"{array}\[\] = {{(.*?)}};", text, re.S)[1] + "}"
    rows = re.findall(r"{([^{}]*)}", body)
    return [[json.loads(part) for part in re.findall(r'"[^"]*"|[-\d.e]+', row)] for row in rows]


def share(gflops, limit):
    return f"{100 * gflops / limit:.3g} %"


def limits():
    """A row for each GPU, a column for each type."""
    gpus = published()["gpus"]
    rows = [[one["name"], f"{one['compute_capability'] / 10:.1f}", str(one["sms"]),
             *(f"{one['tflops'][unit]:g}" if unit in one["tflops"] else "-" for unit in UNITS),
             f"{one['memory_gb_per_s']:g}", str(one["l2_mib"]), str(one["shared_kib"])]
            for one in gpus]
    head = ["GPU", "capability", "SMs", *UNITS.values(), "memory, GB/s", "L2, MiB", "shared, KiB"]
    sources = "".join(f"- {text}\n" for text in published()["sources"].values())
    return table(head, ["---"] + ["--:"] * (len(head) - 1), rows) + (
        "\nPublished, not measured. TFLOP/s at the boost clock, dense; f16, bf16 and fp8 with sums in "
        "f32. From:\n\n" + sources)


def five():
    """000, on a V100."""
    limit = 1000 * gpu("Tesla V100 PCIe 16 GB")["tflops"]["dfma"]
    rates = {(name, n): gflops for name, n, gflops in printed("point five_algorithms_means")}
    rows = [[str(n), *(cell for name in ("CuBLAS", "CUDA")
                       for cell in (f"{rates[name, n]:g}", share(rates[name, n], limit)))]
            for n in sorted({n for _, n in rates})]
    return table(["N, f64", "cuBLAS, GFLOP/s", "of the limit", "tiled kernel, GFLOP/s", "of the limit"],
                 ["--:"] * 5, rows) + (
        f"\nThe limit of a V100 (PCIe) is {limit:g} GFLOP/s in f64 at every N here: 900 GB/s feed "
        "75 TFLOP/s at N = 1000.\n")


def investigation():
    """002, on an A100."""
    a100 = gpu("A100 40 GB")["tflops"]
    rows = []
    for name, seconds in printed("step investigation_steps"):
        if name.startswith("GPU"):
            gflops = 2 * 2048**3 / seconds / 1e9
            rows.append([name, f"{1e3 * seconds:g}", f"{gflops:.4g}",
                         share(gflops, 1e3 * a100["ffma"]), share(gflops, 1e3 * a100["tensor tf32"])])
    return table(["2048, f32 data", "ms", "GFLOP/s", "of f32's limit", "of tf32's limit"],
                 ["---", "--:", "--:", "--:", "--:"], rows)


def dense():
    """003, on an L40S."""
    limit = 1000 * gpu("L40S")["tflops"]["ffma"]
    rows = [[str(n), name, f"{gflops:g}", share(gflops, limit)]
            for name, n, gflops in printed("point dense_points")]
    rows += [["2048", f"tiled, {size} x {size}", f"{gflops:g}", share(gflops, limit)]
             for size, gflops in printed("tile dense_tiles")]
    return table(["N, f32", "kernel", "GFLOP/s", "of the limit"], ["--:", "---", "--:", "--:"], rows)


def precisions():
    """004, on an RTX 4050 of a laptop; its tensor cores get f16 whatever the rows say."""
    tflops = gpu("GeForce RTX 4050 Laptop")["tflops"]
    rows = []
    for dtype, block, method, n, gflops in printed("block_point precision_points"):
        unit = "tensor f16" if method == "wmma" else {"f64": "dfma", "f32": "ffma"}[dtype]
        rows.append([str(n), dtype, str(block), method, f"{gflops:g}", f"{1000 * tflops[unit]:g}",
                     share(gflops, 1000 * tflops[unit])])
    return table(["N", "type", "block", "kernel", "GFLOP/s", "limit", "of it"],
                 ["--:", "---", "--:", "---", "--:", "--:", "--:"], rows)


PAGES = {"docs/documents.md": {"limits": limits, "five": five, "investigation": investigation,
                               "dense": dense, "precisions": precisions}}
