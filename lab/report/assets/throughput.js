// Throughput against size, one line an implementation, on log axes. Rectangular cases stand at the
// edge of the cube with as many operations, unconnected: they are not points of the same curve.

function throughput_points() {
  const by_name = new Map();
  for (const c of sibling_cases()) {
    for (const result of ranked_results(c)) {
      if (!by_name.has(result.implementation)) by_name.set(result.implementation, []);
      by_name.get(result.implementation).push({ x: equivalent_size(c), y: result.median_gflops, result });
    }
  }
  return new Map([...by_name].sort(
    ([a], [b]) => styles.get(a).order - styles.get(b).order));
}

function throughput_datasets(points) {
  const datasets = [];
  for (const [implementation, all] of points) {
    const line = all.filter(({ result }) => is_square(result)).sort((a, b) => a.x - b.x);
    const alone = all.filter(({ result }) => !is_square(result));
    const common = { implementation, label: implementation, ...dataset_style(implementation) };
    if (line.length > 0) datasets.push({ ...common, data: line, showLine: true });
    if (alone.length > 0) datasets.push({ ...common, data: alone, showLine: false, hollow: true });
  }
  return datasets;
}

section({
  id: "throughput",
  title: "Throughput by size",
  short: "Throughput",
  lead: () => `${selected.case.dtype}, ${place_label(selected.case)}. Bands and whiskers `
    + "are 95 % confidence intervals of the median"
    + (sibling_cases().every(is_square) ? "." : "; a rectangular case stands, hollow and "
       + "unconnected, at the size of the cube with as many operations."),
  applies: () => file.results.some(has_figure),
  render(host) {
    const points = throughput_points();
    if (points.size === 0) return;
    const all = [...points.values()].flat();
    const cases = sibling_cases();
    const sizes = [...new Set(cases.map(equivalent_size))].sort((a, b) => a - b);
    const size_name = (value) => {
      const here = cases.filter((c) => equivalent_size(c) === value);
      const square = here.find(is_square);
      return square ? String(square.n) : here.map(size_label)[0];
    };
    const [low, high] = log_bounds(all.map(({ y }) => y));
    const chart = draw_chart(host, {
      height: narrow() ? 320 : 440,
      label: `Throughput against size for ${points.size} implementations; the ranking `
        + "table gives the same figures case by case",
    }, {
      type: "scatter",
      data: { datasets: throughput_datasets(points) },
      plugins: [confidence_bands],
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: {
          x: log_axis("N (M = N = K)", ...log_bounds(sizes, 1.12), sizes, size_name),
          y: throughput_axis(low, high),
        },
        plugins: { tooltip: result_tooltip },
      },
    });
    legend(host, chart, [...points.keys()]);
  },
});
