// Every measured point under the peaks measured on this machine. The roof of a level is
// min(peak, bandwidth x intensity); intensity counts compulsory traffic only, so points of one case
// stand above each other and what a kernel wastes shows as the distance to its roof.

function roofs(result, low, high) {
  const units = compute_peaks(result);
  const peak = units[0]?.gflops;
  const lines = units.map((unit, i) => ({
    label: `${unit.unit}: ${throughput(unit.gflops)}`, rank: i,
    data: [{ x: low, y: unit.gflops }, { x: high, y: unit.gflops }],
  }));
  for (const level of bandwidth_peaks(result)) {
    const ridge = peak ? Math.min(high, peak / level.gb_per_s) : high;
    lines.push({
      label: `${level.level}: ${digits(level.gb_per_s)} GB/s`, slope: true,
      data: [{ x: low, y: low * level.gb_per_s }, { x: ridge, y: ridge * level.gb_per_s }],
    });
  }
  return lines;
}

const roof_dataset = (line) => ({
  ...line, showLine: true, pointRadius: 0, pointHitRadius: 0, roof: true,
  borderColor: ink(line.slope ? "roof-slope" : "roof"), borderWidth: line.rank > 0 ? 1 : 1.75,
  borderDash: line.rank > 0 ? [4, 4] : [],
});

/** Names each roof at the right end of its line; on a narrow screen without its figure. */
const roof_names = {
  id: "roof_names",
  afterDatasetsDraw(chart) {
    const { ctx, scales: { x, y } } = chart;
    ctx.save();
    ctx.font = `${Chart.defaults.font.size - 1}px ${Chart.defaults.font.family}`;
    ctx.fillStyle = ink("muted");
    ctx.textAlign = "right";
    for (const dataset of chart.data.datasets.filter((d) => d.roof)) {
      const name = narrow() ? dataset.label.split(":")[0] : dataset.label;
      const [from, to] = dataset.data.map(
        (point) => [x.getPixelForValue(point.x), y.getPixelForValue(point.y)]);
      ctx.save();
      if (dataset.slope) {
        ctx.translate(...to);
        ctx.rotate(Math.atan2(to[1] - from[1], to[0] - from[0]));
        ctx.fillText(name, -6, -5);
      } else {
        ctx.fillText(name, to[0] - 4, to[1] - 5);
      }
      ctx.restore();
    }
    ctx.restore();
  },
};

function roofline_points() {
  const by_name = new Map();
  for (const c of sibling_cases()) {
    for (const result of ranked_results(c)) {
      if (!known(result.arithmetic_intensity)) continue;
      if (!by_name.has(result.implementation)) by_name.set(result.implementation, []);
      by_name.get(result.implementation).push(
        { x: result.arithmetic_intensity, y: result.median_gflops, result });
    }
  }
  return by_name;
}

/** Peaks are kept from one run to the next; old ones may be of a quieter or a busier hour. */
function peaks_age() {
  const hours = (machine.peaks?.age_s ?? 0) / 3600;
  return hours < 1 ? "" : `, ${plural(Math.round(hours), "hour")} before this run`;
}

section({
  id: "roofline",
  title: "Roofline",
  lead: () => {
    const roofed = ranked_results(selected.case).some(peak_of);
    return `${selected.case.dtype}, ${place_label(selected.case)}. ` + (roofed
      ? `Lines are the peaks measured on this machine${peaks_age()}. Intensity counts `
        + "compulsory traffic: A and B read once, C written once."
      : "No peaks were measured for this type, so points stand without a roof.");
  },
  applies: () => file.results.some((c) => has_figure(c) && known(c.arithmetic_intensity)),
  render(host) {
    const points = roofline_points();
    const all = [...points.values()].flat();
    if (all.length === 0) return;
    const kinds = kinds_of(all.map(({ result }) => result));
    const ridges = kinds.filter(peak_of).flatMap(
      (result) => bandwidth_peaks(result).map((level) => peak_of(result) / level.gb_per_s));
    const [low, high] = log_bounds([...all.map(({ x }) => x), ...ridges], narrow() ? 2.5 : 3.5);
    const lines = kinds.flatMap((result) => roofs(result, low, high)).map(roof_dataset);
    const names = [...points.keys()].sort((a, b) => styles.get(a).order - styles.get(b).order);
    const measured = names.map((implementation) => ({
      implementation, label: implementation, data: points.get(implementation), showLine: false,
      ...dataset_style(implementation),
    }));
    const peaks = kinds.map(peak_of).filter(Boolean);
    const [floor, top] = log_bounds([...all.map(({ y }) => y), ...peaks], 1.6);
    const chart = draw_chart(host, {
      height: narrow() ? 340 : 480,
      label: `Roofline: ${all.length} measured points and ${lines.length} measured peaks`,
    }, {
      type: "scatter",
      data: { datasets: [...lines, ...measured] },
      plugins: [roof_names],
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: {
          x: log_axis("Arithmetic intensity, FLOP per byte", low, high),
          y: throughput_axis(floor, top),
        },
        plugins: { tooltip: result_tooltip },
      },
    });
    legend(host, chart, names);
  },
});
