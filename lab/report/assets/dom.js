// Elements are made, never parsed from text, so nothing in a results file can become markup.

const svg_names = new Set(["svg", "path", "line", "circle", "rect", "polyline", "text"]);

/** element("td", {class: "number"}, "12.3", other_element, [more, ...], null is skipped) */
function element(tag, attributes = {}, ...children) {
  const made = svg_names.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag)
                                  : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") {
      Object.entries(value).forEach(([property, v]) => made.style.setProperty(property, v));
    } else made.setAttribute(name, value === true ? "" : value);
  }
  const shown = children.flat(Infinity).filter((child) => known(child) && child !== false);
  made.append(...shown);
  return made;
}

/** A sentence in which `names` in backticks become code. */
function prose(text) {
  return text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));
}

/** A dotted name that may break after a dot or an underscore, and nowhere else. */
function breakable(name) {
  return name.split(/(?<=[._])/).flatMap((part) => [part, element("wbr")]).slice(0, -1);
}

/** A definition list from [term, description] pairs; unknown descriptions are left out. */
function facts(pairs) {
  return element("dl", { class: "facts" }, pairs.filter(([, value]) => known(value)).map(
    ([term, value]) => element("div", {}, element("dt", {}, term), element("dd", {}, value))));
}

/**
 * A table from columns [{head, cell(row), class?, title?}] and rows. On narrow screens the style
 * sheet stacks each row as a card, with data-label as the name of each value.
 */
function table(columns, rows, { caption, row_attributes = () => ({}), ...attributes } = {}) {
  const head = element("tr", {}, columns.map((column) => element(
    "th", { scope: "col", class: column.class, title: column.title }, column.head)));
  const body = rows.map((row) => element("tr", row_attributes(row), columns.map((column, i) =>
    element(i === 0 ? "th" : "td",
            { class: column.class, "data-label": column.head, scope: i === 0 ? "row" : undefined },
            column.cell(row)))));
  return element("table", attributes, caption && element("caption", {}, caption),
                 element("thead", {}, head), element("tbody", {}, body));
}
