// Every pair of the selected case. A cell says its verdict three times: a
// glyph, a ratio and a tint, so nothing hangs on colour.

const verdict_glyph = { faster: "▲", slower: "▼", tie: "=", unclear: "?" };
const verdict_words = {
  faster: "row is faster", slower: "row is slower",
  tie: "tie: equal within the margin",
  unclear: "unclear: neither a difference nor equality is shown",
};

function describe(pair) {
  const parts = [`${pair.a} against ${pair.b}: ${verdict_words[pair.verdict]}`];
  if (known(pair.ratio)) {
    parts.push(`ratio ${times(pair.ratio)}`
               + (pair.ci95_ratio ? ` (${pair.interval_over === "one process"
                 ? "in this one process" : "95 % CI"} ${interval(pair.ci95_ratio, times)})` : ""));
  }
  if (known(pair.p)) parts.push(`p = ${p_value(pair.p)}`);
  if (pair.df > 0) parts.push(`df = ${digits(pair.df)}`);
  if (pair.more_s > 0) parts.push(`about ${minutes(pair.more_s)} more would settle it (--settle)`);
  return parts.join("; ");
}

/** Arrow keys move through the matrix; one cell at a time is in the tab order. */
function walk(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0],
                 ArrowDown: [1, 0] }[event.key];
  const here = event.target.closest("td");
  if (!step || !here) return;
  event.preventDefault();
  const row = here.parentElement.parentElement.rows[here.parentElement.rowIndex - 1 + step[0]];
  const next = row?.cells[here.cellIndex + step[1]];
  if (next?.tagName !== "TD") return;
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function matrix_cell(pair, first, say) {
  if (!pair) return element("td", { class: "self", tabindex: first ? 0 : -1 }, dash);
  const strength = known(pair.ratio) ? Math.min(1, Math.abs(Math.log10(pair.ratio)) / 1.2) : 0;
  return element("td", {
    class: pair.verdict, tabindex: first ? 0 : -1, "aria-label": describe(pair),
    style: { "--strength": `${Math.round(14 + 56 * strength)}%` },
    onpointerenter: () => say(pair), onfocus: () => say(pair),
  },
  element("span", {}, verdict_glyph[pair.verdict], " ", known(pair.ratio) && times(pair.ratio)),
  element("small", {}, p_value(pair.p)));
}

function matrix_table(comparison, names, say) {
  const number = (name, i) =>
    element("th", { scope: "col", title: name, "aria-label": name }, i + 1);
  const body = names.map((a, i) => element("tr", {},
    element("th", { scope: "row" }, element("span", { class: "rank" }, i + 1), " ",
            element("span", {}, breakable(a))),
    names.map((b, j) => matrix_cell(i === j ? null : pair_of(comparison, a, b),
                                    i === 0 && j === 0, say))));
  return element("table", { class: "matrix", onkeydown: walk },
    element("thead", {}, element("tr", {}, element("th", {}, "row against column"),
                                 names.map(number))),
    element("tbody", {}, body));
}

function hypotheses(comparison) {
  const { h0, h1, alpha } = comparison.hypotheses ?? {};
  const welch = comparison.welch ?? {};
  const freedom = `${digits(welch.df1)}, ${digits(welch.df2)}`;
  return facts([
    ["H0", h0?.replace(/^H0: /, "")], ["H1", h1?.replace(/^H1: /, "")], ["alpha", known(alpha) ? String(alpha) : null],
    ["Welch's ANOVA", known(welch.f)
      ? `F(${freedom}) = ${digits(welch.f)}, p = ${p_value(welch.p)}` : null],
    ["Margin", known(settings.equivalence_margin)
      ? `a tie is a difference shown to be within ${100 * settings.equivalence_margin} %` : null],
  ]);
}

section({
  id: "matrix",
  title: "Who beats whom",
  short: "Pairs",
  lead: () => `${selected.case.label}. ▲ the row is faster, ▼ slower, = a tie, ? unclear, read off `
    + "the interval of the ratio; the ratio is row over column throughput, the small figure is p.",
  applies: () => selected.case !== null && file.comparisons?.length > 0,
  render(host) {
    const comparison = file.comparisons[selected.case.comparison];
    const named = new Set(comparison?.pairs.flatMap(({ a, b }) => [a, b]));
    const names = ranked_results(selected.case).map((result) => result.implementation)
      .filter((name) => named.has(name));
    if (names.length < 2) {
      host.append(element("p", {}, "No pair was compared in this case."));
      return;
    }
    const detail = element("p", { class: "detail", "aria-live": "polite" },
                           "Point at a cell, or move with the arrow keys, for the full test.");
    host.append(element("div", { class: "scroll", role: "region", "aria-label": "Matrix of pairs" },
      matrix_table(comparison, names, (pair) => { detail.textContent = describe(pair); })),
    detail, hypotheses(comparison));
  },
});
