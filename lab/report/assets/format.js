// Numbers as people read them. The rules are those of lab/report/words.cpp, so that a sentence and
// a table never disagree about a figure.

const dash = "–";
const known = (value) => value !== undefined && value !== null && value !== "";

/** Four significant digits, no exponent: 0.5120, 14.20, 153.7, 2041. */
function digits(value) {
  if (!known(value)) return dash;
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  if (magnitude < -3) return value.toExponential(2);
  return value.toFixed(Math.max(0, 3 - magnitude));
}

/** As unit_for() of lab/report/words.cpp: what throughputs of one table are given in. */
const unit_for = (largest) => largest >= 1e4 ? [1e3, "TFLOP/s"] : [1, "GFLOP/s"];

/** With its unit: 142.1 GFLOP/s, 724.7 TFLOP/s. */
function throughput(gflops) {
  if (!known(gflops)) return dash;
  const [size, unit] = unit_for(gflops);
  return `${digits(gflops / size)} ${unit}`;
}

/** An error in units of roundoff: two digits are all it means. */
function roundoffs(value) {
  if (!known(value)) return dash;
  const shown = value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
  return `${value >= 1e5 ? value.toExponential(1) : shown} u`;
}

function scaled(value, units) {
  if (!known(value)) return dash;
  const [size, unit] = units.find(([s]) => Math.abs(value) >= s) ?? units[units.length - 1];
  const shown = value / size;
  const decimals = Math.abs(shown) >= 100 ? 0 : Math.abs(shown) >= 10 ? 1 : 2;
  return `${shown.toFixed(decimals)} ${unit}`;
}

const duration = (seconds) =>
  scaled(seconds, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]]);

/** As roughly() of lab/report/words.cpp. */
const minutes = (seconds) => seconds < 90 ? `${Math.max(1, seconds).toFixed(0)} s`
  : seconds < 5400 ? `${(seconds / 60).toFixed(0)} minutes` : `${(seconds / 3600).toFixed(0)} hours`;

/** Binary units, whole where they are whole: 48 KiB, 1.5 GiB. */
function bytes(count) {
  if (!known(count)) return dash;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let step = 0;
  while (count >= 1024 && step < units.length - 1) { count /= 1024; ++step; }
  return `${Number.isInteger(count) ? count : count.toFixed(1)} ${units[step]}`;
}

const megahertz = (value) => value > 0 ? `${(value / 1000).toFixed(2)} GHz` : null;

const percent = (value, decimals = 1) =>
  known(value) ? `${value.toFixed(decimals)} %` : dash;

/** A ratio as "1.92×". */
function times(ratio) {
  if (!known(ratio)) return dash;
  if (ratio < 0.0995) return `${ratio.toFixed(ratio < 0.00995 ? 4 : 3)}×`;
  return `${ratio.toFixed(ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2)}×`;
}

const superscript = (text) =>
  [...String(text)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");

/** A p-value: 0.034, 0.0012, 3×10⁻¹². */
function p_value(p) {
  if (!known(p)) return dash;
  if (p === 0) return "<10⁻³⁰⁰";
  if (p >= 0.0095) return p.toFixed(p >= 0.095 ? 2 : 3);
  if (p >= 0.00095) return p.toFixed(4);
  const [mantissa, exponent] = p.toExponential(0).split("e");
  return `${mantissa}×10${superscript(Number(exponent))}`;
}

const interval = (pair, write = digits) =>
  pair ? `${write(pair[0])} to ${write(pair[1])}` : dash;

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
