// The tile explorer on the page: its inputs, its answers, its walk, and bound and measurements over
// the tile.

const explored_range = { m: [1, 16384], n: [1, 16384], k: [1, 16384], tile: [2, 1024],
  l1: [4, 1024], l2: [64, 65536], l3: [512, 1048576], shared: [16, 256], gpu_l2: [1024, 131072] };
const gpu_tiles = [8, 16, 32, 64, 128];

const clamped = (name, value) => {
  const [least, most] = explored_range[name];
  return Math.min(most, Math.max(least, Math.round(value) || least));
};

/** A GPU's kernels come with these edges only. */
const allowed_tile = (tile) => gpu_tiles.reduce((best, edge) =>
  Math.abs(edge - tile) < Math.abs(best - tile) ? edge : best);

/** A slider on a log scale and a number field that follow each other. */
function number_input(name, title, changed) {
  const [least, most] = explored_range[name];
  const set = (value) => {
    explorer.shown[name] = clamped(name, value);
    changed();
  };
  const number = element("input", { type: "number", id: `explore-${name}`, min: least, max: most,
                                    onchange: (event) => set(Number(event.target.value)) });
  const slider = element("input", {
    type: "range", min: Math.log2(least), max: Math.log2(most), step: 1 / 16,
    "aria-label": `${title}, slider`,
    oninput: (event) => set(2 ** Number(event.target.value)),
  });
  const follow = () => {
    number.value = explorer.shown[name];
    slider.value = Math.log2(explorer.shown[name]);
  };
  follow();
  return { part: element("div", { class: "dial" },
                         element("label", { for: `explore-${name}` }, title), number, slider),
           follow };
}

function choice_input(name, title, options, changed) {
  const list = element("select", { id: `explore-${name}`, onchange: (event) => {
    explorer.shown[name] = event.target.value;
    changed();
  } }, options.map((value) => element("option", { value, selected: explorer.shown[name] === value },
                                      value)));
  return { part: element("div", { class: "dial" },
                         element("label", { for: `explore-${name}` }, title), list),
           follow: () => { list.value = explorer.shown[name]; } };
}

/** Measured results of this curve, size and type, as points over the tile. */
function measured_tiles(input) {
  const same = (c) => c.m === input.m && c.n === input.n && c.k === input.k
    && c.dtype === input.dtype;
  return file.results.filter((c) => {
    const order = has_figure(c) && tile_series(c)?.order;
    return order && same(c) && order === (input.device === "gpu" ? "gpu" : input.order);
  }).map((result) => ({ x: result.tunables["tile-size"], y: result.median_gflops, result }));
}

function bound_curve(input) {
  const edges = input.device === "gpu" ? gpu_tiles
    : Array.from({ length: 37 }, (_, i) => Math.round(4 * 2 ** (i / 4)))
      .filter((tile) => tile <= Math.max(8, input.m, input.n, input.k));
  return edges.map((tile) => ({ x: tile, y: answer(question({ ...input, tile })).predicted.gflops }))
    .filter(({ y }) => y > 0);
}

function draw_curve(host, input) {
  const curve = bound_curve(input);
  const points = measured_tiles(input);
  const untiled = input.device === "cpu" && !is_tiled(input.order);
  host.replaceChildren(element("h3", {}, "Bound and measurements over the tile"));
  if (curve.length === 0 || untiled) {
    host.append(element("p", {}, untiled ? "These loops have no tile."
      : "No peaks were measured for this type, so there is no bound to draw."));
    return;
  }
  const here = { x: input.tile, y: answer(question(input)).predicted.gflops };
  const all = [...curve, ...points];
  const line = (color, more) => ({ borderColor: color, pointBackgroundColor: color,
                                   backgroundColor: color, hue: color, ...more });
  running_charts.get("explorer").splice(0).forEach((chart) => chart.destroy());
  drawing = "explorer";
  draw_chart(host, {
    height: narrow() ? 240 : 300,
    label: `Predicted bound for ${curve.length} tiles and ${points.length} measured points`,
  }, {
    type: "scatter",
    data: { datasets: [
      line(ink("roof"), { label: "bound", data: curve, showLine: true, pointRadius: 0,
                          borderWidth: 2 }),
      line(ink("accent"), { label: "this tile", data: [here], pointRadius: 6,
                            pointStyle: "rectRot" }),
      line(ink("loss"), { label: "measured", data: points, pointRadius: 5 })] },
    plugins: [confidence_bands],
    options: {
      interaction: { mode: "nearest", intersect: false },
      scales: {
        x: log_axis("Tile", ...log_bounds([...all, here].map(({ x }) => x), 1.1)),
        y: throughput_axis(...log_bounds(all.map(({ y }) => y))),
      },
      plugins: { tooltip: { callbacks: {
        title: ([item]) => item ? `tile ${item.raw.x}` : "",
        label: ({ raw }) => raw.result ? [raw.result.implementation, ...result_lines(raw.result)]
          : `bound ${throughput(raw.y)}`,
      } } },
    },
  });
  const keys = [["roof", "predicted bound"], ["accent", "this tile"], ["loss", "measured"]];
  host.append(element("p", { class: "key" }, keys.map(([color, text]) => element("span", {},
    element("span", { class: "dot", style: { background: `var(--${color})` } }), ` ${text}`)),
  points.length === 0 && element("span", {}, "Nothing was measured at this size, type and order.")));
}

function draw_answer(host, input) {
  const found = answer(question(input));
  host.told.replaceChildren(
    input.device === "gpu" ? told_for_gpu(found) : told_for_cpu(found),
    told_bound(found.predicted), gauges(input, found), flow_rows(found.predicted));
  host.keeper = keeper(input, found.predicted);
}

/** Inputs that a device has no use for disappear. */
function shows_input(name, { device, order }) {
  const on_gpu = ["shared", "gpu_l2"].includes(name);
  const on_cpu_only = ["l1", "l2", "l3", "order"].includes(name);
  if (name === "tile") return device === "gpu" || is_tiled(order);
  return device === "gpu" ? !on_cpu_only : !on_gpu;
}

section({
  id: "explorer",
  title: "Tile explorer",
  fixed: true,
  lead: "What a tile keeps near, what must move meanwhile, and the bound that follows from this "
    + "machine's measured bandwidths: one core, or one GPU. The bound assumes that computing and "
    + "every memory are busy at once; a cache that forgets what was used longest ago; no prefetch.",
  applies: () => file.results.length > 0,
  render(host) {
    explorer.shown ??= first_inputs();
    const input = explorer.shown;
    const spot = { told: element("div", { class: "told-of" }), walk: element("div"),
                   curve: element("div", { class: "panel" }), keeper: null };
    explorer.draw = () => draw_walk(spot.walk, input, spot.keeper);
    const parts = new Map();
    const changed = () => {
      if (input.device === "gpu") input.tile = allowed_tile(input.tile);
      for (const [name, { part, follow }] of parts) {
        part.hidden = !shows_input(name, input);
        follow();
      }
      draw_answer(spot, input);
      draw_curve(spot.curve, input);
      explorer.draw();
    };
    const add = (name, made) => parts.set(name, made);
    add("device", choice_input("device", "Device", ["cpu", "gpu"], changed));
    add("order", choice_input("order", "Loop order", lattice.orders, changed));
    add("dtype", choice_input("dtype", "Type", Object.keys(lattice.bytes), changed));
    for (const [name, title] of [["m", "M"], ["n", "N"], ["k", "K"], ["tile", "Tile"],
                                 ["l1", "L1, KiB"], ["l2", "L2, KiB"], ["l3", "L3, KiB"],
                                 ["shared", "Shared memory, KiB"], ["gpu_l2", "L2 of the GPU, KiB"]]) {
      add(name, number_input(name, title, changed));
    }
    host.append(
      element("form", { class: "dials", "aria-label": "Inputs of the explorer",
                        onsubmit: (event) => event.preventDefault() },
              [...parts.values()].map(({ part }) => part)),
      element("div", { class: "columns" }, spot.told,
        element("div", {}, walk_buttons(), spot.walk,
          element("p", { class: "key" },
            element("span", {}, element("span", { class: "dot now" }), " multiplied now"),
            element("span", {}, element("span", { class: "dot kept" }), " kept near"),
            element("span", {}, "Strokes: the inner loop's way through its tiles")))),
      spot.curve);
    changed();
  },
});
