internal import Metrics

extension FinishedReport {
  /// The pictures of its tables as lines of markup; none of a readout, which has its own.
  public var figures: [String] {
    if case .tables(let reports) = self { reports.flatMap(htmlFigures) } else { [] }
  }
}

/// The pictures of a report, each with its title, for a page that has the style of tables.
func htmlFigures(_ report: Report) -> [String] {
  let charts = charts(of: report)
  if charts.isEmpty { return [] }
  return [#"<div class="figures">"#]
    + charts.enumerated().flatMap { number, chart in
      ["<figure>", "<figcaption><bdi>\(htmlEscaped(chart.title))</bdi></figcaption>"]
        + chart.svg(id: "\(report.name)-chart-\(number + 1)") + ["</figure>"]
    } + ["</div>"]
}
