// The formulas of lab/model in the page, so that the explorer answers while a slider moves. Same
// names, same order of operations; the browser test holds both to the same numbers.

const lattice = {
  orders: ["ijk", "ikj", "tiled ijk", "tiled ikj"],
  bytes: { f64: 8, f32: 4, i32: 4, f16: 2, bf16: 2, i8: 1, e4m3: 1, e5m2: 1 },
};
const is_tiled = (order) => order.startsWith("tiled");
const is_ijk = (order) => order.endsWith("ijk");
const operations = ({ m, n, k }) => 2 * m * n * k;
const each_of = (dtype) => ({ ab: lattice.bytes[dtype], c: Math.max(4, lattice.bytes[dtype]) });

/** The extents of one tile product: those of the matrices where there are no tiles. */
const tile_of = (order, tile, { m, n, k }) => is_tiled(order)
  ? { m: Math.min(tile, m), n: Math.min(tile, n), k: Math.min(tile, k) } : { m, n, k };

function working_set_bytes(order, tile, all, each) {
  const { m, n, k } = tile_of(order, tile, all);
  return (m * k + k * n) * each.ab + m * n * each.c;
}

function reuse_of(order, tile, all) {
  const { m, n, k } = tile_of(order, tile, all);
  return { a: n, b: m, c: k };
}

const ideal_intensity = ({ m, n, k }, each) =>
  operations({ m, n, k }) / ((m * k + k * n) * each.ab + 2 * m * n * each.c);

function intensity_of(order, tile, all, each) {
  const { m, n, k } = all;
  const c_bytes = 2 * m * n * each.c;
  if (order === "ijk") return operations(all) / (2 * m * n * k * each.ab + c_bytes);
  if (order === "ikj") return operations(all) / ((m * k + m * n * k) * each.ab + c_bytes);
  const t = tile_of(order, tile, all);
  const a = m * k * Math.ceil(n / t.n), b = k * n * Math.ceil(m / t.m);
  return operations(all) / ((a + b) * each.ab + c_bytes);
}

function terms_of(order, tile, all, line) {
  const t = tile_of(order, tile, all);
  const tiles = { m: Math.ceil(all.m / t.m), n: Math.ceil(all.n / t.n), k: Math.ceil(all.k / t.k) };
  const [a, b, c] = [all.m * all.k / line.ab, all.k * all.n / line.ab, all.m * all.n / line.c];
  return {
    t, a, b, c, products: all.m * all.n * all.k,
    tile_a: t.m * t.k / line.ab, tile_b: t.k * t.n / line.ab, tile_c: t.m * t.n / line.c,
    row_a: t.k / line.ab, row_b: t.n / line.ab, row_c: t.n / line.c,
    a_per_tile: a * tiles.n, b_per_tile: b * tiles.m, c_per_tile: c * tiles.k,
    until_a: t.m * all.k / line.ab + all.k * t.n / line.ab + 1,
    until_b: b + t.m * all.k / line.ab - t.m * t.k / line.ab + 1,
  };
}

function steps_inside(order, x, line) {
  const { t } = x;
  if (is_ijk(order)) {
    return [
      { from: 2, misses: [x.a_per_tile * t.n, x.products, x.c_per_tile * line.c],
        holds: "single lines" },
      { from: t.k + x.row_a + 1, misses: [x.a_per_tile, x.products / line.ab, x.c_per_tile],
        holds: "a row of A, a column of B" }];
  }
  return [
    { from: 2, misses: [x.a_per_tile * line.ab, x.products / line.ab, x.products / line.c],
      holds: "single lines" },
    { from: x.row_b + x.row_c + 1, misses: [x.a_per_tile, x.products / line.ab, x.c_per_tile],
      holds: "a row of B, a row of C" }];
}

function steps_of_tiles(order, x, all, line) {
  const { t } = x;
  const tiles = x.tile_a + x.tile_b + x.tile_c;
  return [
    { from: x.tile_b + 2 * x.row_a + (is_ijk(order) ? x.row_c : x.row_b + x.row_c + 1),
      misses: [x.a_per_tile, x.b_per_tile, x.c_per_tile], holds: "a tile of B" },
    { from: tiles + x.tile_b + x.row_a, misses: [x.a_per_tile, x.b_per_tile, x.c],
      holds: "three tiles" },
    { from: all.k * (t.m + t.n) / line.ab + x.tile_b + 2 * x.tile_c,
      misses: [x.a, x.b_per_tile, x.c], holds: "a row of tiles of A" }];
}

const total = (misses) => misses[0] + misses[1] + misses[2];

/** The best step that a cache of `lines` has reached: misses of A, B and C, and what it holds. */
function misses_at(order, tile, all, line, lines) {
  const x = terms_of(order, tile, all, line);
  const everything = x.a + x.b + x.c;
  const with_b = x.b + (is_ijk(order) ? 2 * all.k / line.ab + all.n / line.c
                                      : 2 * all.n / line.c + all.k / line.ab + 1);
  const steps = [...steps_inside(order, x, line),
    ...(is_tiled(order) ? steps_of_tiles(order, x, all, line) : []),
    { from: is_tiled(order) ? everything : Math.min(with_b, everything),
      misses: [x.a, x.b, x.c], holds: is_tiled(order) ? "everything" : "all of B" }];
  return steps.reduce((best, step) =>
    step.from <= lines && total(step.misses) < total(best.misses) ? step : best);
}

/** Bytes of the core's own loads and stores. */
function core_bytes(order, tile, all, each) {
  const products = all.m * all.n * all.k;
  const t = tile_of(order, tile, all);
  if (is_ijk(order)) {
    const sums = all.m * all.n * Math.ceil(all.k / t.k);
    return 2 * products * each.ab + 2 * sums * each.c;
  }
  return (all.m * all.k * Math.ceil(all.n / t.n) + products) * each.ab + 2 * products * each.c;
}

/** The slowest of computing and every flow: flows are [{from, bytes, gb_per_s, kept}]. */
function slowest_of(flows, flop, peak_gflops) {
  const compute_s = peak_gflops > 0 ? flop / (peak_gflops * 1e9) : 0;
  let [time_s, bound] = [compute_s, compute_s > 0 ? "compute" : ""];
  for (const flow of flows) {
    flow.time_s = flow.gb_per_s > 0 ? flow.bytes / (flow.gb_per_s * 1e9) : 0;
    if (flow.time_s > time_s) [time_s, bound] = [flow.time_s, flow.from];
  }
  return { flows, compute_s, time_s, bound, gflops: time_s > 0 ? flop / time_s / 1e9 : 0 };
}

/** levels: [{name, capacity_bytes, gb_per_s, line_bytes}] from the innermost to main memory. */
function predict(order, tile, all, each, levels, peak_gflops) {
  const flows = levels.map(({ name, gb_per_s }, i) => {
    if (i === 0) {
      return { from: name, gb_per_s, bytes: core_bytes(order, tile, all, each),
               kept: is_ijk(order) ? "a sum in a register" : "an element of A" };
    }
    const { capacity_bytes, line_bytes } = levels[i - 1];
    const step = misses_at(order, tile, all,
                           { ab: line_bytes / each.ab, c: line_bytes / each.c },
                           Math.floor(capacity_bytes / line_bytes));
    const [a, b, c] = step.misses;
    return { from: name, gb_per_s, bytes: (a + b + 2 * c) * line_bytes, kept: step.holds };
  });
  return slowest_of(flows, operations(all), peak_gflops);
}

const level_holding = (levels, size_bytes) =>
  levels.slice(0, -1).find(({ capacity_bytes }) => size_bytes <= capacity_bytes) ?? levels.at(-1);

/** One block of the ladder's tiled GPU kernels: one sum a thread to an edge of 32, then many. */
function gpu_tile_of(tile, element_bytes) {
  if (tile <= 32) {
    return { threads: tile * tile, registers: 32, shared_bytes: 2 * tile * tile * element_bytes,
             shared_reads: 2 };
  }
  const each = Math.floor(tile / 16);
  const words = Math.max(1, Math.floor(element_bytes / 4));
  return { threads: 256, registers: Math.min(255, (each * each + 2 * each) * words + 32),
           shared_bytes: 16 * (2 * tile + 1) * element_bytes, shared_reads: 2 / each };
}

const round_up = (value, unit) => Math.ceil(value / unit) * unit;

/** Blocks that a multiprocessor holds, which resource ends first, and the share of its threads. */
function residency_of(block, on) {
  const threads = round_up(Math.max(1, block.threads), 32);
  const of_a_warp = round_up(Math.max(1, block.registers) * 32, 256);
  const warps = Math.floor(Math.floor(on.registers / of_a_warp) / 4) * 4;
  const limits = [
    [Math.floor(on.threads / threads), "threads"], [on.blocks, "blocks"],
    [Math.floor(warps / (threads / 32)), "registers"],
    [block.shared_bytes > on.shared_bytes_per_block ? 0
      : Math.floor(on.shared_bytes / (block.shared_bytes + on.reserved_bytes)), "shared memory"]];
  const [blocks, limit] = limits.reduce((least, one) => one[0] < least[0] ? one : least);
  return { blocks, limit, occupancy: blocks * threads / on.threads };
}

/** What a GPU's tiles move: every tile from L2, and all operands once from memory beyond it. */
function predict_gpu(tile, all, each, levels, peak_gflops) {
  const { m, n, k } = all;
  const t = tile_of("tiled ijk", tile, all);
  const tiles = (m * k * Math.ceil(n / t.n) + k * n * Math.ceil(m / t.m)) * each.ab;
  const c_bytes = m * n * each.c;
  const once = (m * k + k * n) * each.ab + c_bytes;
  const [l2, memory] = levels;
  const in_l2 = once <= l2.capacity_bytes;
  return slowest_of([
    { from: l2.name, gb_per_s: l2.gb_per_s, bytes: tiles + c_bytes, kept: "two tiles" },
    { from: memory.name, gb_per_s: memory.gb_per_s, bytes: in_l2 ? 0 : once,
      kept: in_l2 ? "all of A, B and C" : "what is wanted again" }], operations(all), peak_gflops);
}
