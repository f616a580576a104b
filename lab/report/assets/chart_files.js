// Charts as files for papers: SVG with its text as text, or PNG. The chart is drawn a second time
// from the configuration of the one on the page, on light paper, at the width of a column, where its
// type is as large as that of a caption.

const paper = { width: 520, height: 360, font: 14, family: "Helvetica, Arial, sans-serif" };

const drawn_from = new WeakMap();  // chart -> {label, config}, as given to draw_chart()

/** Entries of the legend: one for each implementation or named curve that is shown. */
function legend_on_paper(shown) {
  const named = shown.filter((dataset) => dataset.label && !dataset.roof);
  return {
    display: named.length > 1, position: "bottom", onClick: null,
    labels: {
      usePointStyle: true, boxHeight: 7, padding: 10, color: ink("ink"),
      filter: ({ text, datasetIndex }) => named.some((d) => d.label === text)
        && shown.findIndex((d) => d.label === text) === datasetIndex,
    },
  };
}

/** The configuration of a chart without what is hidden, for a canvas that no one points at. */
function config_on_paper(chart) {
  const { config } = drawn_from.get(chart);
  const shown = chart.data.datasets.filter((_, i) => chart.isDatasetVisible(i))
    // With a segment style of their own, if an empty one, lines are drawn on the context itself.
    .map((dataset) => ({ ...dataset, data: [...dataset.data], segment: {},
                         label: dataset.implementation ? short_name(dataset.label)
                                                       : dataset.label }));
  const options = { ...config.options, responsive: false, animation: false, devicePixelRatio: 1,
                    plugins: { ...config.options.plugins, legend: legend_on_paper(shown) } };
  return { ...config, data: { ...chart.data, datasets: shown }, options };
}

/** Draws a chart of a section with the light theme and type for paper, whatever the page has. */
function on_paper({ id, index }, draw) {
  const before = chosen_theme;
  const again = theme() === "dark" ? sections.find((s) => s.id === id) : null;
  const root = document.documentElement;
  chosen_theme = "light";
  apply_theme();
  root.style.setProperty("--paper", "#ffffff");
  if (again) draw_section(again);
  chart_defaults();
  Object.assign(Chart.defaults.font, { size: paper.font, family: paper.family });
  Chart.defaults.color = ink("ink");
  try {
    return draw(running_charts.get(id)[index]);
  } finally {
    root.style.removeProperty("--paper");
    chosen_theme = before;
    apply_theme();
    if (again) draw_section(again);
    chart_defaults();
  }
}

/** Rows of a legend of many entries need room below the chart. */
const height_on_paper = (chart) => {
  const bars = chart.config.type === "bar" ? 60 + 26 * chart.data.labels.length : paper.height;
  const entries = new Set(chart.data.datasets.filter((d) => d.label && !d.roof)
    .map((d) => d.label)).size;
  return bars + (entries > 1 ? 24 * Math.ceil(entries / 3) : 0);
};

/** The chart as the text of an SVG file. */
const chart_as_svg = (place) => on_paper(place, (chart) => {
  const size = { width: paper.width, height: height_on_paper(chart) };
  const canvas = element("canvas", size);
  const recorder = new SvgRecorder(canvas.getContext("2d"));
  const context = recorder.context();
  canvas.getContext = () => context;
  const copy = new Chart(canvas, config_on_paper(chart));
  recorder.restart();
  copy.draw();
  const text = recorder.svg({ ...size, label: drawn_from.get(chart).label });
  copy.destroy();
  return `${text}\n`;
});

/** Paper is white, and a canvas without a ground is not. */
const white_ground = {
  id: "white_ground",
  beforeDraw({ ctx, width, height }) {
    ctx.save();
    ctx.fillStyle = "#ffffff";
    ctx.fillRect(0, 0, width, height);
    ctx.restore();
  },
};

/** The chart as a PNG of three pixels to each of the SVG's: a data: address. */
const chart_as_png = (place) => on_paper(place, (chart) => {
  const canvas = element("canvas", { width: paper.width, height: height_on_paper(chart) });
  const config = config_on_paper(chart);
  config.options.devicePixelRatio = 3;
  const copy = new Chart(canvas, { ...config,
                                   plugins: [white_ground, ...(config.plugins ?? [])] });
  const address = canvas.toDataURL("image/png");
  copy.destroy();
  return address;
});

const file_name = (text) =>
  text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");

function chart_buttons(place) {
  const save = (kind, type, content) =>
    () => download(`${place.id}.${kind}`, type, content(place));
  const bytes_of = (address) =>
    Uint8Array.from(atob(address.split(",")[1]), (c) => c.charCodeAt(0));
  const button = (text, act) => element("button", { type: "button", class: "link",
                                                    onclick: act }, text);
  return element("p", { class: "save" }, "Save the chart: ",
    button("SVG", save("svg", "image/svg+xml", chart_as_svg)), " ",
    button("PNG", save("png", "image/png", (here) => bytes_of(chart_as_png(here)))));
}

/** Every chart of the report: those over sizes once for each type and thread count, those of a case
 *  for the largest of these. The explorer's depends on its sliders and stays on the page. */
function every_chart() {
  const charts = [];
  const take = (definition, suffix) => {
    const { id } = definition;
    (running_charts.get(id) ?? []).forEach((_, index) => charts.push({
      name: file_name(`${id} ${suffix}`), svg: chart_as_svg({ id, index }),
      png: chart_as_png({ id, index }) }));
  };
  const used = placed().filter(({ id }) => id !== "explorer");
  used.filter((s) => s.fixed).forEach((definition) => take(definition, ""));
  const largest = new Map();
  for (const c of selected.view.cases) {
    const group = c.on_gpu ? `${c.dtype} gpu` : `${c.dtype} ${thread_label(c.threads)}`;
    const work = ({ m, n, k }) => m * n * k;
    if (!largest.has(group) || work(largest.get(group)) < work(c)) largest.set(group, c);
  }
  for (const [group, c] of largest) {
    selected.case = c;
    for (const definition of used.filter((s) => !s.fixed)) {
      draw_section(definition);
      take(definition, group);
    }
  }
  return charts;
}

/** With the address #charts the page gives its charts to a program instead of showing itself. */
function hand_over_charts() {
  chosen_theme = "light";
  apply_theme();
  redraw_all();
  const all = Object.fromEntries(every_chart().map(({ name, svg, png }) => [name, { svg, png }]));
  const text = JSON.stringify(all).replaceAll("<", "\\u003c");
  document.body.replaceChildren(element("script", { type: "application/json", id: "charts" },
                                        text));
}
