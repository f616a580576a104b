// The walk of the tile explorer: A, B and C as they stand in a product, and one product of tiles
// after another in the order of the loops. What a cache keeps meanwhile is tinted.

const most_cells = 16;  // of a side; larger matrices are drawn with several tiles in a cell

/** The grid that is drawn: tiles, or bundles of them; elements in bundles where there are none. */
function walk_grid({ device, order, tile, m, n, k }) {
  const edge = device === "gpu" || is_tiled(order) ? tile : 1;
  const cells = (extent) => Math.min(most_cells, Math.ceil(extent / edge));
  return { m: cells(m), n: cells(n), k: cells(k), edge,
           bundled: Math.max(m, n, k) / edge > most_cells };
}

/** Which cells of A, B and C the step touches. Untiled ikj runs along k before j. */
function walk_step({ device, order }, grid, step) {
  const count = grid.m * grid.n * grid.k;
  const at = step % count;
  const inner = device !== "gpu" && order === "ikj" ? grid.n : grid.k;
  const middle = device !== "gpu" && order === "ikj" ? grid.k : grid.n;
  const [i, mid, last] = [Math.floor(at / (inner * middle)), Math.floor(at / inner) % middle,
                          at % inner];
  return device !== "gpu" && order === "ikj" ? { i, k: mid, j: last, at, count }
                                             : { i, j: mid, k: last, at, count };
}

/** The innermost memory that keeps more than a part of one tile, and what: {where, kept}. */
function keeper(input, { flows }) {
  if (input.device === "gpu") return { where: "shared memory", kept: "two tiles" };
  const inside_a_tile = ["single lines", "a row of A, a column of B", "a row of B, a row of C"];
  const at = flows.findIndex(
    ({ kept }, i) => i > 0 && !(is_tiled(input.order) && inside_a_tile.includes(kept)));
  return at > 0 ? { where: flows[at - 1].from, kept: flows[at].kept } : { where: "L1", kept: "" };
}

/** Which cells stay near while the walk goes on. */
function kept_cells(kept, { i, j, k }) {
  const of = { a: () => false, b: () => false, c: () => false };
  const all = () => true;
  switch (kept) {
    case "a row of A, a column of B":
      return { ...of, a: (row) => row === i, b: (row, col) => col === j };
    case "a row of B, a row of C":
      return { ...of, b: (row) => row === k, c: (row) => row === i };
    case "a tile of B": return { ...of, b: (row, col) => row === k && col === j };
    case "three tiles": return { a: (r, c) => r === i && c === k, b: (r, c) => r === k && c === j,
                                 c: (r, c) => r === i && c === j };
    case "two tiles": return { ...of, a: (r, c) => r === i && c === k,
                               b: (r, c) => r === k && c === j };
    case "a row of tiles of A":
      return { a: (row) => row === i, b: (r, c) => r === k && c === j,
               c: (r, c) => r === i && c === j };
    case "all of B": return { ...of, a: (row) => row === i, b: all, c: (row) => row === i };
    case "everything": return { a: all, b: all, c: all };
    default: return of;
  }
}

/** One matrix with its cells as rects in a group of the drawing. */
function matrix_cells(name, rows, cols, x, y, size, state) {
  const [w, h] = [size * cols, size * rows];
  const made = [element("rect", { x, y, width: w, height: h, class: "ground" })];
  for (let row = 0; row < rows; ++row) {
    for (let col = 0; col < cols; ++col) {
      const how = state(row, col);
      if (how) {
        made.push(element("rect", { x: x + col * size, y: y + row * size, width: size,
                                    height: size, class: how }));
      }
    }
  }
  for (let line = 1; line < Math.max(rows, cols); ++line) {
    if (line < rows) {
      made.push(element("line", { x1: x, x2: x + w, y1: y + line * size, y2: y + line * size }));
    }
    if (line < cols) {
      made.push(element("line", { y1: y, y2: y + h, x1: x + line * size, x2: x + line * size }));
    }
  }
  const label = element("text", { x: x + 4, y: y - 5 }, name);
  return [...made, label];
}

/** The inner loop's way through the cell of one matrix: along its row, or down its column. */
function inner_walk(x, y, size, down) {
  const middle = size / 2;
  return element("line", { class: "inner", ...(down
    ? { x1: x + middle, x2: x + middle, y1: y + 2, y2: y + size - 2 }
    : { x1: x + 2, x2: x + size - 2, y1: y + middle, y2: y + middle }) });
}

/** Dot products walk A along and B down; updates of rows walk B and C along. */
function inner_walks(order, { i, j, k }, left, top, size) {
  const in_a = inner_walk(1 + k * size, top + i * size, size, false);
  const in_b = (down) => inner_walk(left + j * size, 16 + k * size, size, down);
  const in_c = inner_walk(left + j * size, top + i * size, size, false);
  return is_ijk(order) ? [in_a, in_b(true)] : [in_b(false), in_c];
}

function draw_walk(host, input, { where, kept }) {
  const grid = walk_grid(input);
  const now = walk_step(input, grid, explorer.step);
  const near = kept_cells(kept, now);
  const gap = 22, span = 300;
  const size = Math.min(span / Math.max(grid.m, grid.k), span / Math.max(grid.n, grid.k), 26);
  const [left, top] = [size * grid.k + gap, size * grid.k + gap + 16];
  const state = (touched, tint) => (row, col) => touched(row, col) ? "now" : tint(row, col)
    ? "kept" : null;
  const drawing = element("svg", {
    viewBox: `0 0 ${left + size * grid.n + 2} ${top + size * grid.m + 2}`, class: "walk",
    role: "img", "aria-label": `A, B and C in ${grid.m} x ${grid.n} x ${grid.k} cells`,
  },
  matrix_cells("B", grid.k, grid.n, left, 16, size,
               state((r, c) => r === now.k && c === now.j, near.b)),
  matrix_cells("A", grid.m, grid.k, 1, top, size,
               state((r, c) => r === now.i && c === now.k, near.a)),
  matrix_cells("C", grid.m, grid.n, left, top, size,
               state((r, c) => r === now.i && c === now.j, near.c)),
  (input.device === "cpu" && is_tiled(input.order))
    ? inner_walks(input.order, now, left, top, size) : []);
  const unit = grid.edge > 1 ? "tile" : "part";
  host.replaceChildren(drawing, element("p", { class: "step" },
    `Step ${now.at + 1} of ${now.count}: ${unit} (${now.i}, ${now.j}) of C takes `
    + `(${now.i}, ${now.k}) of A and (${now.k}, ${now.j}) of B.`
    + (kept ? ` ${where[0].toUpperCase()}${where.slice(1)} keeps ${kept}.` : "")
    + (grid.bundled ? ` A cell stands for several ${grid.edge > 1 ? "tiles" : "elements"}.` : "")));
}

/** Buttons that run the walk, stop it and take one step; it stands until it is asked to run. */
function walk_buttons() {
  const stop = () => { clearInterval(explorer.running); explorer.running = null; };
  const advance = () => { ++explorer.step; explorer.draw(); };
  const play = element("button", { type: "button", id: "explore-play", onclick: () => {
    if (explorer.running) stop();
    else explorer.running = setInterval(advance, 140);
    play.textContent = explorer.running ? "Pause" : "Play";
  } }, explorer.running ? "Pause" : "Play");
  return element("p", { class: "buttons" }, play,
    element("button", { type: "button", id: "explore-step", onclick: advance }, "Step"),
    element("button", { type: "button", id: "explore-restart",
                        onclick: () => { explorer.step = 0; explorer.draw(); } }, "Restart"));
}
