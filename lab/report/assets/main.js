// Starts the page: the controls of what is selected, the theme, and every section in its place.

/** Shows one case everywhere. */
function choose(c) {
  selected.case = c;
  draw_selection();
  redraw();
}

/** Of the cases that have the wanted value, the one nearest to what is selected now. */
function nearest_case(wanted) {
  const target = { ...selected.case, ...wanted };
  const likeness = (c) => 4 * Object.keys(wanted).every((key) => c[key] === target[key])
    + 2 * (c.shape === target.shape) + (c.threads === target.threads) + (c.dtype === target.dtype);
  return [...selected.view.cases].sort((a, b) => likeness(b) - likeness(a))[0];
}

function picker(id, name, options, current, act) {
  const choice = (event) => act(options[event.target.value].value);
  const list = element("select", { id, onchange: choice },
    options.map(({ text, value }, i) => element(
      "option", { value: i, selected: value === current }, text)));
  return element("label", {}, element("span", {}, name), list);
}

const picked = (id, name, values, current, write, act) => values.length > 1
  ? picker(id, name, values.map((value) => ({ value, text: write(value) })), current, act) : null;

function draw_selection() {
  const form = document.getElementById("selection");
  const focused = document.activeElement?.id;
  const { cases } = selected.view;
  form.replaceChildren(...[
    picked("pick-view", "Devices", digest.views, selected.view, (v) => v.name, (view) => {
      selected.view = view;
      selected.case = view.cases.length > 0 ? nearest_case({}) : null;
      choose(selected.case);
    }),
    picked("pick-dtype", "Type", distinct(cases.map((c) => c.dtype)), selected.case?.dtype,
           (dtype) => dtype, (dtype) => choose(nearest_case({ dtype }))),
    picked("pick-threads", "Threads", distinct(sized_alike().map((c) => c.threads)),
           selected.case?.threads, thread_label, (threads) => choose(nearest_case({ threads }))),
    picked("pick-size", "Size", sibling_cases(), selected.case, size_label, choose),
  ].filter(Boolean));
  form.hidden = form.childElementCount === 0;
  document.getElementById(focused)?.focus({ preventScroll: true });
}

const sized_alike = () => selected.view.cases.filter((c) => c.dtype === selected.case.dtype);

function apply_theme() {
  document.documentElement.dataset.theme = theme();
  const button = document.getElementById("theme");
  button.textContent = theme() === "dark" ? "Light" : "Dark";
  button.setAttribute("aria-label", `Switch to the ${button.textContent.toLowerCase()} theme`);
}

let theme_before_print = null;

/** Paper is light: the theme gives way for a print and comes back after it. */
function print_theme(name) {
  if (name) theme_before_print = chosen_theme;
  chosen_theme = name ?? theme_before_print;
  printing = Boolean(name);
  all_open ||= Boolean(name);  // what is folded away on the screen would be missing on paper
  apply_theme();
  redraw_all();
}

function start() {
  document.title = ["carat: " + machine.cpu_model, file.date?.slice(0, 10)]
    .filter(Boolean).join(", ");
  document.getElementById("theme").addEventListener("click", () => {
    chosen_theme = theme() === "dark" ? "light" : "dark";
    apply_theme();
    redraw_all();
  });
  apply_theme();
  dark_system.addEventListener("change", () => { apply_theme(); redraw_all(); });
  selected.case = selected.view.cases[selected.view.opens_at] ?? null;
  if (selected.case) draw_selection();
  document.getElementById("selection").addEventListener(
    "submit", (event) => event.preventDefault());
  place_sections(document.getElementById("main"), document.getElementById("contents"));
  document.getElementById("colophon").append(element("p", {},
    `carat ${[file.carat, file.revision].filter(Boolean).join(", revision ")}`,
    file.date ? `; measured ${file.date}` : "",
    ". This page makes no request: data, style and charts are inside it. ",
    "Charts by Chart.js (MIT)."));
  if (location.hash === "#charts") hand_over_charts();
  window.addEventListener("beforeprint", () => print_theme("light"));
  window.addEventListener("afterprint", () => print_theme(null));
  let was_narrow = narrow();
  window.addEventListener("resize", () => {
    if (narrow() !== was_narrow) { was_narrow = narrow(); redraw(); }
  });
}

start();
