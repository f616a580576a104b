// What all charts share: type, colours of the theme, log axes with few round ticks, confidence
// bands, and a legend of real buttons (Chart.js draws its own on the canvas, out of reach of a
// keyboard).

const narrow = () => window.innerWidth < 640;

function chart_defaults() {
  const { defaults } = Chart;
  defaults.animation = false;
  defaults.maintainAspectRatio = false;
  defaults.font.family = getComputedStyle(document.body).fontFamily;
  defaults.font.size = narrow() ? 11 : 12.5;
  defaults.color = ink("muted");
  defaults.borderColor = ink("line");
  defaults.plugins.legend.display = false;
  Object.assign(defaults.plugins.tooltip, {
    backgroundColor: ink("tip"), titleColor: ink("tip-ink"), bodyColor: ink("tip-ink"),
    padding: 10, boxPadding: 5, usePointStyle: true, cornerRadius: 4,
  });
}

/** Draws a chart into `host`; `label` says in words what it shows. */
function draw_chart(host, { label, height }, config) {
  chart_defaults();
  const canvas = element("canvas", { role: "img", "aria-label": label });
  host.append(element("div", { class: "canvas", style: { height: `${height}px` } }, canvas));
  const chart = new Chart(canvas, config);
  const index = running_charts.get(drawing).push(chart) - 1;
  drawn_from.set(chart, { label, config });
  host.append(chart_buttons({ id: drawing, index }));
  return chart;
}

function round_ticks(min, max) {
  const decades = Math.log10(max / min);
  const steps = decades > 3 ? [1] : decades > 1 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); ++power) {
    steps.forEach((step) => ticks.push(step * 10 ** power));
  }
  return ticks.filter((value) => value >= min * 0.999 && value <= max * 1.001);
}

const plain_number = (value) => String(Number(value.toPrecision(3)));

/** Of marks fixed on a log axis those whose names have room, the ends first: 4 figures and a gap. */
function with_room(values, axis) {
  const span = Math.log(axis.max / axis.min);
  const room = 3.2 * Chart.defaults.font.size / (0.85 * axis.chart.width) * span;
  const apart = (a, b) => Math.abs(Math.log(a / b)) > room;
  const kept = [];
  for (const value of [values.at(-1), ...values]) {
    if (kept.every((other) => apart(value, other))) kept.push(value);
  }
  return kept.sort((a, b) => a - b);
}

/** A log axis from min to max; `ticks` fixes where the marks stand (the sizes measured, say). */
function log_axis(title, min, max, ticks, write = plain_number) {
  return {
    type: "logarithmic", min, max,
    title: { display: true, text: title },
    grid: { color: ink("line"), drawTicks: false },
    border: { display: false },
    afterBuildTicks: (axis) => {
      const marks = ticks && !axis.isHorizontal() ? ticks
        : ticks ? with_room(ticks, axis) : round_ticks(axis.min, axis.max);
      axis.ticks = marks.map((value) => ({ value }));
    },
    ticks: { callback: write, padding: 6, maxRotation: 0, autoSkipPadding: 14 },
  };
}

/** A log axis of throughputs, in the unit of the highest. */
function throughput_axis(min, max, words = "") {
  const [size, unit] = unit_for(max);
  return log_axis(unit + words, min, max, undefined, (value) => plain_number(value / size));
}

/** Bounds of a log axis around values, `room` as a factor on each side. */
function log_bounds(values, room = 1.25) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const least = Math.sqrt(Math.max(1, 4 / (high / low)));  // an axis spans a factor of 4 or more
  return [low / Math.max(room, least), high * Math.max(room, least)];
}

/** What a hover says of one measured result. */
function result_lines(result) {
  const [size, unit] = unit_for(result.median_gflops);
  const in_unit = (value) => digits(value / size);
  const lines = [`${throughput(result.median_gflops)} (median)`];
  lines.push((result.ci95_gflops ? `95 % CI ${interval(result.ci95_gflops, in_unit)}`
    : `trials ${interval(range_of_trials(result), in_unit)}`) + ` ${unit}`);
  if (known(result.percent_of_roofline)) {
    lines.push(`${percent(result.percent_of_roofline)} of the measured roofline`
               + (result.bound ? ` (bound: ${result.bound})` : ""));
  }
  lines.push(`${duration(result.median_s)} a product, ${plural(result.trials_s.length, "trial")}`);
  return lines;
}

const result_tooltip = {
  callbacks: {
    title: ([item]) => item && item.raw.result
      ? `${item.raw.result.implementation}, ${item.raw.result.dtype} ${size_label(item.raw.result)}` : "",
    label: (item) => item.raw.result ? result_lines(item.raw.result) : item.dataset.label,
    labelPointStyle: (item) => ({ pointStyle: item.dataset.pointStyle, rotation: 0 }),
  },
  filter: (item) => Boolean(item.raw.result),
};

/** The interval of a point, where both ends are known: its own, or that of its result. */
function interval_of(point) {
  const ends = point.ci ?? point.result?.ci95_gflops;
  return ends && !ends.includes(null) ? ends : null;
}

/** Confidence intervals: a band along each line and a whisker at each point. */
const confidence_bands = {
  id: "confidence_bands",
  beforeDatasetsDraw(chart) {
    const { ctx, chartArea, scales: { x, y } } = chart;
    chart.data.datasets.forEach((dataset, i) => {
      const points = dataset.data.filter(interval_of);
      if (!chart.isDatasetVisible(i) || points.length === 0) return;
      const edge = (point, side) => [x.getPixelForValue(point.x),
                                     y.getPixelForValue(interval_of(point)[side])];
      ctx.save();
      ctx.beginPath();
      ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
      ctx.clip();
      ctx.fillStyle = faded(dataset.hue, dataset.dimmed ? 0.04 : 0.22);
      ctx.strokeStyle = faded(dataset.hue, dataset.dimmed ? 0.1 : 0.7);
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      if (dataset.showLine) {
        points.forEach((point) => ctx.lineTo(...edge(point, 0)));
        [...points].reverse().forEach((point) => ctx.lineTo(...edge(point, 1)));
        ctx.fill();
      }
      for (const point of points) {
        ctx.beginPath();
        ctx.moveTo(...edge(point, 0));
        ctx.lineTo(...edge(point, 1));
        ctx.stroke();
      }
      ctx.restore();
    });
  },
};

/** The look of one implementation as properties of a dataset. */
function dataset_style(implementation, dimmed = false) {
  const style = styles.get(implementation);
  const hue = style.color();
  const color = dimmed ? faded(hue, 0.15) : hue;
  return { hue, dimmed, borderColor: color, pointBorderColor: color, backgroundColor: color,
           pointBackgroundColor: color, borderDash: style.dash, pointStyle: style.marker,
           borderWidth: 2, pointRadius: 4, pointHoverRadius: 6, pointBorderWidth: 1.5 };
}

const marker_paths = {
  circle: "M13 6a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0z", rect: "M13.3 2.8h6.4v6.4h-6.4z",
  triangle: "M16.5 2l4 7h-8z", rectRot: "M16.5 1.5l4.5 4.5-4.5 4.5-4.5-4.5z",
  cross: "M16.5 2v8M12.5 6h8", crossRot: "M13.7 3.2l5.6 5.6M19.3 3.2l-5.6 5.6",
  star: "M16.5 2v8M12.5 6h8M13.7 3.2l5.6 5.6M19.3 3.2l-5.6 5.6", dash: "M12 6h9",
};

function swatch(implementation, lined) {
  const { color, dash, marker } = styles.get(implementation);
  return element("svg", { viewBox: lined ? "0 0 33 12" : "10 0 13 12", "aria-hidden": "true",
                          class: lined ? "swatch" : "swatch point" },
    lined && element("line", { x1: 0, y1: 6, x2: 33, y2: 6, stroke: color(), "stroke-width": 2,
                      "stroke-dasharray": dash.join(" ") }),
    element("path", { d: marker_paths[marker], fill: color(), stroke: color(),
                      "stroke-width": 1.6 }));
}

const family_title = (family) => ({ vendor: "Vendors", "cpu.ladder": "CPU ladder",
  "cpu.engine": "CPU engine", "cuda.ladder": "CUDA ladder", "cuda.engine": "CUDA engine",
}[family] ?? family);

/** Fits the throughput axis to what is shown, so that hiding the slow ones opens up the fast. */
function fit_throughput(chart) {
  const shown = chart.data.datasets.filter((dataset, i) => chart.isDatasetVisible(i));
  const values = shown.flatMap((dataset) => dataset.data.map(({ y }) => y));
  if (!shown.some((dataset) => dataset.implementation)) return;
  const points = shown.filter((dataset) => dataset.implementation)
    .flatMap((dataset) => dataset.data.map(({ y }) => y));
  const top = Math.max(...points, ...(shown.some((d) => d.roof) ? values : []));
  const bottom = Math.min(...points);
  const [low, high] = log_bounds([bottom, top], (top / bottom) ** 0.08 * 1.05);
  Object.assign(chart.options.scales.y, { min: low, max: high });
}

/**
 * A legend that toggles: each entry shows or hides the datasets of one implementation, a family's
 * name all of the family, and pointing at an entry or focusing it dims the others. Datasets carry
 * `implementation`.
 */
function legend(host, chart, names) {
  const repaint = (lit) => {
    chart.data.datasets.forEach((dataset) => {
      if (!dataset.implementation) return;
      Object.assign(dataset, dataset_style(dataset.implementation,
                                           lit !== null && lit !== dataset.implementation),
                    dataset.hollow ? { pointBackgroundColor: ink("paper") } : {});
    });
    chart.update("none");
  };
  const apply = () => {
    chart.data.datasets.forEach((dataset, i) => {
      if (dataset.implementation) {
        chart.setDatasetVisibility(i, !selected.hidden.has(dataset.implementation));
      }
    });
    for (const [name, button] of buttons) {
      button.setAttribute("aria-pressed", String(!selected.hidden.has(name)));
    }
    fit_throughput(chart);
    repaint(null);
  };
  const toggle = (toggled) => {
    const hide = toggled.some((name) => !selected.hidden.has(name));
    toggled.forEach((name) => selected.hidden[hide ? "add" : "delete"](name));
    apply();
  };
  const entry = (name) => element("button", {
    type: "button", title: name, onclick: () => toggle([name]),
    onpointerenter: () => repaint(name), onpointerleave: () => repaint(null),
    onfocus: () => repaint(name), onblur: () => repaint(null),
  }, swatch(name, chart.data.datasets.some((d) => d.implementation && d.showLine)),
  short_name(name));

  const buttons = new Map(names.map((name) => [name, entry(name)]));
  const group = (family) => {
    const members = names.filter((name) => family_of(name) === family);
    return element("div", {},
      element("button", { type: "button", class: "family", onclick: () => toggle(members),
                          title: "Show or hide all of them" }, family_title(family)),
      members.map((name) => buttons.get(name)));
  };
  host.append(element("div", { class: "legend", role: "group", "aria-label": "Show or hide" },
                      [...new Set(names.map(family_of))].map(group)));
  apply();
}
