// From which size a GPU pays: time against N for the best CPU implementation and for each GPU
// implementation with everything it costs, and a mark where they cross.

const crossovers = (file.crossovers ?? []).filter(({ gpu }) => styles.has(gpu));

/** The best CPU at every size any of them was measured at. */
function best_cpu_points() {
  const by_size = new Map(crossovers.flatMap(({ points }) => points.map((p) => [p.n, p])));
  return [...by_size.values()].sort((a, b) => a.n - b.n)
    .map((p) => ({ x: p.n, y: p.cpu_s, ci: p.ci95_cpu_s, name: p.cpu }));
}

const gpu_points = ({ gpu, points }) =>
  points.map((p) => ({ x: p.n, y: p.gpu_s, ci: p.ci95_gpu_s, name: gpu }));

/** The interval of each crossing as a band from top to bottom, the size itself as a line. */
const crossing_marks = {
  id: "crossing_marks",
  beforeDatasetsDraw(chart) {
    const { ctx, chartArea, scales: { x } } = chart;
    const at = (n, edge) => n === null ? edge
      : Math.min(chartArea.right, Math.max(chartArea.left, x.getPixelForValue(n)));
    ctx.save();
    for (const { gpu, n, ci95 } of crossovers.filter((c) => c.outcome === "crosses")) {
      const hue = styles.get(gpu).color();
      const [from, to] = [at(ci95[0], chartArea.left), at(ci95[1], chartArea.right)];
      ctx.fillStyle = faded(hue, 0.2);
      ctx.fillRect(from, chartArea.top, Math.max(1, to - from), chartArea.height);
      ctx.strokeStyle = hue;
      ctx.setLineDash([3, 3]);
      ctx.beginPath();
      ctx.moveTo(at(n), chartArea.top);
      ctx.lineTo(at(n), chartArea.bottom);
      ctx.stroke();
    }
    ctx.restore();
  },
};

const crossover_tooltip = {
  callbacks: {
    title: ([item]) => item ? `N = ${item.raw.x}` : "",
    label: ({ raw }) => [`${raw.name}: ${duration(raw.y)}`,
                         ...raw.ci.includes(null) ? []
                           : [`95 % CI ${interval(raw.ci, duration)}`]],
  },
};

function crossover_datasets() {
  const curves = crossovers.map((c) => (
    { label: c.gpu, data: gpu_points(c), showLine: true, ...dataset_style(c.gpu) }));
  const color = ink("ink");
  return [{ label: "best CPU", data: best_cpu_points(), showLine: true, hue: color,
            borderColor: color, backgroundColor: color, pointBackgroundColor: color,
            borderWidth: 2.5, pointRadius: 3 }, ...curves];
}

function crossover_key() {
  const line = element("svg", { viewBox: "0 0 33 12", class: "swatch", "aria-hidden": "true" },
    element("line", { x1: 0, y1: 6, x2: 33, y2: 6, stroke: ink("ink"), "stroke-width": 2.5 }));
  return element("p", { class: "key" },
    element("span", {}, line, " best CPU at each size"),
    crossovers.map(({ gpu }) => element("span", {}, swatch(gpu, true), ` ${gpu}`)));
}

section({
  id: "crossover",
  title: "From which size a GPU pays",
  short: "Crossover",
  fixed: true,
  lead: "A GPU's time is that of allocating, copying in, computing, copying out and freeing; a "
    + "CPU's is that of the product. Bands are 95 % confidence intervals, upright ones those of "
    + "the crossings.",
  applies: () => crossovers.length > 0,
  render(host) {
    const datasets = crossover_datasets();
    const all = datasets.flatMap(({ data }) => data);
    const sizes = distinct(all.map(({ x }) => x)).sort((a, b) => a - b);
    host.append(element("ul", { class: "crossings" },
                        digest.crossovers.map((text) => element("li", {}, prose(text)))));
    draw_chart(host, {
      height: narrow() ? 320 : 440,
      label: `Time against N for the best CPU implementation and ${crossovers.length} on a GPU, `
        + "with the crossings that the list above names",
    }, {
      type: "scatter",
      data: { datasets },
      plugins: [crossing_marks, confidence_bands],
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: {
          x: log_axis("N (M = N = K)", ...log_bounds(sizes, 1.12), sizes, String),
          y: log_axis("Time", ...log_bounds(all.map(({ y }) => y)), undefined, duration),
        },
        plugins: { tooltip: crossover_tooltip },
      },
    });
    host.append(crossover_key());
  },
});
