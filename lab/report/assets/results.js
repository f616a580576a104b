// The data of the page and what is selected of it. Sections read `selected`, never the controls.

const file = JSON.parse(document.getElementById("results").textContent);
const digest = JSON.parse(document.getElementById("digest").textContent);

// As lab/report/check.cpp does: null for what was not measured.
file.results.forEach((result) => {
  for (const field of ["percent_of_roofline", "roofline_gflops", "prepare_s", "cold_s"]) {
    result[field] ||= null;
  }
  if (result.verification === "none") result.error_ulp = null;
  for (const field of ["ci95_gflops", "ci95_median_s"]) {
    if (result[field]?.includes(null)) result[field] = null;
  }
});
const settings = file.settings ?? {};
const machine = file.machine;
/** Every measured peak with the device it bounds: the machine's own, and those of its GPUs. */
const peaks = (table) => [
  ...(machine.peaks?.[table] ?? []).map((row) => ({ device: "cpu", ...row })),
  ...(machine.gpus ?? []).flatMap((gpu) => gpu.peaks?.[table] ?? [])
    .map((row) => ({ device: "gpu", ...row })),
];

const distinct = (values) => [...new Set(values)];
const result_at = (index) => file.results[index];
const has_figure = (result) => result.available && result.verified && !result.above_peak &&
                             result.trials_s?.length > 0;
/** Throughput of the slowest and the fastest trial. */
const range_of_trials = ({ flop, trials_s }) => flop > 0 && trials_s?.length > 0
  ? [flop / Math.max(...trials_s) / 1e9, flop / Math.min(...trials_s) / 1e9] : null;
const styles = assign_styles(
  [...new Set(file.results.filter((c) => c.available).map((c) => c.implementation))]);

const selected = {
  view: digest.views[0],   // every device, the CPUs or the GPUs
  case: null,              // one entry of view.cases
  hidden: new Set(),       // implementations switched off in the legends
};

/** Edge of the cube with as many operations: what a rectangular case is placed at. */
const equivalent_size = ({ m, n, k }) => Math.cbrt(m * n * k);
const is_square = ({ m, n, k }) => m === n && n === k;
const size_label = (c) => (is_square(c) ? `${c.n}³` : `${c.m} × ${c.n} × ${c.k}`)
  + (c.call ? ` (${c.call})` : "");
const thread_label = (count) => (count > 0 ? plural(count, "thread") : "device");

/** As gpu_name() of lab/report/words.cpp. */
const gpu_name = () => (machine.gpus?.find((gpu) => gpu.peaks?.compute) ?? machine.gpus?.[0])?.name
  ?? "GPU";
/** Where a case ran: on a GPU threads of the CPU mean nothing. */
const place_label = (c) => (c.on_gpu ? gpu_name() : thread_label(c.threads));

/** The cases that share the selected type and thread count: what a chart over sizes shows. */
const sibling_cases = () => selected.view.cases.filter(
  (c) => c.dtype === selected.case.dtype && c.threads === selected.case.threads);

/** What others did to its figures, as a sentence; empty for a quiet machine. */
const busy_words = ({ busy }) => (busy
  ? `Busy machine: ranks and verdicts that it could change are left out; ${busy}. ` : "");

const ranked_results = (c) => c.ranked.map(result_at);

const on_cpu = ({ device }) => device === "cpu";

/** What every table says of a result of the case: {rank, percent of the roofline, times, group}. */
const row_of = (c, result) => c.rows[c.ranked.indexOf(file.results.indexOf(result))];
const threads_used = (result) => result.threads_used ?? result.threads;

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

/** The peaks that bound results such as this one: its kind of device, type and thread count. */
const compute_peaks = (result) => at_threads(peaks("compute").filter(
  (row) => on_cpu(row) === on_cpu(result) && row.dtype === result.dtype), "unit", "gflops");
const feeds_products = ({ level }) => !level.startsWith("PCIe") && level !== "HBM copy";
const bandwidth_peaks = (result) => at_threads(peaks("bandwidth").filter(
  (row) => on_cpu(row) === on_cpu(result) && feeds_products(row)), "level", "gb_per_s");
const peak_of = (result) => compute_peaks(result)[0]?.gflops;

/** One result of each kind of device among these: whose peaks to draw. */
const kinds_of = (results) =>
  [results.find(on_cpu), results.find((result) => !on_cpu(result))].filter(Boolean);

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
