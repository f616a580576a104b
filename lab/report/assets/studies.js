// The chapters of `carat study`: what was asked, what was found, the tables, what was not run.

const studies = file.studies ?? [];

function study_table({ title, head, rows, note }) {
  const columns = head.map((name, i) => ({
    head: name, class: i === 0 ? undefined : "number", cell: (row) => row[i],
  }));
  return element("figure", { class: "study-table" },
    table(columns, rows, { caption: title, class: "study" }),
    note && element("figcaption", {}, note));
}

function study_chapter(study) {
  const list = (sentences, name) => sentences.length === 0 ? null
    : element("ul", { class: name }, sentences.map((text) => element("li", {}, text)));
  return element("article", { id: `study-${study.study}`, class: "chapter" },
    element("h3", {}, study.title), element("p", { class: "lead" }, study.question),
    list(study.findings, "findings"), study.tables.map(study_table),
    study.left_out.length > 0 && element("details", {},
      element("summary", {}, `Not run here: ${study.left_out.length}`),
      list(study.left_out, "left-out")),
    list(study.sources, "sources"));
}

section({
  id: "studies",
  title: "Studies",
  lead: "Questions that published comparisons asked, answered with this machine's measurements.",
  applies: () => studies.length > 0,
  fixed: true,
  render(host) {
    host.append(...studies.map(study_chapter));
  },
});
