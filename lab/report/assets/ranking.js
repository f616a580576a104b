// One table for the selected case, fastest first, and below it whoever has no figure and why.

/** What sets a cell apart from its case: own thread count, another precision, another device. */
function marks(cell) {
  const notes = [];
  if (on_cpu(cell) && threads_used(cell) !== selected.case.threads) {
    notes.push(thread_label(threads_used(cell)));
  }
  if (!on_cpu(cell)) notes.push(cell.device);
  if (cell.computes_in && cell.computes_in !== cell.dtype) {
    notes.push(`computes in ${cell.computes_in}`);
  }
  if (cell.few_trials) notes.push("few trials");
  if (cell.stop === "budget") notes.push("budget ended");
  return notes.map((note) => element("span", { class: "mark" }, note));
}

function throughput_with_bar(cell, best) {
  return [element("span", { class: "figure" }, digits(cell.median_gflops)),
          element("span", { class: "bar", "aria-hidden": "true",
                            style: { "--share": `${100 * cell.median_gflops / best}%` } })];
}

const allowed = (cell) => known(cell.error_bound_ulp)
  ? `${cell.verification}; allowed: ${roundoffs(cell.error_bound_ulp)}` : cell.verification;

function ranking_columns(best) {
  const { busy } = selected.case;  // then no figure has a rank, or one to be compared with
  const rank = (cell) =>
    busy ? dash : selected.case.ranked.indexOf(results.cells.indexOf(cell)) + 1;
  return [
    { head: "Implementation", cell: (cell) => [
      element("span", { class: "rank" }, rank(cell)),
      element("span", { class: "name" }, breakable(cell.implementation), " ",
                                        marks(cell))] },
    { head: "GFLOP/s", class: "number wide", title: "Median over the trials",
      cell: (cell) => throughput_with_bar(cell, best) },
    { head: "95 % CI", class: "number span", title: "Confidence interval of the median",
      cell: (cell) => interval(cell.ci95_gflops) },
    { head: "Roofline", class: "number", title: "Share of the measured roofline at this intensity",
      cell: (cell) => percent(cell.percent_of_roofline) },
    { head: "× best time", class: "number", title: "Time of a product over the best's",
      cell: (cell) => busy ? dash : times(best / cell.median_gflops) },
    { head: "Group", class: "middle", title: "Same letter: can't be told apart",
      cell: (cell) => cell.group || dash },
    { head: "Error", class: "number", title: "Worst componentwise error, in units of roundoff",
      cell: (cell) => element("span", { title: allowed(cell) },
                              roundoffs(cell.error_ulp)) },
    { head: "Cold", class: "number", title: "The first call",
      cell: (cell) => duration(cell.cold_s) },
    { head: "Prepare", class: "number", title: "Handles, plans, packing: outside the timed region",
      cell: (cell) => duration(cell.prepare_s) },
    { head: "Trials", class: "number", cell: (cell) => cell.trials_s.length },
  ];
}

/** The kernel that multiplies is the last one; those before it make its operands ready. */
const own_kernel = (cell) => cell.kernels?.at(-1);

const gpu_columns = [
  { head: "On the GPU", cell: (cell) => element("span", { class: "name" },
                                                breakable(cell.implementation)) },
  { head: "Clock", class: "number", title: "Median between the trials",
    cell: (cell) => megahertz(cell.gpu?.clock_mhz?.median) ?? dash },
  { head: "Power", class: "number", title: "Mean over runs back to back",
    cell: (cell) => known(cell.gpu?.power_w) ? `${cell.gpu.power_w.toFixed(0)} W` : dash },
  { head: "J/GFLOP", class: "number", title: "Energy over the operations counted",
    cell: (cell) => known(cell.gpu?.joules_per_gflop)
      ? cell.gpu.joules_per_gflop.toPrecision(3) : dash },
  { head: "Temperature", class: "number", title: "Highest",
    cell: (cell) => known(cell.gpu?.temperature_c) ? `${cell.gpu.temperature_c} °C` : dash },
  { head: "Held back by", cell: (cell) => cell.gpu?.throttle_reasons?.join(", ") || dash },
  { head: "Registers", class: "number", title: "Of a thread",
    cell: (cell) => own_kernel(cell)?.registers ?? dash },
  { head: "Shared", class: "number", title: "Memory of a block, static and dynamic",
    cell: (cell) => bytes(own_kernel(cell)?.shared_bytes) },
  { head: "Local", class: "number", title: "Memory of a thread: spilled registers",
    cell: (cell) => bytes(own_kernel(cell)?.local_bytes) },
  { head: "Occupancy", class: "number", title: "Resident threads over the most there can be",
    cell: (cell) => known(own_kernel(cell)?.occupancy)
      ? percent(100 * own_kernel(cell).occupancy, 0) : dash },
];

function gpu_table(cells) {
  const told = cells.filter((cell) => cell.gpu || cell.kernels?.length > 0);
  return told.length > 0
    && table(gpu_columns, told, { class: "small stacked", id: "gpu-table" });
}

function without_figure(c) {
  const refused = c.refused.filter(({ cell }) => cell_at(cell).available);
  if (refused.length === 0) return null;
  return element("div", { class: "refused" }, element("h3", {}, "Without a figure"),
    element("ul", {}, refused.map(({ cell, why }) =>
      element("li", {}, element("code", {}, cell_at(cell).implementation), " ", why))));
}

section({
  id: "ranking",
  title: "Ranking",
  lead: () => `${selected.case.label}. ${busy_words(selected.case)}Median of the trials with its 95 % confidence interval. `
    + "Rows with the same group letter can't be told apart. Errors are in units of roundoff u, "
    + "worst over all elements of C. Cold and prepare times are never part of the figure.",
  applies: () => digest.views[0].cases.length > 0,
  render(host) {
    const cells = ranked_cells(selected.case);
    if (cells.length > 0) {
      const best = Math.max(...cells.map((cell) => cell.median_gflops));
      host.append(table(ranking_columns(best), cells,
                        { class: "ranking stacked", id: "ranking-table",
                          caption: `Ranking for ${selected.case.label}` }));
      const on_gpu = gpu_table(cells);
      if (on_gpu) host.append(on_gpu);
    }
    const refused = without_figure(selected.case);
    if (refused) host.append(refused);
  },
});
