"""The pictures of docs/gpu.md, from results/h200."""

import matplotlib.pyplot as plt
from figures import FuncFormatter, ceiling, line, load, log_axes, revision, save, squares

LADDER = {
    "vendor.cublas": ("#009E73", "-", 2.2),
    "cuda.ladder.warp_tiled": ("#D55E00", "-", 2.2),
    "cuda.ladder.double_buffered": ("#E69F00", "-", 1.4),
    "cuda.ladder.vectorised": ("#CC79A7", "-", 1.4),
    "cuda.ladder.register_tiled": ("#0072B2", "-", 1.4),
    "cuda.ladder.tiled": ("#56B4E9", "-", 1.4),
    "cuda.ladder.coalesced": ("#555555", "--", 1.2),
    "cuda.ladder.naive": ("#888888", ":", 1.4),
}

# Dtype of the data, implementation, the precision it computes in, and how its line looks.
TENSOR = [
    ("along_k", "i8", "vendor.cublaslt_best", "i8, cuBLASLt", ("#E69F00", "-", 1.6)),
    ("along_k", "i8", "cuda.engine", "i8, carat", ("#D55E00", "--", 1.8)),
    ("along_k", "e4m3", "vendor.cublaslt_fp8_fast_best", "e4m3, cuBLASLt", ("#CC79A7", "-", 1.6)),
    ("narrow", "bf16", "vendor.cublaslt_best", "bf16, cuBLASLt", ("#009E73", "-", 1.6)),
    ("narrow", "f16", "vendor.cublaslt_best", "f16, cuBLASLt", ("#0072B2", "-", 1.6)),
    ("narrow", "f16", "cuda.engine", "f16, carat", ("#D55E00", "-", 1.8)),
    ("narrow", "f16", "cuda.ladder.wmma_shared", "f16, WMMA in shared memory",
     ("#0072B2", "--", 1.4)),
    ("narrow", "f16", "cuda.ladder.wmma", "f16, WMMA", ("#0072B2", ":", 1.4)),
    ("f32", "f32", "vendor.cublaslt_tf32_best", "tf32, cuBLASLt", ("#56B4E9", "-", 1.6)),
    ("f32", "f32", "vendor.cublaslt_best", "f32, cuBLASLt", ("#555555", "-", 1.6)),
    ("f64", "f64", "vendor.cublaslt_best", "f64, cuBLASLt", ("#888888", "--", 1.6)),
]


def gpu_conditions(results):
    gpus = results["machine"]["gpus"]
    rotated = "inputs rotated beyond L2; " if results["settings"].get("inputs") == "rotated" else ""
    return (f"{gpus[0]['name'] if gpus else 'NVIDIA H200'}; {rotated}medians with 95 % intervals; "
            f"{revision(results)}")


def sizes_of(results):
    return sorted({c["n"] for c in results["cells"] if c["m"] == c["n"] == c["k"]})


def measured_peak(results, unit):
    """The measured ceiling of an arithmetic unit of the GPU, in GFLOP/s, or None."""
    for gpu in results["machine"]["gpus"]:
        compute = gpu.get("ceilings", {}).get("compute", [])
        return max((c["gflops"] for c in compute if c["unit"] == unit), default=None)
    return None


def ladder():
    results = load("h200/f32.json")
    figure, axes = plt.subplots(figsize=(8.2, 4.6))
    for name, style in LADDER.items():
        line(axes, squares(results, name, "f32", 1), *style, name, 1e-3)
    if (peak := measured_peak(results, "ffma")) is not None:
        ceiling(axes, peak / 1e3, f"measured peak {peak / 1e3:.0f}")
    log_axes(axes, sizes_of(results))
    axes.set(title="f32 without tensor cores", xlabel="N (square products)", ylabel="TFLOP/s")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    figure.text(0.06, -0.03, gpu_conditions(results), fontsize=8, color="#555555")
    save(figure, "gpu_ladder.svg")


def tensor():
    files = {name: load(f"h200/{name}.json") for name in ("narrow", "along_k", "f32", "f64")}
    figure, axes = plt.subplots(figsize=(8.2, 4.6))
    for file, dtype, implementation, label, style in TENSOR:
        line(axes, squares(files[file], implementation, dtype, 1), *style, label, 1e-3)
    log_axes(axes, sizes_of(files["narrow"]))
    axes.set(title="The same product, by the precision computed in", xlabel="N (square products)",
             ylabel="TFLOP/s")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    figure.text(0.06, -0.03, gpu_conditions(files["narrow"]), fontsize=8, color="#555555")
    save(figure, "gpu_precisions.svg")


def tiles():
    results = load("h200/tiles.json")
    largest = max(sizes_of(results))
    figure, both = plt.subplots(1, 2, figsize=(9.2, 3.2), sharey=True, layout="constrained")
    for axes, dtype in zip(both, ("f32", "f64")):
        cells = [c for c in results["cells"]
                 if c.get("rank", 0) > 0 and c["dtype"] == dtype and c["n"] == largest]
        values = [c["median_gflops"] / 1e3 for c in cells]
        axes.barh(range(len(cells)), values, color="#0072B2", height=0.7)
        for i, value in enumerate(values):
            axes.text(value, i, f" {value:.3g}", va="center", fontsize=9)
        axes.set_yticks(range(len(cells)),
                        [c["implementation"].removeprefix("cuda.ladder.") for c in cells])
        axes.set(title=f"{dtype}, N = {largest}, by the tile", xlabel="TFLOP/s",
                 xlim=(0, 1.15 * max(values)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.grid(axis="y", visible=False)
    figure.text(0.0, -0.06, gpu_conditions(results), fontsize=8, color="#555555")
    save(figure, "gpu_tiles.svg")


def gains(found):
    return "never wins" if found["n"] is None else f"wins from N = {found['n']:.0f}"


def crossover():
    results = load("h200/crossover.json")
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    colours = iter(("#0072B2", "#D55E00", "#CC79A7"))
    for found in results["crossovers"]:
        colour = next(colours)
        sizes = [p["n"] for p in found["points"]]
        low, high = zip(*(p["ci95_gpu_s"] for p in found["points"]))
        axes.fill_between(sizes, [1e3 * x for x in low], [1e3 * x for x in high], color=colour,
                          alpha=0.2, linewidth=0)
        axes.plot(sizes, [1e3 * p["gpu_s"] for p in found["points"]], color=colour,
                  label=f"{found['gpu']}, end to end: {gains(found)}")
        if found["n"] is not None:
            axes.axvspan(*found["ci95"], color=colour, alpha=0.12, linewidth=0)
    points = max((found["points"] for found in results["crossovers"]), key=len)
    axes.plot([p["n"] for p in points], [1e3 * p["cpu_s"] for p in points], "--", color="#333333",
              label="the best on the CPU")
    log_axes(axes, [2, 8, 32, 128, 512, 2048])
    axes.set(title="f32: when a GPU pays, copies and allocations included", xlabel="N",
             ylabel="milliseconds")
    axes.legend(frameon=False, fontsize=9)
    figure.text(0.06, -0.03, gpu_conditions(results), fontsize=8, color="#555555")
    save(figure, "gpu_crossover.svg")


def draw_all():
    ladder()
    tensor()
    tiles()
    crossover()
