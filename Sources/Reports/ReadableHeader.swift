import Metrics

/// What stands above a table: which store content and which options its numbers are of.
struct ReadableHeader {
  /// One line of facts, such as `by` with `variant, entry_point`.
  struct Fact {
    var name: String
    var value: String
  }

  var title: String
  var facts: [Fact] = []
  var definition: [String]

  init(_ report: Report) {
    title = "\(visible(report.title)) (\(visible(report.name)))"
    definition = report.definition.map(visible)
    let parameters = Dictionary(report.parameters.map { ($0.name, visible($0.value)) }) { first, _ in first }

    if report.asOf.isEmpty { add("app", parameters["app"].map { "\($0), no events" } ?? "no events") }
    for (place, app) in report.asOf.enumerated() {
      let parts = ["\(visible(app.app)) as of \(instantText(app.asOf))"] + app.notes.map(visible)
      let name = report.asOf.count == 1 ? "app" : "apps"
      add(place == 0 ? name : "", parts.joined(separator: ", "))
    }
    if let from = parameters["from"], let to = parameters["to"] {
      // `to` is a day, which is not one of the cohorts', or a word such as `as-of`.
      let end = to.first?.isNumber == true ? "before \(to)" : to
      add("cohorts", (["\(from) to \(end)"] + [parameters["timezone"]].compactMap(\.self)).joined(separator: ", "))
    }
    for name in ["by", "where"] {
      guard let value = parameters[name], name == "by" || value != "none" else { continue }
      // Spaces, so that a long list has places to break.
      add(name, name == "by" ? value.split(separator: ",").joined(separator: ", ") : value)
    }
    let shown: Set = ["app", "from", "to", "timezone", "as_of", "by", "where"]
    let options = report.parameters.filter { !shown.contains($0.name) }
    if !options.isEmpty {
      add("options", options.map { "\(visible($0.name)) \(visible($0.value))" }.joined(separator: ", "))
    }
  }

  private mutating func add(_ name: String, _ value: String) {
    facts.append(Fact(name: name, value: value))
  }
}

/// Says that not all rows are shown, or none.
func rowNote(shown: Int, of count: Int, sort: String?) -> String? {
  if count == 0 { return "No rows: nothing in the store matches these options." }
  guard shown < count else { return nil }
  let order = sort.map { ", sorted by \(visible($0))" } ?? ""
  return "\(shown) of \(count) rows\(order)."
}
