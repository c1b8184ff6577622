import EventModel
import Metrics

/// The conclusions of a search for drivers under its table.
enum DriverNotes {
  /// The number of apps with a conclusion; CSV and JSON have all.
  static let apps = 12
  /// The most parts of an app in a table; CSV and JSON have all.
  static let parts = 12
}

/// The drivers of a change as people read them (definitions 10): the change, the segments that stand out, and the parts of
/// the first one's cut.
extension Report {
  var isOfArms: Bool { parameter("report") == ReportKind.experiment.name }

  /// Whether the two sides are arms or groups of users, not periods.
  var isOfGroups: Bool { isOfArms || parameter("compare") != nil }

  /// The headings of the two sides.
  var driverSides: (before: String, now: String) {
    guard isOfArms else { return comparedNames }
    let treatment = parameter("treatment") ?? "none"
    return treatment == "none" ? ("control", "treatment") : (parameter("control") ?? "control", treatment)
  }

  /// Whether the parts are movements of recurring revenue.
  var isOfMovements: Bool { parameter("report") == ReportKind.mrr.name }

  /// The origin of a part of the change.
  var driverPartWords: [String: String] {
    if isOfMovements {
      return Dictionary(uniqueKeysWithValues: ReportKind.mrr.columns.map { ($0.identifier, $0.heading) })
    }
    if isOfPayments {
      switch parameter("column") {
      case "refunded": return ["volume": "number of refunds", "rate": "money per refund"]
      case "revenue" where definition.contains { $0.hasSuffix(Self.refundsAreUnits) }:
        return ["volume": "payments and refunds", "rate": "net per payment"]
      default: return ["volume": "number of payments", "rate": "money per payment"]
      }
    }
    let units = parameter("report").flatMap(ReportKind.named)?.driverUnits(of: parameter("column") ?? "") ?? "users"
    return ["mix": "its share of \(units)", "rate": "its own rate", "volume": "its own change"]
  }

  private var isOfPayments: Bool { columns.contains { $0.name == "now_amount" } }
  /// Whether the parts are amounts of money.
  private var isOfMoney: Bool { isOfPayments || isOfMovements }
  /// Whether the parts are numbers of users.
  private var isOfCount: Bool { !isOfMoney && columns.contains { $0.name == "contribution" && $0.kind == .number } }

  func driversForReading(_ options: RenderOptions) -> (report: Report, notes: [String]) {
    let places = Dictionary(columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    guard let verdict = places["verdict"], let segment = places["segment"], let part = places["part"],
      let cut = places["cut"], let change = places["contribution"], let app = places["app"], let p = places["p_search"],
      let rank = places["rank"]
    else { return (self, []) }
    func text(_ row: [ReportValue], _ place: Int) -> String { row[place].textValue ?? "" }
    let words = driverPartWords
    let causes = ["volume": "n", "rate": "rate"]
    var report = self
    report.columns[change].kind = .text
    report.columns[p].kind = .text
    if isOfCount {
      for name in ["before_rate", "now_rate"] { places[name].map { report.columns[$0].kind = .count } }
    }
    var cuts: [String: String] = [:]
    // Without a search, the first cut stands for the others.
    for row in rows where text(row, verdict) == (isOfMovements ? "part" : "driver") && cuts[text(row, app)] == nil {
      cuts[text(row, app)] = text(row, cut)
    }
    // The drivers of each app in the order of their rows.
    var ranks: [String: [ReportValue]] = [:]
    for row in rows where text(row, verdict) == "driver" { ranks[text(row, app), default: []].append(row[rank]) }
    let ofCuts = rows(sortedBy: options.sort).filter { row in
      text(row, verdict) != "part"
        || text(row, cut) == cuts[text(row, app)] && row[change].share != 0
          && row[change] != .number(0) && !row[change].isNoMoney
    }
    let shown = isOfMovements ? ofCuts : ofCuts.withLargestParts(verdict: verdict, app: app, change: change)
    report.rows = shown.map { row in
      var row = row
      let kind = text(row, verdict)
      let users = isOfCount ? countUsers(&row, isOfSegment: !["suspect", "data"].contains(kind)) : nil
      let isKnown = hideSharesOfFew(&row)
      switch row[change] {
      case .rate(let share?) where share.isFinite:
        row[change] = .text(kind == "total" && !isKnown ? undefinedMark : Self.signed(row[change]))
      case .number(let number?): row[change] = .text(Self.signed(.count(Int(number.rounded()))))
      case .money(_?, _): row[change] = .text(Self.signed(row[change]))
      default: break
      }
      if case .probability(let value?) = row[p] {
        row[p] = .text(readableProbability(value) ?? "")
      } else {
        row[p] = .text("")
      }
      let name = text(row, segment)
      row[segment] = .text(name.isEmpty ? "all" : Self.words(ofSegment: name, cut: text(row, cut)))
      // The two sides have the number itself: what the row is about stands with the part.
      let cause =
        kind == "data" || !isOfMoney && text(row, part) == "mix"
        ? "share" : isOfPayments ? causes[text(row, part)] : nil
      let sides = ["before", "now"].compactMap { side in
        cause.flatMap { places["\(side)_\($0)"] }.flatMap { row[$0].readableNumber(percentDecimals: 1) }
      }
      let isVersion = text(row, cut).split(separator: ",").contains("app_version")
      let since = kind == "suspect" && isVersion && !text(row, part).isEmpty ? "since " : ""
      let origin = since + (words[text(row, part)] ?? readableDays(text(row, part)))
      row[part] = .text(
        users
          ?? [origin, sides.count == 2 ? sides.joined(separator: isOfGroups ? " and " : " to ") : ""]
          .filter { !$0.isEmpty }.joined(separator: ", "))
      if kind == "suspect", let place = ranks[text(row, app)]?.firstIndex(of: row[rank]) {
        row[part] = .text("\(text(row, part)), driver \(place + 1)")
      }
      if kind == "suspect" {
        // An offer's dimension is one of several.
        let words = [
          "note": "note", "experiment": "experiment", "price": "price", "product": "product", "exchange_rate": "rate",
          "trial_length": "trial",
        ]
        let word = isVersion ? "new" : words[text(row, cut)] ?? "offer"
        row[verdict] = .text(word)
        if ["experiment", "product", "offer"].contains(word) {
          let name = text(row, cut).replacing("_", with: " ") + " "
          let known = text(row, segment)
          if known.hasPrefix(name) { row[segment] = .text(String(known.dropFirst(name.count))) }
        }
      }
      return row
    }
    // Of several apps, a sentence begins with the name of one, which stays as it is.
    var notes = definition.prefix(min(asOf.count, DriverNotes.apps)).map {
      asOf.count > 1 ? "\($0)." : "\($0.capitalizedFirst)."
    }
    if let from = parameter("before_from").flatMap(CivilDate.init),
      let to = parameter("before_to").flatMap(CivilDate.init),
      !report.rows.isEmpty
    {
      notes.append(
        "Before: \(shortDays(from.daysSince1970..<to.daysSince1970, hasYear: true))."
          + (parameter("ages") == "equal" ? Self.equalTime : ""))
    }
    if let scaledNote, !report.rows.isEmpty { notes.append(scaledNote) }
    if definition.contains(Self.weekdays), !report.rows.isEmpty { notes.append("\(Self.weekdays.capitalizedFirst).") }
    if isOfPayments, rows.contains(where: { causes[text($0, part)] != nil }), !report.rows.isEmpty {
      notes.append(
        "Both sides show a segment's whole amount. Its part is what one cause alone adds: the number, or the amount of "
          + "each.")
    }
    if rows.contains(where: { text($0, verdict) == "driver" }) {
      notes.append(
        (isOfGroups
          ? "Driver: the \(isOfArms ? "arms" : "groups") differ there, unlike elsewhere"
          : "Driver: it moved, unlike the rest")
          + ", and chance alone rarely finds one like it in the search.")
    }
    if isOfMovements, !cuts.isEmpty {
      let names = listText(Set(cuts.values).sorted(by: precedesInBytes))
      notes.append("Part: movements by \(names); they add up to the change. CSV and JSON have all cuts.")
    } else if !cuts.isEmpty {
      let whole = isOfGroups ? "difference" : "change"
      notes.append(
        shown.count < ofCuts.count
          ? "Part: the \(DriverNotes.parts) largest parts by the first driver's dimensions. CSV and JSON have all, and they "
            + "add up to the \(whole)."
          : "Part: every segment of the first driver's dimensions. The parts add up to the \(whole).")
    }
    return (report, notes)
  }

  /// Puts the number of users who are counted in the place of their share.
  ///
  /// - Parameter isOfSegment: Whether no units mean that none are counted.
  /// - Returns: The number of all users on both sides, for a segment.
  private func countUsers(_ row: inout [ReportValue], isOfSegment: Bool) -> String? {
    var users: [Int] = []
    for side in ["before", "now"] {
      guard let share = place("\(side)_rate"), let units = place("\(side)_n"), case .count(let number) = row[units]
      else { return nil }
      users.append(number)
      if let known = row[share].share ?? (isOfSegment ? 0 : nil) {
        row[share] = .count(Int((known * Double(number)).rounded()))
      }
    }
    return isOfSegment ? "\(grouped(users[0])) \(isOfGroups ? "and" : "to") \(counted(users[1], "user"))" : nil
  }

  /// Empties the shares of a row's few units, which say nothing.
  ///
  /// - Returns: Whether there were none.
  private func hideSharesOfFew(_ row: inout [ReportValue]) -> Bool {
    ["before", "now"].reduce(true) { isKnown, side in
      guard let share = place("\(side)_rate") else { return isKnown }
      return row.hideShare(share, of: place("\(side)_n")) && isKnown
    }
  }

  /// Returns a text with its days as people write them; other years than that of the data are named.
  private func readableDays(_ text: String) -> String {
    let year = asOf.first.map { CivilDate(daysSince1970: Int(($0.asOf - 1) / 86_400_000)).year }
    return text.replacing(#/([0-9]{2})\.\.([0-9]{4}-)/#) { "\($0.1) to \($0.2)" }
      .replacing(#/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) { match in
        CivilDate(String(match.output)).map { shortDayText($0, hasYear: $0.year != year) } ?? String(match.output)
      }
      .replacing(#/^([0-9]+ [A-Z][a-z]+(?: [0-9]{4})?) ([a-z ]+)$/#) { "\($0.2) \($0.1)" }
  }
}

extension [[ReportValue]] {
  /// Leaves out all but the largest parts of each app.
  fileprivate func withLargestParts(verdict: Int, app: Int, change: Int) -> [[ReportValue]] {
    func size(_ row: [ReportValue]) -> Double? {
      guard row[verdict].textValue == "part" else { return nil }
      switch row[change] {
      case .number(let number?): return abs(number)
      case .money(let amount?, _): return abs(Double(amount))
      default: return abs(row[change].share ?? 0)
      }
    }
    var sizes: [String: [Double]] = [:]
    for row in self { size(row).map { sizes[row[app].textValue ?? "", default: []].append($0) } }
    let least = sizes.mapValues { $0.count > DriverNotes.parts ? $0.sorted(by: >)[DriverNotes.parts - 1] : 0 }
    return filter { row in size(row).map { $0 >= least[row[app].textValue ?? ""] ?? 0 } ?? true }
  }
}

extension ReportValue {
  fileprivate var isNoMoney: Bool { if case .money(0?, _) = self { true } else { false } }
}
