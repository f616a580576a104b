// What ran the products: the machine, the build, the settings, the libraries; and who was absent.

const mebi = (count) => known(count) && count > 0 ? bytes(count) : null;

function machine_facts() {
  const frequency = machine.frequency_mhz ?? {};
  return facts([
    ["Processor", machine.cpu_model],
    ["Virtual machine", machine.hypervisor || null],
    ["Cores", known(machine.cores)
      ? `${machine.cores} (${plural(machine.hardware_threads ?? machine.cores, "hardware thread")})`
      : null],
    ["NUMA nodes", machine.numa_nodes], ["Memory", mebi(machine.memory_bytes)],
    ["Frequency", [megahertz(frequency.current), frequency.max > 0
      ? `up to ${megahertz(frequency.max)}` : null].filter(Boolean).join(", ") || null],
    ["Instruction set", machine.isa_in_use], ["Available", machine.isa?.join(", ")],
    ["System", [machine.os, machine.kernel].filter(Boolean).join(", ") || null],
    ...(machine.gpus ?? []).map(
      (gpu, i) => [`GPU ${i}`, [gpu.name ?? gpu.model ?? JSON.stringify(gpu), mebi(gpu.memory_bytes),
                                gpu.driver && `driver ${gpu.driver}`].filter(Boolean).join(", ")]),
  ]);
}

function run_facts() {
  const build = file.build ?? {};
  const told = (value) => typeof value === "boolean" ? (value ? "yes" : "no") : value;
  return facts([
    ["Date", file.date], ["carat", [file.carat, file.revision].filter(Boolean).join(", ")],
    ["Command", file.command && element("code", {}, file.command)],
    ["Compiler", build.compiler], ["Flags", build.flags && element("code", {}, build.flags)],
    ["Build type", build.type], ["OpenMP", told(build.openmp)],
    ["Seed", settings.seed], ["Distribution", settings.distribution], ["Inputs", settings.inputs],
    ["Trials", settings.trials > 0 ? `${settings.trials} each`
      : known(settings.ci_width) ? `until the CI is within ${100 * settings.ci_width} %` : null],
    ["Budget", known(settings.budget_s) ? `${settings.budget_s} s` : null],
    ["Shortest trial", known(settings.min_trial_s) ? duration(settings.min_trial_s) : null],
    ["Order", settings.order],
    ["Operations", { "2mnk": "2MNK", "2n3-n2": "2N³ − N²" }[settings.operations]],
    ["Bootstrap", known(settings.bootstrap_resamples)
      ? `${settings.bootstrap_resamples} resamples` : null],
  ]);
}

function cache_table() {
  if (!machine.caches?.length) return null;
  return table([
    { head: "Cache", cell: (c) => `L${c.level} ${c.kind ?? ""}` },
    { head: "Size", class: "number", cell: (c) => bytes(c.size_bytes) },
    { head: "Line", class: "number", cell: (c) => bytes(c.line_bytes) },
    { head: "Ways", class: "number", cell: (c) => c.ways ?? dash },
    { head: "Shared by", class: "number", cell: (c) => c.shared_by ?? dash },
  ], machine.caches, { class: "small" });
}

/** [what, threads, figure, unit] of every peak of one kind of device. */
const peak_rows = (of_kind) => [
  ...peaks("compute").filter(of_kind).map(
    (c) => [`${c.unit}, ${c.dtype}`, c.threads, c.gflops, "GFLOP/s"]),
  ...peaks("bandwidth").filter(of_kind).map((c) => [c.level, c.threads, c.gb_per_s, "GB/s"]),
];

function gpu_peak_table() {
  const all = peak_rows((c) => !on_cpu(c));
  if (all.length === 0) return null;
  return table([
    { head: "Measured", cell: ([what]) => what },
    { head: "The whole GPU", class: "number", cell: ([, , figure]) => digits(figure) },
    { head: "", cell: ([, , , unit]) => unit },
  ], all, { class: "small", id: "gpu-peaks" });
}

function peak_table() {
  const all = peak_rows(on_cpu);
  if (all.length === 0) return null;
  const counts = distinct(all.map(([, threads]) => threads)).sort((a, b) => a - b);
  const limit = (what, threads) => digits(all.find((c) => c[0] === what && c[1] === threads)?.[2]);
  return table([
    { head: "Measured", cell: (what) => what },
    ...counts.map((count) => ({ head: thread_label(count), class: "number",
                                cell: (what) => limit(what, count) })),
    { head: "", cell: (what) => all.find((c) => c[0] === what)[3] },
  ], distinct(all.map(([what]) => what)), { class: "small" });
}

/** The curve that the levels of memory were read off. */
function reading_table() {
  const points = peaks("reading").filter(on_cpu);
  if (points.length === 0) return null;
  const counts = distinct(points.map((p) => p.threads)).sort((a, b) => a - b);
  const rate = (size, threads) => digits(
    points.find((p) => p.working_set_bytes === size && p.threads === threads)?.gb_per_s);
  return table([
    { head: "A thread's set", class: "number", cell: bytes },
    ...counts.map((count) => ({ head: thread_label(count), class: "number",
                                cell: (size) => rate(size, count) })),
    { head: "", cell: () => "GB/s" },
  ], distinct(points.map((p) => p.working_set_bytes)).sort((a, b) => a - b),
  { class: "small", id: "reading" });
}

function vendor_table() {
  const vendors = new Map(file.results.filter((c) => c.available && c.library?.name)
    .map((c) => [c.implementation, c.library]));
  if (vendors.size === 0) return null;
  return table([
    { head: "Vendor", cell: ([name]) => name },
    { head: "Library", cell: ([, l]) => [l.name, l.version].filter(Boolean).join(" ") },
    { head: "Kernel chosen", cell: ([, l]) => l.kernel || "not told" },
    { head: "Note", cell: ([, l]) => l.note || dash },
    { head: "File", cell: ([, l]) => element("code", {}, l.path || dash) },
  ], [...vendors], { class: "stacked vendors" });
}

function absent_table() {
  if (digest.unavailable.length === 0) return null;
  return table([
    { head: "Implementation", cell: (a) => a.implementation },
    { head: "Why not", cell: (a) => a.reason },
    { head: "Results", class: "number", cell: (a) => a.results },
  ], digest.unavailable, { class: "stacked absent", id: "unavailable" });
}

const titled = (title, ...content) =>
  content.some(Boolean) && element("div", { class: "panel" }, element("h3", {}, title), content);

section({
  id: "environment",
  title: "Environment",
  fixed: true,
  render(host) {
    host.append(...[
      element("div", { class: "columns" },
        element("div", {}, titled("Machine", machine_facts()), titled("Caches", cache_table())),
        element("div", {}, titled("Run and build", run_facts()),
                titled("Peaks", peak_table()),
                titled("Reading, by working set", reading_table()),
                titled("Peaks of the GPU", gpu_peak_table()))),
      titled("Vendor libraries", vendor_table()),
      titled("Unavailable here", absent_table()),
    ].filter(Boolean));
  },
});
