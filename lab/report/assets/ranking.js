// One table for the selected case, fastest first; below it whoever has no figure and why, and the verdict on
// every case, to choose another.

/** What sets a result apart from its case: own thread count, another precision, another device. */
function marks(result) {
  const notes = [];
  if (on_cpu(result) && threads_used(result) !== selected.case.threads) {
    notes.push(thread_label(threads_used(result)));
  }
  if (!on_cpu(result)) notes.push(result.device);
  if (result.computes_in && result.computes_in !== result.dtype) {
    notes.push(`computes in ${result.computes_in}`);
  }
  if (digest.old[result.implementation]) notes.push(`of ${digest.old[result.implementation]}`);
  if (result.busy) notes.push("busy machine");
  if (result.few_trials) notes.push("few trials");
  if (result.stop === "budget") notes.push("budget ended");
  return notes.map((note) => element("span", { class: "mark" }, note));
}

function throughput_with_bar(result, best) {
  const [size] = unit_for(best.median_gflops);
  const share = 100 * result.median_gflops / best.median_gflops;
  return [element("span", { class: "figure" }, digits(result.median_gflops / size)),
          element("span", { class: "bar", "aria-hidden": "true",
                            style: { "--share": `${share}%` } })];
}

const allowed = (result) => known(result.error_bound_ulp)
  ? `${result.verification}; allowed: ${roundoffs(result.error_bound_ulp)}` : result.verification;

function ranking_columns(best) {
  const [size, unit] = unit_for(best.median_gflops);
  const in_unit = (value) => digits(value / size);
  const row = (result) => row_of(selected.case, result);
  return [
    { head: "Implementation", cell: (result) => [
      element("span", { class: "rank" }, row(result).rank || dash),
      element("span", { class: "name" }, breakable(result.implementation), " ",
                                        marks(result))] },
    { head: unit, class: "number wide", title: "Median over the trials",
      cell: (result) => throughput_with_bar(result, best) },
    { head: "95 % CI", class: "number span",
      title: "Of the median, from processes; from fewer than three the range of the trials",
      cell: (result) => result.ci95_gflops ? interval(result.ci95_gflops, in_unit)
        : `trials ${interval(range_of_trials(result), in_unit)}` },
    { head: "Roofline", class: "number", title: "Share of the measured roofline of the case",
      cell: (result) => percent(row(result).percent || null) },
    { head: "× best time", class: "number", title: "Time of a product over the best's",
      cell: (result) => times(row(result).times) },
    { head: "Group", class: "middle", title: "Same letter: not shown to differ by more than the margin",
      cell: (result) => row(result).group || dash },
    { head: "Error", class: "number", title: "Worst componentwise error, in units of roundoff",
      cell: (result) => element("span", { title: allowed(result) },
                              roundoffs(result.error_ulp)) },
    { head: "Cold", class: "number", title: "The first call",
      cell: (result) => duration(result.cold_s) },
    { head: "Prepare", class: "number", title: "Handles, plans, packing: outside the timed region",
      cell: (result) => duration(result.prepare_s) },
    { head: "Trials", class: "number", cell: (result) => result.trials_s.length },
  ];
}

/** The kernel that multiplies is the last one; those before it make its operands ready. */
const own_kernel = (result) => result.kernels?.at(-1);

const gpu_columns = [
  { head: "On the GPU", cell: (result) => element("span", { class: "name" },
                                                breakable(result.implementation)) },
  { head: "Clock", class: "number", title: "Median between the trials",
    cell: (result) => megahertz(result.gpu?.clock_mhz?.median) ?? dash },
  { head: "Power", class: "number", title: "Mean over runs back to back",
    cell: (result) => known(result.gpu?.power_w) ? `${result.gpu.power_w.toFixed(0)} W` : dash },
  { head: "J/GFLOP", class: "number", title: "Energy over the operations counted",
    cell: (result) => known(result.gpu?.joules_per_gflop)
      ? result.gpu.joules_per_gflop.toPrecision(3) : dash },
  { head: "Temperature", class: "number", title: "Highest",
    cell: (result) => known(result.gpu?.temperature_c) ? `${result.gpu.temperature_c} °C` : dash },
  { head: "Held back by", cell: (result) => result.gpu?.throttle_reasons?.join(", ") || dash },
  { head: "Registers", class: "number", title: "Of a thread",
    cell: (result) => own_kernel(result)?.registers ?? dash },
  { head: "Shared", class: "number", title: "Memory of a block, static and dynamic",
    cell: (result) => bytes(own_kernel(result)?.shared_bytes) },
  { head: "Local", class: "number", title: "Memory of a thread: spilled registers",
    cell: (result) => bytes(own_kernel(result)?.local_bytes) },
  { head: "Occupancy", class: "number", title: "Resident threads over the most there can be",
    cell: (result) => known(own_kernel(result)?.occupancy)
      ? percent(100 * own_kernel(result).occupancy, 0) : dash },
];

function gpu_table(results) {
  const told = results.filter((result) => result.gpu || result.kernels?.length > 0);
  return told.length > 0
    && table(gpu_columns, told, { class: "small stacked", id: "gpu-table" });
}

function without_figure(c) {
  const refused = c.refused.filter(({ result }) => result_at(result).available);
  if (refused.length === 0) return null;
  return element("div", { class: "refused" }, element("h3", {}, "Without a figure"),
    element("ul", {}, refused.map(({ result, why }) =>
      element("li", {}, element("code", {}, result_at(result).implementation), " ", why))));
}

let all_open = digest.views[0].cases.length <= 6;

function every_case() {
  const columns = [
    { head: "Case", cell: (c) => element("button", {
      type: "button", class: "link", "aria-current": c === selected.case ? "true" : undefined,
      onclick: () => choose(c),
    }, c.label) },
    { head: "Verdict", cell: (c) => element("span", {}, prose(c.verdict)) },
  ];
  const all = table(columns, selected.view.cases, {
    class: "verdicts",
    row_attributes: (c) => ({ class: c === selected.case ? "chosen" : undefined }),
  });
  return element("details", { open: all_open,
                              ontoggle: (event) => { all_open = event.currentTarget.open; } },
    element("summary", {}, `The verdict on each of ${selected.view.cases.length} cases`), all);
}

const ranking_note = "Median with its 95 % confidence interval over processes. Rows with the same group letter were not shown "
  + "to differ by more than the margin. Errors are in units of roundoff u, worst over all elements of C. Cold and prepare "
  + "times are never part of the figure.";

section({
  id: "ranking",
  title: "Ranking",
  lead: () => `${selected.case.label}. ${busy_words(selected.case)}`,
  applies: () => digest.views[0].cases.length > 0,
  render(host) {
    const results = ranked_results(selected.case);
    if (results.length > 0) {
      host.append(table(ranking_columns(results[0]), results,
                        { class: "ranking stacked", id: "ranking-table",
                          caption: `Ranking for ${selected.case.label}` }),
                  element("p", { class: "notes" }, ranking_note));
      const on_gpu = gpu_table(results);
      if (on_gpu) host.append(on_gpu);
    }
    const refused = without_figure(selected.case);
    if (refused) host.append(refused);
    if (selected.view.cases.length > 1) host.append(every_case());
  },
});
