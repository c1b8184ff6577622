import Metrics

/// The experiments on the page: the state of every one, and of the newest a picture.
struct PageExperiments {
  /// Experiments with pictures; of the others the files tell as much.
  private static let mostPictures = 12

  let list: Report
  let readouts: [ExperimentReport]
  let note: String?

  private var all: [ExperimentReadout] { readouts.flatMap(\.readouts) }

  var lines: [String] {
    if list.rows.isEmpty { return ["<p>No user was exposed to an experiment.</p>"] }
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
    let heading = "<bdi>\(htmlEscaped(readout.experiment))</bdi> in <bdi>\(htmlEscaped(readout.app))</bdi>"
    var lines = [
      #"<article aria-labelledby="\#(id)-title">"#, #"<h3 id="\#(id)-title">\#(heading)</h3>"#,
    ]
    lines += verdictMarkup(readout, id: id)
    lines += htmlFigures(charts(of: readout), id: id)
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
        row[0], row[1], .text(readout.map { ReadoutText($0).title.lowercasedFirst } ?? undefinedMark), row[4],
        .text("\(text(row[6]).prefix(10)) to \(text(row[7]).prefix(10))"),
        .text(readout.map { ReadoutText($0).sentence } ?? undefinedMark),
      ]
    }
    return table
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
