import Basics
import Metrics

/// The lines above a table: the store content and the options that its numbers come from.
struct ReadableHeader {
  /// One line of facts, such as `by` with `variant, entry_point`.
  struct Fact {
    var name: String
    var value: String
  }

  var title: String
  var facts: [Fact]
  var definition: [String]

  init(_ report: Report) {
    title = "\(visible(report.title)) (\(visible(report.name)))"
    definition = report.definition.map(visible)
    // A report without apps and parameters describes the whole store.
    facts =
      (report.asOf.isEmpty && report.parameters.isEmpty ? [] : Self.apps(report.asOf, asked: report.parameters))
      + Self.options(report.parameters) + Self.columns(of: report)
  }

  /// The names that the definitions and files have for the headings of the table.
  private static func columns(of report: Report) -> [Fact] {
    let named = report.columns.compactMap { column -> String? in
      let pattern = ColumnInfo.pattern(of: column.name)?.pattern ?? column.name
      guard let info = ReportKind.of(report)?.columns.first(where: { $0.identifier == pattern }), info.isCore,
        !info.heading.isEmpty, info.heading != info.identifier
      else { return nil }
      return "\(info.heading) = \(info.identifier)".replacing("*", with: "A")
    }
    let once = named.inGroups(by: \.self).map(\.key)
    return once.isEmpty ? [] : [Fact(name: "columns", value: once.joined(separator: ", "))]
  }

  /// Returns the apps with their as-of and other facts about their numbers.
  ///
  /// - Parameter parameters: If there is no app, those that name the requested ones.
  static func apps(_ apps: [Report.AppInstant], asked parameters: [Report.Parameter]) -> [Fact] {
    if apps.isEmpty {
      let asked = parameters.first { $0.name == "app" }.map { "\(visible($0.value)), " } ?? ""
      return [Fact(name: "app", value: "\(asked)no events")]
    }
    let facts = apps.prefix(mostApps).enumerated().map { place, app in
      let parts = ["\(visible(app.app)), data through \(instantText(app.asOf))"] + app.notes.map(visible)
      let name = apps.count == 1 ? "app" : "apps"
      return Fact(name: place == 0 ? name : "", value: parts.joined(separator: ", "))
    }
    return apps.count > mostApps ? facts + [Fact(name: "", value: "and \(apps.count - mostApps) apps more")] : facts
  }

  /// The most apps whose instants are listed.
  private static let mostApps = 20

  /// Parameters in few lines; those that say which apps and instants are left to ``apps(_:asked:)``.
  static func options(_ list: [Report.Parameter]) -> [Fact] {
    var facts: [Fact] = []
    let parameters = Dictionary(list.map { ($0.name, visible($0.value)) }) { first, _ in first }
    if let from = parameters["from"], let to = parameters["to"] {
      // `to` is the day after the last one, or the word `as-of`.
      let end = to.first?.isNumber == true ? "before \(to)" : "the end of the data"
      let value = (["\(from) to \(end)"] + [parameters["timezone"]].compactMap(\.self)).joined(separator: ", ")
      facts.append(Fact(name: "days", value: value))
    }
    for name in ["by", "where"] {
      guard let value = parameters[name], name == "by" || value != "none" else { continue }
      // Spaces, so that a long list has places to break.
      let shown = name == "by" ? value.split(separator: ",").joined(separator: ", ") : value
      facts.append(Fact(name: name, value: shown))
    }
    let shown: Set = ["app", "from", "to", "timezone", "as_of", "by", "where"]
    let others = list.filter { !shown.contains($0.name) }.map { "\(visible($0.name)) \(visible($0.value))" }
    if !others.isEmpty { facts.append(Fact(name: "options", value: others.joined(separator: ", "))) }
    return facts
  }
}

extension Report {
  /// The events without which a report has no rows.
  private static let ownEvents = [
    "activity": "activity", "cadence": "paywall_impression", "funnel": "paywall_impression", "gates": "gate_hit",
    "nudges": "trial_nudge", "recovery": "billing_issue", "saves": "cancellation", "trials": "trial_start",
    "value": "paywall_impression",
  ]

  /// Why it has no rows.
  var emptySentence: String {
    if let emptyNote { return emptyNote }
    switch name {
    case "quarantine": return "No line was rejected."
    case "rates": return "No rates yet: `tollgate rates import` adds them."
    case "health" where !asOf.isEmpty: return "No findings."
    default:
      if asOf.isEmpty { return "The store has no events yet: `tollgate ingest` loads them." }
      // Without a condition, its own events are missing.
      let isWhole = ["from", "to", "where"].allSatisfy { ["first day", "as-of", "none", nil].contains(parameter($0)) }
      let own = Self.ownEvents[name]
      let app = parameter("app").flatMap { $0 == "all" ? nil : visible($0) }
      switch name {
      case "experiments" where isWhole:
        return
          "No paywall view names an experiment. If your files have variants, give them its name: load them into a new store "
          + "with `init --set 'experiment={value: NAME}'`."
      case "reconcile" where isWhole:
        return "Nothing to compare with: no report of App Store Connect for \(app ?? "the store") was ingested."
      case "winback" where isWhole: return "No subscription has ended yet."
      default: break
      }
      return isWhole && own != nil
        ? "No rows: \(app ?? "the store") has no \(own ?? "") events."
        : "No rows: nothing in the store matches these options."
    }
  }
}
