import Metrics

/// The experiments on the page: the state of every one, and of the newest a picture.
struct PageExperiments {
  /// Experiments with pictures; of the others the files tell as much.
  private static let mostPictures = 12
  /// Of the metrics; the file has all.
  private static let shownColumns: Set = [
    "metric", "variant", "n", "events", "value", "difference", "one_look", "always_valid", "p_always_valid",
  ]

  let list: Report
  let readouts: [ExperimentReport]
  let note: String?

  private var all: [ExperimentReadout] { readouts.flatMap(\.readouts) }

  var lines: [String] {
    if list.rows.isEmpty { return ["<p>No person was exposed to an experiment.</p>"] }
    var lines: [String] = []
    if let note { lines.append("<p>\(htmlEscaped(note))</p>") }
    let states = ReadableTable(self.states)
    // Verdicts are sentences, which break into lines: one table has room for them.
    lines += htmlTable(
      keys: states.keys, values: states.groups.joined().map(\.self), caption: "State of every experiment",
      id: "experiments-table")
    let pictured = self.pictured
    for (place, readout) in pictured.enumerated() { lines += article(readout, number: place + 1) }
    if pictured.count < all.count {
      lines.append("<p>The \(pictured.count) newest of \(all.count) experiments have pictures here.</p>")
    }
    if let definition = readouts.first?.definition {
      lines += [#"<ul class="definition">"#] + definition.map { "<li>\(htmlEscaped($0))</li>" } + ["</ul>"]
    }
    return lines
  }

  private func article(_ readout: ExperimentReadout, number: Int) -> [String] {
    let id = "experiment-\(number)"
    let verdict = VerdictText(readout)
    let heading = "<bdi>\(htmlEscaped(readout.experiment))</bdi> in <bdi>\(htmlEscaped(readout.app))</bdi>"
    var lines = [
      #"<article aria-labelledby="\#(id)-title">"#, #"<h3 id="\#(id)-title">\#(heading)</h3>"#,
      "<p><strong>\(htmlEscaped(verdict.sentence))</strong></p>",
    ]
    lines += verdict.reasons.map { "<p>\(htmlEscaped($0))</p>" }
    lines += htmlFigures(charts(of: readout), id: id)
    if let metrics = experimentSections(readout).first(where: { $0.title == "Metrics" })?.table {
      lines += htmlTables(metrics.keeping(Self.shownColumns), id: id)
    }
    return lines + ["</article>"]
  }

  /// In the list's order.
  private var pictured: [ExperimentReadout] {
    if all.count <= Self.mostPictures { return all }
    let newest = Set(
      all.indices.sorted { left, right in
        let (a, b) = (lastExposure(all[left]), lastExposure(all[right]))
        return a == b ? left < right : precedesInBytes(b, a)
      }.prefix(Self.mostPictures))
    return all.indices.filter(newest.contains).map { all[$0] }
  }

  private func lastExposure(_ readout: ExperimentReadout) -> String {
    listed(readout.app, readout.experiment).map { text($0[7]) } ?? ""
  }

  private func listed(_ app: String, _ experiment: String) -> [ReportValue]? {
    list.rows.first { isSame(text($0[0]), app) && isSame(text($0[1]), experiment) }
  }

  private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

  private func text(_ value: ReportValue) -> String { if case .text(let text) = value { text } else { "" } }

  private var states: Report {
    var table = list
    table.asOf = []
    table.name = "State of every experiment"
    table.columns = [
      ReportColumn("app", .key), ReportColumn("experiment", .key), ReportColumn("state", .text),
      ReportColumn("persons", .count), .figure("exposed"), ReportColumn("verdict", .text),
    ]
    table.rows = list.rows.map { row in
      let readout = all.first { isSame($0.app, text(row[0])) && isSame($0.experiment, text(row[1])) }
      return [
        row[0], row[1], .text(readout.map(state) ?? undefinedMark), row[4],
        .text("\(text(row[6]).prefix(10)) to \(text(row[7]).prefix(10))"),
        .text(readout.map { VerdictText($0).sentence } ?? undefinedMark),
      ]
    }
    return table
  }

  private func state(_ readout: ExperimentReadout) -> String {
    switch readout.verdict.decision {
    case .ship(let variant): "ship \(variant)"
    case .doNotShip(let variant): "do not ship \(variant)"
    case .noDifference: "no difference"
    case .undecided: "undecided"
    case .none: "no verdict"
    }
  }
}

extension Report {
  /// The same with some of the columns.
  fileprivate func keeping(_ names: Set<String>) -> Report {
    let places = columns.indices.filter { names.contains(columns[$0].name) }
    var report = self
    report.columns = places.map { columns[$0] }
    report.rows = rows.map { row in places.map { row[$0] } }
    return report
  }
}

/// The values of all readouts in long form, as `experiment --over-time --format csv` has those of one.
func experimentRows(_ reports: [ExperimentReport]) -> Report? {
  let all = reports.map(experimentRows)
  guard var merged = all.first else { return nil }
  merged.rows = all.flatMap(\.rows)
  merged.parameters.removeAll { parameter in
    !all.allSatisfy { report in
      report.parameters.contains { $0.name == parameter.name && $0.value == parameter.value }
    }
  }
  return merged
}
