// The page is a list of sections. A section is one file that calls section({
//   id, title,            the anchor and the heading
//   lead,                 one line under the heading, or a function that gives it
//   applies(),            optional: whether this results file has anything for it
//   render(host),         draws into an empty element for what is `selected`
//   fixed: true,          optional: doesn't depend on the selection, so it is drawn once
// }). Charts made through draw_chart() are ended for it when it is drawn again.

const sections = [];
const section = (definition) => sections.push(definition);

const running_charts = new Map();  // section id -> charts on the page
let drawing = null;                // id of the section being drawn

function draw_section(definition) {
  const host = document.querySelector(`#${definition.id} > .body`);
  (running_charts.get(definition.id) ?? []).forEach((chart) => chart.destroy());
  running_charts.set(definition.id, []);
  host.replaceChildren();
  drawing = definition.id;
  definition.render(host);
  const lead = document.querySelector(`#${definition.id} > .lead`);
  if (lead) {
    lead.replaceChildren(...prose(
      typeof definition.lead === "function" ? definition.lead() : definition.lead));
  }
}

function place_sections(main, contents) {
  for (const definition of sections.filter((s) => s.applies?.() ?? true)) {
    const heading = `${definition.id}-title`;
    main.append(element("section", { id: definition.id, "aria-labelledby": heading },
      element("h2", { id: heading }, definition.title),
      definition.lead && element("p", { class: "lead" }),
      element("div", { class: "body" })));
    contents.append(element("a", { href: `#${definition.id}` },
                            definition.short ?? definition.title));
    draw_section(definition);
  }
}

const placed = () => sections.filter((s) => document.getElementById(s.id));
const redraw = () => placed().filter((s) => !s.fixed).forEach(draw_section);
const redraw_all = () => placed().forEach(draw_section);
