// What a reader takes away: the headline, four figures of the selected case, and what to know before
// trusting any of it.

const glyph = { error: "✕", warning: "!", note: "i" };

function tiles() {
  const results = ranked_results(selected.case);
  if (results.length === 0) return null;
  const best = results[0];
  const last = results[results.length - 1];
  const peak = peak_of(best);
  const share = row_of(selected.case, best).percent || null;
  const [size, unit_name] = unit_for(best.median_gflops);
  const measured = file.results.filter(has_figure).length;
  const attempted = file.results.filter((result) => result.available).length;
  const figures = [
    [digits(best.median_gflops / size), unit_name, `highest median: ${best.implementation}`],
    known(share) && [share.toFixed(0), "%",
     peak ? `of the measured roofline (peak ${throughput(peak)})` : "of the measured roofline"],
    [times(row_of(selected.case, last).times), "",
     results.length > 1 ? `from the slowest: ${last.implementation}` : "one implementation only"],
    [`${measured}`, `of ${attempted}`, "results of this file have a verified figure"],
  ];
  return element("div", { class: "tiles" }, figures.filter(Boolean).map(([value, unit, what]) =>
    element("div", {}, element("p", { class: "value" }, value, " ",
                               element("small", {}, unit)), element("p", {}, what))));
}

let printing = false;

const warning_items = (those) => element("ul", {}, those.map(({ level, text }) =>
  element("li", { class: level },
    element("span", { class: "glyph", role: "img", "aria-label": level }, glyph[level]),
    element("span", {}, prose(text)))));

/** Errors and what little more there is stand there; many warnings would hide the ranking. */
function warning_list() {
  if (digest.warnings.length === 0) return null;
  const most = 2;
  const errors = digest.warnings.filter(({ level }) => level === "error");
  const shown = digest.warnings.length <= most ? digest.warnings : errors;
  const folded = digest.warnings.filter((one) => !shown.includes(one));
  const title = "Before you trust it";
  const counts = ["warning", "note"].map((level) =>
    [level, folded.filter((one) => one.level === level).length]).filter(([, count]) => count > 0)
    .map(([level, count]) => plural(count, level)).join(" and ");
  return element("div", { class: "warnings" },
    ...[shown.length > 0 && [element("h3", {}, title), warning_items(shown)],
        folded.length > 0 && element("details", { open: printing },
          element("summary", {}, shown.length > 0 ? counts : `${title}: ${counts}`),
          warning_items(folded))].filter(Boolean).flat());
}

section({
  id: "summary",
  title: "Verdict",
  render(host) {
    const [opening, ...rest] = selected.view.headline;
    host.append(element("p", { class: "headline" }, prose(opening)));
    if (rest.length > 0) host.append(element("p", { class: "further" }, prose(rest.join(" "))));
    if (selected.case) {
      host.append(...[element("p", { class: "eyebrow" }, selected.case.label
        + (selected.case.on_gpu ? `, ${gpu_name()}` : "")), tiles()]
        .filter(Boolean));
    }
    const warned = warning_list();
    if (warned) host.append(warned);
  },
});
