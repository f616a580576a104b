"""The property audit of docs/properties.md: each property of the product, what document 002 claims
of it, and what the committed results say."""

from study_tables import LOCAL, cell, product
from tables_common import load, ranked, table


def associativity():
    """Sums in another order differ in their last bits: the errors of two orders differ."""
    found = {c["implementation"].removeprefix("cpu.ladder."): c
             for c in ranked(load("cpu/ladder.json"), dtype="f64")}
    a, b = found["naive"], found["tiled"]
    return (f"worst error {a['error_ulp']:.3g} u when summed along k, {b['error_ulp']:.2g} u when summed tile "
            f"by tile; bound {a['error_bound_ulp']:.0f} u", "cpu/ladder.json")


def separability():
    results = load("h200/engine.json")
    by_parts = {}
    for c in ranked(results, m=32, n=1024, k=8192):  # the fastest first
        if c["implementation"].startswith("cuda.engine") and c["tunables"].get("tile") == 32:
            by_parts.setdefault(c["tunables"]["parts"], c["median_s"])
    best = min(by_parts, key=by_parts.get)
    return (f"32 x 1024 x 8192 on the GPU: split into {best} parts along K it takes {1e6 * by_parts[best]:.1f} us, "
            f"whole {1e6 * by_parts[1]:.1f} us", "h200/engine.json")


def locality():
    arithmetic = {"simd", "register_tile"}
    texts = [f"{dtype}, one core: {product(dtype):.0f} x in all, {product(dtype, LOCAL):.1f} x of it "
             f"from moving data, {product(dtype, arithmetic):.1f} x from SIMD and the register "
             "tile" for dtype in ("f64", "f32")]
    return "; ".join(texts), "cpu/ladder.json"


def sparsity():
    results = load("h200/narrow.json")
    row = next(row for row in results["machine"]["gpus"][0]["peaks"]["compute"]
               if row["unit"] == "tensor f16")
    return (f"no zero is skipped, yet values matter: f16 tensor cores do {row['constant_input_gflops'] / 1e3:.0f} "
            f"TFLOP/s on operands all 1, {row['gflops'] / 1e3:.0f} on random ones", "h200/narrow.json")


def redundancy():
    n = 8192
    wide = cell(load("h200/f32.json"), "vendor.cublaslt_best", dtype="f32", n=n)
    narrow = cell(load("h200/narrow.json"), "vendor.cublaslt_best", dtype="f16", n=n)
    return (f"f16 data, summed in {narrow['computes_in']}, at "
            f"{narrow['median_gflops'] / wide['median_gflops']:.1f} x the rate of f32 data (N = {n}); worst "
            f"error {narrow['error_ulp']:.0f} u against {wide['error_ulp']:.0f} u, both in u of f32",
            "h200/narrow.json")


def symmetry():
    return "not measured: no results file holds a symmetric product", None


def codesign():
    rows = load("h200/f32.json")["machine"]["gpus"][0]["peaks"]["compute"]
    peak = {row["unit"]: row["gflops"] for row in rows}
    return (f"measured peaks of one GPU: f16 tensor cores {peak['tensor f16'] / peak['ffma']:.1f} x, tf32 "
            f"{peak['tensor tf32'] / peak['ffma']:.1f} x, f64 {peak['dmma'] / peak['dfma']:.1f} x the "
            "plain units of f32, f32 and f64", "h200/f32.json")


AUDIT = [("Associativity", "yes: the result is the same whatever the order", "exact in the reals only",
          associativity),
         ("Separability", "partial: across K", "yes, and it pays where C has few tiles", separability),
         ("Locality", "primary: the speed-up is almost entirely from it", "the larger part, not almost all", locality),
         ("Sparsity", "no zeros to skip", "no zeros to skip, but power depends on the values", sparsity),
         ("Redundancy", "partial: low precision", "yes, for a known error", redundancy),
         ("Symmetry", "no", "no for a general product", symmetry),
         ("Hardware co-design", "tensor cores 10 to 20 x CUDA cores", "by type", codesign)]


def audit():
    rows = []
    for name, claim, verdict, measure in AUDIT:
        value, file = measure()
        rows.append([name, claim, verdict, value, f"`results/{file}`" if file else "-"])
    head = ["property", "document 002 says", "carat finds", "measured", "file"]
    return table(head, ["---"] * 5, rows)


PAGES = {"docs/properties.md": {"audit": audit}}
