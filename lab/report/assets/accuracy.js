// Error against speed: what the faster ones pay, if they pay.

section({
  id: "accuracy",
  title: "Error against speed",
  short: "Accuracy",
  lead: () => `${selected.case.label}. Worst componentwise error against a reference of higher `
    + "precision, in units of roundoff u of the type computed in. Up and to the left is better.",
  applies: () => file.results.filter((c) => has_figure(c) && c.error_ulp > 0).length > 1,
  render(host) {
    const results = ranked_results(selected.case).filter((result) => result.error_ulp > 0);
    if (results.length === 0) {
      host.append(element("p", {}, "No error was measured in this case."));
      return;
    }
    const names = results.map((result) => result.implementation)
      .sort((a, b) => styles.get(a).order - styles.get(b).order);
    const chart = draw_chart(host, {
      height: narrow() ? 300 : 360,
      label: `Error against throughput for ${results.length} implementations, as in the ranking`,
    }, {
      type: "scatter",
      data: { datasets: names.map((implementation) => ({
        implementation, label: implementation, showLine: false, ...dataset_style(implementation),
        pointRadius: 5.5,
        data: results.filter((result) => result.implementation === implementation)
          .map((result) => ({ x: result.error_ulp, y: result.median_gflops, result })),
      })) },
      plugins: [confidence_bands],
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: {
          x: log_axis("Worst error, u", ...log_bounds(results.map((c) => c.error_ulp), 1.5)),
          y: throughput_axis(...log_bounds(results.map((c) => c.median_gflops), 1.5)),
        },
        plugins: { tooltip: result_tooltip },
      },
    });
    legend(host, chart, names);
  },
});
