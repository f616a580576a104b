// Every trial in the order it ran, one strip a result on one common scale, so that drift, outliers
// and two-humped timings are seen and not averaged away.

const strip = { width: 240, height: 56, inset: 5 };

/** Deviation of each trial from the median of its result, as a fraction of the time. */
const deviations = (result) => result.trials_s.map((time) => time / result.median_s - 1);

/** A scale that shows 95 % of all trials of the case; the few beyond it are drawn at the edge. */
function common_range(results) {
  const all = results.flatMap(deviations).map(Math.abs).sort((a, b) => a - b);
  if (all.length === 0) return 0.01;
  return Math.max(0.01, all[Math.floor(0.95 * (all.length - 1))] * 1.3);
}

/** Of one trial there is none: its standard deviation is null. */
const spread = ({ sd_s, mean_s }) =>
  known(sd_s) && mean_s > 0 ? `, SD ${percent(100 * sd_s / mean_s)}` : "";

/** Where a new process begins, the first one left out. */
function starts({ trials_per_process: counts }) {
  let sum = 0;
  return (counts ?? []).slice(0, -1).map((count) => (sum += count));
}

function draw_strip(result, range) {
  const { width, height, inset } = strip;
  const values = deviations(result);
  const share = (i) => values.length > 1 ? i / (values.length - 1) : 0.5;
  const x = (i) => inset + share(i) * (width - 2 * inset);
  const y = (v) => height / 2 - Math.max(-1, Math.min(1, v / range)) * (height / 2 - inset);
  const ci = result.ci95_median_s?.map((edge) => y(edge / result.median_s - 1));
  return element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
                          "aria-label": `${values.length} trials of ${result.implementation}` },
    ci && element("rect", { x: 0, width, y: ci[1], height: Math.max(1, ci[0] - ci[1]),
                            class: "ci" }),
    element("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, class: "median" }),
    starts(result).map((i) => element("line", { x1: x(i - 0.5), x2: x(i - 0.5), y1: 0, y2: height,
                                                class: "process" })),
    values.map((v, i) => Math.abs(v) > range
      ? element("path", { class: "beyond", d: `M${x(i) - 3.5} ${y(v)}h7l-3.5 ${v > 0 ? -5 : 5}z` })
      : element("circle", { cx: x(i), cy: y(v), r: 2.1 })));
}

section({
  id: "trials",
  title: "Trials",
  lead: () => {
    const range = common_range(ranked_results(selected.case));
    return `${selected.case.label}. Each dot is one trial, left to right as it ran; up is slower. `
      + `Every strip spans ±${(100 * range).toPrecision(2)} % around its own median; triangles lie `
      + "beyond. The band is the 95 % confidence interval, where there are processes enough for one; "
      + "lines part them.";
  },
  applies: () => file.results.some(has_figure),
  render(host) {
    const results = ranked_results(selected.case).filter((result) => result.median_s > 0);
    const range = common_range(results);
    host.append(element("div", { class: "strips" }, results.map((result) =>
      element("figure", {}, element("figcaption", {},
        element("span", {}, breakable(result.implementation)),
        element("small", {}, `${duration(result.median_s)}${spread(result)}`)),
        draw_strip(result, range)))));
  },
});
