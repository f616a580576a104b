// What changed between two results files (carat compare --report): the ratio of each case with its
// interval, the worst first, on a log axis where a loss and a gain of the same factor are as long.

const regression = file.regression ?? null;

const lost_last = (change) => change.ratio ?? 0;
/** What got slower first, what has no figure any more before it. */
const changes = [...regression?.changes ?? []].sort((a, b) => lost_last(a) - lost_last(b));

const change_words = { faster: "▲ faster", slower: "▼ slower", tie: "= tie", unclear: "? unclear",
                       lost: "✕ no figure any more", missing: "✕ missing",
                       busy: "– busy machine: no verdict",
                       "one process": "– too few processes: no verdict" };

function change_counts() {
  const count = (verdict) => changes.filter((c) => c.verdict === verdict).length;
  const words = { lost: "without a figure", busy: "on a busy machine",
                  "one process": "of too few processes" };
  return ["slower", "lost", "missing", "busy", "one process", "faster", "tie", "unclear"].filter(count)
    .map((verdict) => `${count(verdict)} ${words[verdict] ?? verdict}`)
    .join(", ");
}

const origin_of = ({ file, revision, date }) =>
  [file, revision && `revision ${revision}`, date?.slice(0, 10)].filter(Boolean).join(", ");

/** With how A and B lie, unless that is by rows. */
const case_size = (c) =>
  size_label(c) + ((c.layout ?? "nn") === "nn" ? "" : ` ${c.layout}`);

/** Of a CPU: on a GPU they mean nothing. */
const threads_of_change = ({ device, threads }) => !device || device === "cpu" ? threads : 0;

const change_name = (c) => [c.implementation, c.dtype, case_size(c),
  threads_of_change(c) > 0 ? plural(c.threads, "thread") : null].filter(Boolean).join(" ");

/** As much of the name as the width of the chart has room for. */
function change_label(c, width) {
  if (width > 800) return change_name(c);
  const short = short_name(c.implementation);
  return width < 450 ? short
    : [short, c.dtype, case_size(c), threads_of_change(c) > 0 && `T${c.threads}`].filter(Boolean).join(" ");
}

/** Intervals as whiskers, the margin of a tie as a band around 1. */
const change_marks = (shown) => ({
  id: "change_marks",
  beforeDatasetsDraw(chart) {
    const { ctx, chartArea, scales: { x } } = chart;
    const margin = regression.margin ?? 0;
    ctx.save();
    ctx.fillStyle = faded(hues[theme()][6], 0.2);
    const [from, to] = [1 / (1 + margin), 1 + margin].map((v) => x.getPixelForValue(v));
    ctx.fillRect(from, chartArea.top, Math.max(1, to - from), chartArea.height);
    ctx.restore();
  },
  afterDatasetsDraw(chart) {
    const { ctx, scales: { x } } = chart;
    ctx.save();
    ctx.lineWidth = 2;
    chart.getDatasetMeta(0).data.forEach((point, i) => {
      const [low, high] = shown[i].ci95_ratio ?? [shown[i].ratio, shown[i].ratio];
      ctx.strokeStyle = ink(change_color(shown[i]));
      ctx.beginPath();
      ctx.moveTo(x.getPixelForValue(low ?? x.min), point.y);
      ctx.lineTo(x.getPixelForValue(high ?? x.max), point.y);
      ctx.stroke();
    });
    ctx.restore();
  },
});

const change_color = ({ verdict }) => ({ faster: "win", slower: "lose" }[verdict] ?? "reference");

/** The chart holds what fits a page: the largest changes either way. */
function drawn_changes(most) {
  const measured = changes.filter((c) => c.ratio);
  const size = (c) => Math.abs(Math.log(c.ratio));
  const kept = new Set([...measured].sort((a, b) => size(b) - size(a)).slice(0, most));
  return measured.filter((c) => kept.has(c));
}

function draw_changes(host) {
  const shown = drawn_changes(30);
  if (shown.length === 0) return;
  const ends = shown.flatMap((c) => [c.ratio, ...(c.ci95_ratio ?? []).filter((end) => end > 0)]);
  draw_chart(host, {
    height: 70 + shown.length * 26,
    label: `Throughput of the later file over the earlier one for ${shown.length} cases, as in the `
      + "table below",
  }, {
    type: "scatter",
    data: {
      labels: shown.map(change_name),
      datasets: [{ data: shown.map((c, i) => ({ x: c.ratio, y: i, change: c })), pointRadius: 5,
                   pointStyle: shown.map((c) => ({ faster: "triangle", slower: "rect" }[c.verdict]
                                                  ?? "circle")),
                   backgroundColor: shown.map((c) => ink(change_color(c))),
                   borderColor: shown.map((c) => ink(change_color(c))) }],
    },
    plugins: [change_marks(shown)],
    options: {
      scales: {
        x: log_axis("Later / earlier throughput", ...log_bounds([...ends, 1], 1.08)),
        y: { type: "linear", reverse: true, min: -0.7, max: shown.length - 0.3,
             grid: { display: false },
             afterBuildTicks: (axis) => { axis.ticks = shown.map((_, value) => ({ value })); },
             ticks: { color: ink("ink"), autoSkip: false,
                      callback(i) { return change_label(shown[i], this.chart.width); } } },
      },
      plugins: { tooltip: { callbacks: {
        title: ([item]) => item ? change_name(item.raw.change) : "",
        label: ({ raw: { change } }) => [`${times(change.ratio)} (95 % CI ${
          interval(change.ci95_ratio?.includes(null) ? null : change.ci95_ratio, times)})`,
        change_words[change.verdict]],
      } } },
    },
  });
}

const change_columns = [
  { head: "Implementation", cell: (c) => element("span", { class: "name" },
                                                 breakable(c.implementation)) },
  { head: "Case", cell: (c) => `${c.dtype} ${case_size(c)}${
    threads_of_change(c) > 0 ? `, ${plural(c.threads, "thread")}` : ""}` },
  { head: "Before", class: "number", cell: (c) => throughput(c.before_gflops) },
  { head: "After", class: "number", cell: (c) => throughput(c.after_gflops) },
  { head: "Ratio", class: "number", title: "Throughput, after / before",
    cell: (c) => times(c.ratio) },
  { head: "95 % CI", class: "number",
    cell: (c) => interval(c.ci95_ratio?.includes(null) ? null : c.ci95_ratio, times) },
  { head: "Verdict", cell: (c) => element("span", { class: `verdict-${c.verdict}`,
                                                    title: c.reason || null },
                                          change_words[c.verdict]) },
];

section({
  id: "regression",
  title: "What changed",
  short: "Changes",
  fixed: true,
  lead: () => `${origin_of(regression.after)} against ${origin_of(regression.before)}: ratios of `
    + "throughput with their 95 % intervals. The band is what counts as a tie, "
    + `${100 * (regression.margin ?? 0)} % either way.`,
  applies: () => changes.length > 0,
  render(host) {
    host.append(element("p", { class: "headline", id: "regression-counts" },
                        `${plural(changes.length, "case")} compared: ${change_counts()}.`),
                element("p", { class: "further" }, regression.failures?.length > 0
                  ? `Fails: ${regression.failures.join("; ")}.` : null),
                element("ul", { class: "notes" }, (regression.notes ?? []).map(
                  (note) => element("li", {}, note))));
    draw_changes(host);
    host.append(table(change_columns, changes, { class: "stacked", id: "regression-table",
      row_attributes: (c) => ({ class: ["slower", "lost", "missing"].includes(c.verdict)
        ? "regressed" : undefined }) }));
  },
});
