// The tile explorer: what a tile of a product asks of the caches or of a GPU's multiprocessor, what
// it saves, and the bound that follows, beside what was measured. `model` is lab/model/formulas.hpp.

const lattice = {
  orders: ["ijk", "ikj", "tiled ijk", "tiled ikj"],
  bytes: { f64: 8, f32: 4, i32: 4, f16: 2, bf16: 2, i8: 1, e4m3: 1, e5m2: 1 },
};
const is_tiled = (order) => order.startsWith("tiled");
const is_ijk = (order) => order.endsWith("ijk");

const first_gpu = (machine.gpus ?? []).find((gpu) => gpu.peaks);

/** The data caches of the machine; where none is known, a common desktop's. */
const known_cache = (level) => (machine.caches ?? []).find(
  (c) => c.level === level && c.kind !== "instruction");
const common_kib = { 1: 32, 2: 1024, 3: 32768 };

const explorer = {
  shown: null,     // the inputs, kept while the page is open
  step: 0,         // of the walk that is drawn
  running: null,   // its timer
  draw: null,      // draws the step
};

/** Where an explorer of this file should stand at first: at a case with tiles, else at any. */
function first_inputs() {
  const best_first = (a, b) => b.m * b.n * b.k - a.m * a.n * a.k
    || b.median_gflops - a.median_gflops;
  const tiled = file.results.filter((c) => has_figure(c) && tile_series(c)).sort(best_first);
  const result = tiled.find(on_cpu) ?? tiled[0] ?? file.results.find(has_figure) ?? file.results[0];
  const on_gpu = Boolean(result && !on_cpu(result));
  return {
    device: on_gpu ? "gpu" : "cpu", order: tile_series(result ?? {})?.order ?? "tiled ikj",
    m: result?.m ?? 1024, n: result?.n ?? 1024, k: result?.k ?? 1024,
    tile: result?.tunables?.["tile-size"] ?? 32,
    dtype: lattice.bytes[result?.dtype] ? result.dtype : "f64",
    ...Object.fromEntries([1, 2, 3].map((level) => [`l${level}`,
      Math.round((known_cache(level)?.size_bytes ?? common_kib[level] * 1024) / 1024)])),
    shared: Math.round((first_gpu?.shared_bytes_per_multiprocessor ?? 233472) / 1024),
    gpu_l2: Math.round((first_gpu?.l2_bytes ?? 62914560) / 1024),
  };
}

/** Which curve a measured result belongs to: ladder steps with square tiles, on one core or a GPU. */
function tile_series(result) {
  const name = result.implementation?.split("[")[0];
  const order = { "cpu.ladder.tiled": "tiled ijk", "cpu.ladder.tiled_reordered": "tiled ikj",
                  "cuda.ladder.tiled": "gpu", "cuda.ladder.register_tiled": "gpu" }[name];
  const one_core = !on_cpu(result) || threads_used(result) === 1;
  return order && one_core && result.tunables?.["tile-size"] > 0 ? { order } : null;
}

/** One core's, or a GPU's: of the fastest unit for the type, but on a GPU of plain arithmetic where
 * there is any, which is what the tiled kernels use. */
function peak_for(device, dtype) {
  const units = peaks("compute").filter(
    (row) => row.device === device && row.threads === 1 && row.dtype === dtype);
  const plain = units.filter(({ unit }) => /^(ffma|dfma|imad)$/.test(unit));
  return Math.max(0, ...(plain.length > 0 ? plain : units).map(({ gflops }) => gflops));
}
const bandwidth_for = (device, level) => peaks("bandwidth").find(
  (row) => row.device === device && row.threads === 1 && row.level === level)?.gb_per_s ?? 0;

function levels_for(input) {
  if (input.device === "gpu") {
    return [{ name: "L2", capacity_bytes: input.gpu_l2 * 1024, gb_per_s: bandwidth_for("gpu", "L2"),
              line_bytes: 128 },
            { name: "HBM", capacity_bytes: 0, gb_per_s: bandwidth_for("gpu", "HBM"),
              line_bytes: 128 }];
  }
  return [1, 2, 3].map((level) => ({
    name: `L${level}`, capacity_bytes: input[`l${level}`] * 1024,
    gb_per_s: bandwidth_for("cpu", `L${level}`), line_bytes: known_cache(level)?.line_bytes || 64,
  })).concat({ name: "DRAM", capacity_bytes: 0, gb_per_s: bandwidth_for("cpu", "DRAM"),
               line_bytes: 64 });
}

const multiprocessor_for = (input) => ({
  threads: first_gpu?.threads_per_multiprocessor ?? 2048, blocks: 32,
  registers: first_gpu?.registers_per_multiprocessor ?? 65536,
  shared_bytes: input.shared * 1024,
  shared_bytes_per_block: Math.min(first_gpu?.shared_bytes_per_block ?? 232448,
                                   input.shared * 1024 - 1024),
  reserved_bytes: 1024,
});

/** Everything the model is asked, as the test asks the C++ model. */
function question(input) {
  const each = lattice.bytes[input.dtype];
  return { ...input, bytes_ab: each, bytes_c: Math.max(4, each), levels: levels_for(input),
           peak_gflops: peak_for(input.device, input.dtype),
           multiprocessor: multiprocessor_for(input) };
}

function answer(asked) {
  const each = { ab: asked.bytes_ab, c: asked.bytes_c };
  const { device, order, tile, levels, peak_gflops } = asked;
  const all = { m: asked.m, n: asked.n, k: asked.k };
  if (device === "gpu") {
    const { needs, shared_reads } = model.gpu_tile_of(tile, each.ab);
    return { block: { ...needs, shared_reads },
             ...model.residency_of(needs, asked.multiprocessor),
             predicted: model.predict_gpu(tile, all, each, levels, peak_gflops) };
  }
  const loops = { tiled: is_tiled(order), dot_products: is_ijk(order), tile };
  const working_set = model.working_set(loops, all, each);
  return { working_set, level: model.level_holding(levels, working_set).name,
           reuse: model.reuse_of(loops, all), intensity: model.intensity(loops, all, each),
           ideal: model.ideal_intensity(all, each),
           predicted: model.predict(loops, all, each, levels, peak_gflops) };
}

/** A fact with its unrounded value for whoever reads the page by program. */
const fact = (name, value, shown) =>
  element("span", { class: "told", "data-fact": name, "data-value": value }, shown);

function flow_rows({ flows, compute_s, bound }) {
  const time = (s) => (s > 0 ? duration(s) : dash);
  return table([
    { head: "From", cell: (f) => f.from + (f.from === bound || f.name === bound ? " (the bound)"
                                                                            : "") },
    { head: "Moved", class: "number",
      cell: (f) => known(f.bytes) ? fact(`moved_${f.index}`, f.bytes, rounded_bytes(f.bytes))
                                  : dash },
    { head: "At least", class: "number", cell: (f) => time(f.time_s) },
    { head: "Kept before it", cell: (f) => f.kept },
  ], [{ from: "units", name: "compute", time_s: compute_s, kept: dash },
      ...flows.map((f, index) => ({ ...f, index }))], { class: "stacked" });
}

const rounded_bytes = (count) => scaled(count, [[2 ** 40, "TiB"], [2 ** 30, "GiB"],
  [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]]);

function told_for_cpu({ working_set, level, reuse, intensity, ideal }) {
  return facts([
    ["Working set", [fact("working_set", working_set, rounded_bytes(working_set)), ": fits in ",
                     fact("level", level, level)]],
    ["Reuse", ["each element of A ", fact("reuse_a", reuse.a, times(reuse.a)), ", B ",
               fact("reuse_b", reuse.b, times(reuse.b)), ", C ",
               fact("reuse_c", reuse.c, times(reuse.c)), " while it is near"]],
    ["Intensity", [fact("intensity", intensity, digits(intensity)), " flop a byte; ideal ",
                   fact("ideal", ideal, digits(ideal))]],
  ]);
}

function told_for_gpu({ block, blocks, limit, occupancy }) {
  return facts([
    ["A block", [fact("threads", block.threads, block.threads), " threads, ",
                 fact("registers", block.registers, block.registers), " registers each (an estimate), ",
                 fact("shared_bytes", block.shared_bytes, bytes(block.shared_bytes)),
                 " of shared memory"]],
    ["A multiprocessor", [fact("blocks", blocks, plural(blocks, "block")), ", occupancy ",
                          fact("occupancy", occupancy, percent(100 * occupancy)), "; ",
                          fact("limit", limit, limit), " end first"]],
    ["Reuse", [times(explorer.shown.tile), " from shared memory, which gives ",
               fact("shared_reads", block.shared_reads, digits(block.shared_reads)),
               " words for a multiplication"]],
  ]);
}

const told_bound = ({ gflops, time_s, bound }) => facts([["Bound", gflops > 0
  ? [fact("gflops", gflops, throughput(gflops)), ", ",
     fact("time_s", time_s, duration(time_s)), ", by ", fact("bound", bound, bound)]
  : "nothing was measured here that bounds it (carat info --measure)"]]);

/** How full the working set makes each memory that could hold it. */
function gauges(input, found) {
  const parts = input.device === "gpu"
    ? [["Shared memory", found.blocks * (found.block.shared_bytes + 1024), input.shared * 1024],
       ["Registers", found.blocks * found.block.threads * found.block.registers,
        multiprocessor_for(input).registers],
       ["Threads", found.blocks * found.block.threads, multiprocessor_for(input).threads]]
    : levels_for(input).slice(0, -1).map((l) => [l.name, found.working_set, l.capacity_bytes]);
  return element("ul", { class: "gauges" }, parts.map(([name, used, capacity]) => {
    const share = used / capacity;
    return element("li", { class: share > 1 ? "over" : "" }, element("span", {}, name),
      element("span", { class: "gauge", style: { "--share": `${Math.min(100, 100 * share)}%` } }),
      element("span", { class: "number" }, share > 1 ? `${digits(share)} × its size`
                                                     : percent(100 * share)));
  }));
}
