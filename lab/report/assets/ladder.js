// The ladder as a waterfall: each bar runs from the step before to this step. On a log axis equal
// factors are equal lengths, so the bar is the factor.

const base_name = ({ implementation }) => implementation.split("[")[0];

/** The steps of each ladder from the first up; of a step run with several tunables, the best. */
function ladder_steps(c) {
  const number = (result) => ladder_order.indexOf(base_name(result));
  const in_order = ranked_results(c).sort((a, b) => number(a) - number(b));
  const steps = new Map();
  for (const result of in_order.filter(({ implementation }) => /\.ladder\./.test(implementation))) {
    const base = base_name(result);
    const known_step = steps.get(base);
    if (!known_step || known_step.median_gflops < result.median_gflops) steps.set(base, result);
  }
  return [...steps.values()];
}

function waterfall(c) {
  const steps = ladder_steps(c);
  const rows = steps.map((result, i) => {
    const before = steps[i - 1];
    const follows = before && family_of(before.implementation) === family_of(result.implementation);
    return { result, from: follows ? before.median_gflops : null, to: result.median_gflops };
  });
  const best = ranked_results(c).find(({ implementation }) => !/\.ladder\./.test(implementation));
  if (best && steps.length > 0) {
    rows.push({ result: best, from: steps.at(-1).median_gflops, to: best.median_gflops,
                reference: true });
  }
  return rows;
}

function bar_text({ result, from, to }) {
  const peak = peak_of(result);
  return [from ? times(to / from) : null, peak ? percent(100 * to / peak) : throughput(to)]
    .filter(Boolean).join("  ·  ");
}

/** "naive" where there is one ladder, "cuda naive" where there are more. */
function bar_name({ result, reference }, rows) {
  if (reference) return result.implementation;
  const steps = rows.filter((row) => !row.reference);
  const families = distinct(steps.map((step) => family_of(step.result.implementation)));
  return families.length > 1 ? result.implementation.replace(".ladder.", " ")
                          : short_name(result.implementation);
}

/** Draws the peaks, and writes factor and share of peak after each bar, on a ground of its own. */
const bar_names = (rows, peaks) => ({
  id: "bar_names",
  afterDatasetsDraw(chart) {
    const { ctx, scales: { x }, chartArea } = chart;
    ctx.save();
    ctx.strokeStyle = ink("roof");
    ctx.setLineDash([5, 4]);
    for (const at of peaks.map((peak) => x.getPixelForValue(peak))) {
      ctx.beginPath();
      ctx.moveTo(at, chartArea.top);
      ctx.lineTo(at, chartArea.bottom);
      ctx.stroke();
    }
    ctx.setLineDash([]);
    ctx.font = `${Chart.defaults.font.size}px ${Chart.defaults.font.family}`;
    ctx.textBaseline = "middle";
    chart.getDatasetMeta(0).data.forEach((bar, i) => {
      const end = x.getPixelForValue(Math.max(rows[i].to, rows[i].from ?? 0)) + 7;
      ctx.fillStyle = ink("paper");
      ctx.fillRect(end - 4, bar.y - 9, ctx.measureText(bar_text(rows[i])).width + 8, 18);
      ctx.fillStyle = ink("ink");
      ctx.fillText(bar_text(rows[i]), end, bar.y);
    });
    ctx.restore();
  },
});

const ladder_peaks = (rows) => kinds_of(rows.map(({ result }) => result)).map(peak_of).filter(Boolean);

section({
  id: "ladder",
  title: "Ladder",
  lead: () => {
    const peaks = ladder_peaks(waterfall(selected.case));
    return `${selected.case.label}. Each bar runs from the step before to this step; the text `
      + "gives the factor and " + (peaks.length > 0 ? "the share of the measured peak (dashed, "
      + `${peaks.map(throughput).join(" and ")}).` : "the throughput.")
      + " The last bar is the fastest that is no step of the ladder.";
  },
  applies: () => file.results.some((c) => has_figure(c) && /\.ladder\./.test(c.implementation)),
  render(host) {
    const rows = waterfall(selected.case);
    if (rows.length === 0) {
      host.append(element("p", {}, "No step of the ladder was measured in this case."));
      return;
    }
    const peaks = ladder_peaks(rows);
    const values = rows.map(({ to }) => to);
    const low = Math.min(...values) / 2;
    const high = Math.max(...values, ...peaks) * 1.1;
    const fill = ({ from, to, reference }) =>
      ink(reference ? "reference" : from && to < from ? "loss" : "gain");
    draw_chart(host, {
      height: 60 + rows.length * (narrow() ? 26 : 32),
      label: `Ladder: ${rows.map((r) => `${short_name(r.result.implementation)} ${bar_text(r)}`)
        .join("; ")}`,
    }, {
      type: "bar",
      data: {
        labels: rows.map((row) => bar_name(row, rows)),
        datasets: [{ data: rows.map(({ from, to }) => [from ?? low, to]),
                     backgroundColor: rows.map(fill), borderSkipped: false,
                     barPercentage: 0.72, categoryPercentage: 1, minBarLength: 2 }],
      },
      plugins: [bar_names(rows, peaks)],
      options: {
        indexAxis: "y",
        layout: { padding: { right: narrow() ? 96 : 116 } },
        scales: {
          x: throughput_axis(low, high, " (median)"),
          y: { grid: { display: false }, ticks: { color: ink("ink"), autoSkip: false } },
        },
        plugins: { tooltip: { callbacks: {
          title: ([item]) => rows[item.dataIndex].result.implementation,
          label: ({ dataIndex }) => [...result_lines(rows[dataIndex].result),
                                     bar_text(rows[dataIndex])],
        } } },
      },
    });
  },
});
