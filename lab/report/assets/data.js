// The data leave the page as they came in: the JSON whole, and a CSV with one row a trial.

// The columns of `carat bench --csv`.
const csv_columns = ["implementation", "device", "dtype", "m", "n", "k", "threads", "threads_used",
                     "trial", "process", "time_s", "gflops", "error_ulp",
                     ...phase_columns.map(([field]) => field)];

/** RFC 4180 quoting; a leading =, + or @ gets an apostrophe, so no spreadsheet runs a name. */
function csv_field(value) {
  if (!known(value)) return "";
  const text = typeof value === "string" ? value.replace(/^[=+@]/, "'$&") : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Which process took trial i, from 0. */
function process_of(result, i) {
  let end = 0;
  const found = (result.trials_per_process ?? []).findIndex((n) => i < (end += n));
  return Math.max(0, found);
}

function csv() {
  const rows = file.results.flatMap((result) => (result.trials_s ?? []).map((time, i) =>
    csv_columns.map((column) => csv_field({
      trial: i, process: process_of(result, i), time_s: time, gflops: result.flop ? result.flop / time / 1e9 : null,
    }[column] ?? result[column] ?? result.phases?.[column]?.median)).join(",")));
  return [csv_columns.join(","), ...rows].join("\r\n") + "\r\n";
}

function download(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

section({
  id: "data",
  title: "Data",
  lead: "Everything on this page was drawn from the data inside it.",
  fixed: true,
  render(host) {
    const button = (id, text, act) =>
      element("button", { type: "button", id, onclick: act }, text);
    host.append(element("p", { class: "buttons" },
      button("download-json", "Download JSON",
             () => download("carat.json", "application/json",
                            document.getElementById("results").textContent)),
      button("download-csv", "Download CSV (one row a trial)",
             () => download("carat.csv", "text/csv", csv())),
      button("print", "Print", () => window.print())));
  },
});
