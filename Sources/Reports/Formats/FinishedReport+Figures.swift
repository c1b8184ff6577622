public import Metrics

extension FinishedReport {
  /// The pictures of its tables or readouts as lines of markup.
  public var figures: [String] {
    switch self {
    case .tables(let reports): reports.flatMap(htmlFigures)
    case .readout(let report):
      report.readouts.enumerated().flatMap { place, readout in
        let charts = charts(of: readout)
        // Of several apps, each says which it is of.
        let isAlone = report.readouts.count == 1
        return htmlFigures(
          isAlone ? charts : charts.map { $0.titled("\(visible(readout.app)): \($0.title)") },
          id: "readout-\(place + 1)")
      }
    case .explanation: []
    }
  }
}

/// The pictures of a report, each with its title, for a page that has the style of tables.
func htmlFigures(_ report: Report) -> [String] { htmlFigures(charts(of: report), id: report.name) }

/// - Parameter id: What the pictures' ids begin with.
func htmlFigures(_ charts: [Chart], id: String) -> [String] {
  if charts.isEmpty { return [] }
  return [#"<div class="figures">"#]
    + charts.enumerated().flatMap { number, chart in
      ["<figure>", "<figcaption><bdi>\(htmlEscaped(chart.title))</bdi></figcaption>"]
        + chart.svg(id: "\(id)-chart-\(number + 1)") + ["</figure>"]
    } + ["</div>"]
}

extension Chart {
  fileprivate func titled(_ title: String) -> Chart {
    var chart = self
    chart.title = title
    return chart
  }
}
