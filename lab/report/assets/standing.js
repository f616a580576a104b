// How each implementation stands over many products: the table that the Markdown has, too.

const standing_columns = ({ columns }) => columns.map(({ head, is_number }, i) => ({
  head, class: is_number ? "number" : undefined, cell: (row) => prose(row[i]),
}));

section({
  id: "standing",
  title: "Over all products",
  short: "All products",
  lead: () => selected.view.standing.note,
  applies: () => digest.views.some(({ standing }) => standing.rows.length > 0),
  render(host) {
    const { standing } = selected.view;
    host.append(standing.rows.length > 0
      ? table(standing_columns(standing), standing.rows, { id: "standing-table", class: "stacked" })
      : element("p", {}, "Fewer than ten products on these devices have two implementations."));
  },
});
