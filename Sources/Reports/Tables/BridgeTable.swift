public import Metrics

/// The steps from our number to a vendor's as people read them (definitions 13).
extension Report {
  func bridgeForReading() -> (report: Report, notes: [String]) {
    let places = Dictionary(columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    guard let step = places["switch"], let part = places["part"], let theirs = places["to"],
      let state = places["state"], let source = places["source"],
      let value = places["after"]
    else { return usersForReading }
    func text(_ row: [ReportValue], _ place: Int) -> String { row[place].textValue ?? "" }
    var report = self
    report.columns[part] = ReportColumn("part", .text)
    var sources: [String] = []
    // As they are shown, so that what is shown adds up.
    var before: Int128?
    // A sentence names what events lack.
    report.rows.removeAll { text($0, step) == "missing" }
    report = report.changingRows { row in
      for page in [text(row, source)] where !page.isEmpty && !sources.contains(page) { sources.append(page) }
      // A rule that the documentation does not state is followed by how sure it is.
      switch text(row, state) {
      case "assumed": row[theirs] = .text("\(text(row, theirs)), assumed")
      case "contradictory": row[theirs] = .text("\(text(row, theirs)), unclear")
      default: break
      }
      row[step] = .text(Self.title(ofStep: text(row, step)))
      let now = Self.shown(row[value])
      if case .percent(nil) = row[part] {
        row[part] = .text("")
      } else if let now, let before {
        row[part] = .text(Self.signed(Self.difference(now - before, like: row[value])))
      } else {
        row[part] = .text(Self.signed(row[part]))
      }
      before = now
    }
    return (
      report,
      definition.dropLast(2).map(Self.sentence)
        + (sources.isEmpty ? [] : ["Source: \(sources.joined(separator: "; "))."])
    )
  }

  /// Returns the step of a row, as it is made or as people read it; `nil` for a row that is not a step.
  public func bridgeStep(of row: [ReportValue]) -> String? {
    guard let place = place("switch"), let text = row[place].textValue else { return nil }
    return BridgeStep.allCases.first { $0.rawValue == text || $0.title == text }?.rawValue
  }

  /// Returns the user of a row; `nil` in a report without users.
  public func user(of row: [ReportValue]) -> String? {
    place("user").flatMap { row[$0].textValue }
  }

  /// The users whom a step changes, with their parts in points.
  private var usersForReading: (report: Report, notes: [String]) {
    guard let part = place("part"), columns[part].kind == .rate else {
      return (self, definition.map(Self.sentence))
    }
    var report = changingRows { $0[part] = .text(Self.signed($0[part])) }
    report.columns[part] = ReportColumn("part", .text)
    return (report, definition.map(Self.sentence))
  }

  /// A number in units of the last decimal that a table has of it.
  private static func shown(_ value: ReportValue) -> Int128? {
    switch value {
    case .rate(let share?): scaledHalfToEven(share, decimals: 3)
    case .count(let count): Int128(count)
    case .money(let amount?, let currency):
      printedUnits(microUnits: amount, decimals: readableMoneyDecimals(currency))
    default: nil
    }
  }

  private static func difference(_ units: Int128, like value: ReportValue) -> ReportValue {
    switch value {
    case .money(_, let currency):
      .money(units * powerOfTen(6 - readableMoneyDecimals(currency)), currency: currency)
    case .count: .count(Int(units))
    default: .rate(Double(units) / 1_000)
    }
  }

  private static func sentence(_ text: String) -> String { "\(text.capitalizedFirst)." }

  static func signed(_ part: ReportValue) -> String {
    if let share = part.share { return pointsNumber(share).map { "\($0) pp" } ?? undefinedMark }
    return part.readableNumber(percentDecimals: 1).map(withPlus) ?? ""
  }

  static func title(ofStep name: String) -> String {
    switch name {
    case "ours": "our number"
    case "vendor": "by their rules"
    case "rounding", "unexplained": "their number"
    default: BridgeStep(rawValue: name)?.title ?? name
    }
  }
}
