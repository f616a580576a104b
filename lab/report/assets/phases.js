// What a product on a GPU costs a program whose matrices lie in host memory, phase by phase.

const phase_columns = [["allocate_s", "Allocate"], ["copy_in_s", "Copy in"],
                       ["convert_s", "Convert"], ["compute_s", "Compute"],
                       ["copy_out_s", "Copy out"], ["free_s", "Free"], ["total_s", "Total"]];

const has_phases = (result) => Boolean(result.phases?.total_s);

/** A median; the interval waits in the title. */
const phase_time = (phase) => phase
  ? element("span", { title: `95 % CI ${phase.ci95?.includes(null) ? "unbounded"
                                        : interval(phase.ci95, duration)}` },
            duration(phase.median))
  : dash;

section({
  id: "phases",
  title: "End to end",
  lead: () => `${selected.case.label}. A product on a GPU from host memory to host memory: medians `
    + "of interleaved trials of the whole sequence. The device's context, handles and plans, which "
    + "a program makes once, are not in it.",
  applies: () => file.results.some(has_phases),
  render(host) {
    const results = ranked_results(selected.case).filter(has_phases);
    if (results.length === 0) {
      host.append(element("p", {}, "No phases were measured in this case."));
      return;
    }
    host.append(table([
      { head: "Implementation", cell: (result) => element("span", { class: "name" },
        breakable(result.implementation), " ",
        element("span", { class: "mark" }, `${result.phases.host_memory} memory`)) },
      ...phase_columns.map(([field, head]) => (
        { head, class: "number", cell: (result) => phase_time(result.phases[field]) })),
    ], results, { class: "stacked", id: "phase-table" }));
  },
});
