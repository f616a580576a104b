// How each implementation looks, the same in every chart: colour from a palette that colour-blind
// readers can tell apart (after Okabe and Ito), and, since colour alone is never enough, a marker
// of its own and a dash for its family.

const hues = {
  light: ["#0072b2", "#d55e00", "#00805d", "#b1549b", "#a87000", "#2f8fce", "#5b6470"],
  dark: ["#58a6e8", "#ff8a4c", "#2fc497", "#e29acb", "#e6b13d", "#9bd4ff", "#aab4c0"],
};
const markers = ["circle", "rect", "triangle", "rectRot", "star", "crossRot", "cross", "dash"];
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 4], [12, 4]];

/** The theme in use: the system's until the reader chooses. The style sheet follows. */
const dark_system = window.matchMedia("(prefers-color-scheme: dark)");
let chosen_theme = null;
const theme = () => chosen_theme ?? (dark_system.matches ? "dark" : "light");

/** A colour of the style sheet, by its custom property. */
const ink = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** The hex colour with an opacity in 0..1. */
const faded = (hex, opacity) =>
  hex + Math.round(opacity * 255).toString(16).padStart(2, "0");

/** "cpu.ladder.tiled[tile-size=64]" is of family "cpu.ladder"; "vendor.mkl" of "vendor". */
function family_of(implementation) {
  const parts = implementation.split("[")[0].split(".");
  const rooms = parts[0] === "cpu" || parts[0] === "cuda" ? 2 : 1;
  return parts.slice(0, rooms).join(".");
}

/** The name without its family: "tiled[tile-size=64]"; "cpu.engine" itself is "engine". */
function short_name(implementation) {
  const family = family_of(implementation);
  return implementation.startsWith(`${family}.`) ? implementation.slice(family.length + 1)
                                                 : implementation.split(".").at(-1);
}

/** implementation -> {color(), marker, dash, family}; order and looks follow the file's order. */
function assign_styles(names) {
  const families = [...new Set(names.map(family_of))];
  const met = new Map();
  return new Map(names.map((name, i) => {
    const family = family_of(name);
    const turn = met.get(family) ?? 0;
    met.set(family, turn + 1);
    const own = Math.floor(turn / hues.light.length);  // a large family goes round again, redashed
    return [name, {
      family,
      color: () => hues[theme()][(turn + families.indexOf(family)) % hues.light.length],
      marker: markers[(turn + own) % markers.length],
      dash: dashes[(families.indexOf(family) + own) % dashes.length],
      order: i,
    }];
  }));
}
