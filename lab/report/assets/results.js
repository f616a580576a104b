// The data of the page and what is selected of it. Sections read `selected`, never the controls.

const results = JSON.parse(document.getElementById("results").textContent);
const digest = JSON.parse(document.getElementById("digest").textContent);

// As lab/report/check.cpp does: null for what was not measured.
results.cells.forEach((cell) => {
  for (const field of ["percent_of_roofline", "roofline_gflops", "prepare_s", "cold_s"]) {
    cell[field] ||= null;
  }
  if (cell.verification === "none") cell.error_ulp = null;
  for (const field of ["ci95_gflops", "ci95_median_s"]) {
    if (cell[field]?.includes(null)) cell[field] = null;
  }
});
const settings = results.settings ?? {};
const machine = results.machine;
/** Every measured peak with the device it bounds: the machine's own, and those of its GPUs. */
const peaks = (table) => [
  ...(machine.ceilings?.[table] ?? []).map((row) => ({ device: "cpu", ...row })),
  ...(machine.gpus ?? []).flatMap((gpu) => gpu.ceilings?.[table] ?? [])
    .map((row) => ({ device: "gpu", ...row })),
];

const distinct = (values) => [...new Set(values)];
const cell_at = (index) => results.cells[index];
const has_figure = (cell) => cell.available && cell.verified && !cell.impossible &&
                             cell.trials_s?.length > 0;
const styles = assign_styles(
  [...new Set(results.cells.filter((c) => c.available).map((c) => c.implementation))]);

const selected = {
  view: digest.views[0],   // every device, the CPUs or the GPUs
  case: null,              // one entry of view.cases
  hidden: new Set(),       // implementations switched off in the legends
};

/** Edge of the cube with as many operations: what a rectangular case is placed at. */
const equivalent_size = ({ m, n, k }) => Math.cbrt(m * n * k);
const is_square = ({ m, n, k }) => m === n && n === k;
const size_label = (c) => (is_square(c) ? `${c.n}³` : `${c.m} × ${c.n} × ${c.k}`);
const thread_label = (count) => (count > 0 ? plural(count, "thread") : "device");

/** The cases that share the selected type and thread count: what a chart over sizes shows. */
const sibling_cases = () => selected.view.cases.filter(
  (c) => c.dtype === selected.case.dtype && c.threads === selected.case.threads);

/** Why its figures bear no verdict, as a sentence; empty for a quiet machine. */
const busy_words = ({ busy }) => (busy ? `Busy machine: no verdict; ${busy}. ` : "");

const ranked_cells = (c) => c.ranked.map(cell_at);

const on_cpu = ({ device }) => device === "cpu";
const threads_used = (cell) => cell.threads_used ?? cell.threads;

/** Rows at the selected thread count; between counts, as many times one thread, at most all. */
function at_threads(rows, name, value) {
  return distinct(rows.map((row) => row[name])).map((own) => {
    const counts = rows.filter((row) => row[name] === own).sort((a, b) => a.threads - b.threads);
    const exact = counts.find((row) => row.threads === selected.case.threads);
    if (exact || !on_cpu(counts[0])) return exact ?? counts.at(-1);
    const scaled = counts[0][value] / counts[0].threads * selected.case.threads;
    return { ...counts[0], [value]: Math.min(scaled, counts.at(-1)[value]) };
  }).sort((a, b) => b[value] - a[value]);
}

/** The peaks that bound cells such as this one: its kind of device, type and thread count. */
const compute_peaks = (cell) => at_threads(peaks("compute").filter(
  (row) => on_cpu(row) === on_cpu(cell) && row.dtype === cell.dtype), "unit", "gflops");
const feeds_products = ({ level }) => !level.startsWith("PCIe") && level !== "HBM copy";
const bandwidth_peaks = (cell) => at_threads(peaks("bandwidth").filter(
  (row) => on_cpu(row) === on_cpu(cell) && feeds_products(row)), "level", "gb_per_s");
const peak_of = (cell) => compute_peaks(cell)[0]?.gflops;

/** One cell of each kind of device among these: whose peaks to draw. */
const kinds_of = (cells) =>
  [cells.find(on_cpu), cells.find((cell) => !on_cpu(cell))].filter(Boolean);

/** A pair as drawn: no interval where one end is unbounded. */
const bounded = (pair) =>
  ({ ...pair, ci95_ratio: pair.ci95_ratio?.includes(null) ? null : pair.ci95_ratio });

/** One pair of a comparison read as "first against second", whichever way it is stored. */
function pair_of(comparison, first, second) {
  for (const pair of (comparison?.pairs ?? []).map(bounded)) {
    if (pair.a === first && pair.b === second) return pair;
    if (pair.a !== second || pair.b !== first) continue;
    const turned = { faster: "slower", slower: "faster" };
    return { ...pair, a: first, b: second,
             ratio: pair.ratio && 1 / pair.ratio,
             ci95_ratio: pair.ci95_ratio && [1 / pair.ci95_ratio[1], 1 / pair.ci95_ratio[0]],
             effect_size: known(pair.effect_size) ? -pair.effect_size : null,
             verdict: turned[pair.verdict] ?? pair.verdict };
  }
  return null;
}
