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
  const rank = (cell) => selected.case.ranked.indexOf(results.cells.indexOf(cell)) + 1;
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
      cell: (cell) => times(best / cell.median_gflops) },
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
  lead: () => `${selected.case.label}. Median of the trials with its 95 % confidence interval. `
    + "Rows with the same group letter can't be told apart. Errors are in units of roundoff u, "
    + "worst over all elements of C. Cold and prepare times are never part of the figure.",
  applies: () => digest.views[0].cases.length > 0,
  render(host) {
    const cells = ranked_cells(selected.case);
    if (cells.length > 0) {
      host.append(table(ranking_columns(cells[0].median_gflops), cells,
                        { class: "ranking stacked", id: "ranking-table",
                          caption: `Ranking for ${selected.case.label}` }));
    }
    const refused = without_figure(selected.case);
    if (refused) host.append(refused);
  },
});
