import Basics
import EventModel
import Metrics

extension Report {
  /// The report with the rows and words that a table has of it, and sentences about what it leaves out.
  func preparedForReading(_ options: RenderOptions) -> (report: Report, notes: [String]) {
    switch name {
    case "activity": (ofAllUsers, [])
    case "cadence", "cadence_gaps": (withReadableRanges, [])
    case "compare": comparedForReading(options)
    case "diff": (withChangesInPoints.withoutIdleCauses, [])
    case "why": driversForReading(options)
    case "bridge": bridgeForReading()
    case "nudges": (self, nudgeNotes)
    case "payback": withKnownBreakEvens
    case "health": findings(options)
    case "savings": (withoutRowsOfNothing, [])
    case "value_pairs": withKnownPairs
    case "backtest": (withCountedRanges, [])
    case "quarantine": (options.isByLine ? self : byReason(options), [])
    default: (self, [])
    }
  }

  /// Whether a table shows words in place of numbers, so that rows are sorted before.
  var hasWordsForNumbers: Bool { name == "compare" || name == "why" }

  /// The rows by a column's numbers; as they are without a column, or with one that the report does not have.
  func rows(sortedBy sort: String?) -> [[ReportValue]] { sort.flatMap { try? sorted(self, by: $0) } ?? rows }

  private func without(_ name: String) -> Report {
    guard let place = place(name) else { return self }
    var report = changingRows { $0.remove(at: place) }
    report.columns.remove(at: place)
    return report
  }

  func changingRows(_ change: (inout [ReportValue]) -> Void) -> Report {
    var report = self
    for place in rows.indices { change(&report.rows[place]) }
    return report
  }

  /// Savings without rows where no row has a price or a purchase of a plan to compare, as of an app with weekly plans alone.
  private var withoutRowsOfNothing: Report {
    let known = ["monthly_price", "yearly_price", "monthly_purchases", "yearly_purchases"].compactMap { place($0) }
    guard known.count == 4, !rows.isEmpty,
      rows.allSatisfy({ row in known.allSatisfy { row[$0] == .count(0) || row[$0].storedText == nil } })
    else { return self }
    let sold = ["weekly", "lifetime", "other"].compactMap { plan -> String? in
      guard let place = place("\(plan)_purchases") else { return nil }
      let sum = rows.reduce(0) { sum, row in if case .count(let count) = row[place] { sum + count } else { sum } }
      return sum == 0 ? nil : "\(plan) \(countText(sum))"
    }
    var report = self
    report.rows = []
    report.emptyNote =
      "Nothing to compare: no monthly or yearly price was shown, and no such plan sold"
      + (sold.isEmpty ? "." : " (purchases: \(sold.joined(separator: ", "))).")
    return report
  }

  /// The changes of rates in percentage points.
  private var withChangesInPoints: Report {
    guard let first = place("change") else { return self }
    return changingRows { row in
      for place in first..<row.count {
        if case .rate(let change?) = row[place], let points = pointsNumber(change) {
          row[place] = .text("\(points) pp")
        }
      }
    }
  }

  /// The columns of the causes that changed any number; all of them if none did.
  private var withoutIdleCauses: Report {
    guard let change = place("change") else { return self }
    let causes = columns.indices.filter { $0 > change }
    let idle = causes.filter { place in
      rows.allSatisfy { row in
        let text = row[place].readableNumber(percentDecimals: 1) ?? row[place].textValue ?? ""
        return text.allSatisfy { !$0.isNumber || $0 == "0" }
      }
    }
    return idle.count == causes.count ? self : idle.map { columns[$0].name }.reduce(self) { $0.without($1) }
  }

  /// The pairs of which a difference is known, and a sentence on the others.
  private var withKnownPairs: (report: Report, notes: [String]) {
    var report = comparedWithControl
    let differences = columns.indices.filter { columns[$0].name.hasPrefix("difference_") }
    report.rows.removeAll { row in differences.allSatisfy { row[$0].storedText == nil } }
    let left = rows.count - report.rows.count
    if left == 0 { return (report, []) }
    let whose = report.rows.isEmpty ? "any variants" : counted(left, "more pair")
    let sentence = "The difference of \(whose) is not known yet: both variants need \(Value.leastBuyers) buyers."
    report.emptyNote = report.rows.isEmpty ? sentence : nil
    return (report, report.rows.isEmpty ? [] : [sentence])
  }

  /// Each pair as a variant against the one that it is compared with: control where it is one of the two. Those against
  /// control come first, and variants by first exposure.
  private var comparedWithControl: Report {
    guard let first = place("variant_a"), let second = place("variant_b") else { return self }
    let differences = columns.indices.filter { columns[$0].name.hasPrefix("difference_") && columns[$0].kind == .money }
    var report = changingRows { row in
      if let ahead = place("ahead_last"), row[ahead] == .text("") {
        if let last = place("last_month"), case .count(let month) = row[last] {
          row[ahead] = .text("not known at month \(month)")
        } else {
          row[ahead] = .text(undefinedMark)
        }
      } else if let ahead = place("ahead_last"), let name = row[ahead].textValue, let last = place("last_month"),
        case .count(let month) = row[last], ![1, 3, 12].contains(month)
      {
        // The table does not show that month.
        row[ahead] = .text("\(name) at month \(month)")
      }
      // The columns show the second variant minus the first.
      guard row[second] == .text("control") else {
        row.swapAt(first, second)
        return
      }
      for place in differences {
        (row[place], row[place + 1], row[place + 2]) =
          (row[place].negated, row[place + 2].negated, row[place + 1].negated)
      }
    }
    let exposed = Dictionary(asOf.map { ($0.app, $0.variants) }) { first, _ in first }
    func rank(_ row: [ReportValue], _ place: Int) -> Int {
      if row[place] == .text("control") { return -1 }
      let variants = row[0].textValue.flatMap { exposed[$0] } ?? []
      return row[place].textValue.flatMap { variants.firstIndex(of: $0) } ?? .max
    }
    // Pairs of one app and whatever else tells rows apart stay together.
    var groups: [(keys: [ReportValue], rows: [[ReportValue]])] = []
    for row in report.rows {
      let keys = Array(row.prefix(first))
      if groups.last?.keys != keys { groups.append((keys, [])) }
      groups[groups.count - 1].rows.append(row)
    }
    report.rows = groups.flatMap { group in
      group.rows.enumerated().sorted { left, right in
        let one = [rank(left.element, second), rank(left.element, first), left.offset]
        return one.lexicographicallyPrecedes([rank(right.element, second), rank(right.element, first), right.offset])
      }.map(\.element)
    }
    return report
  }

  /// The report with the number of ranges that held the money in words, because a share of a few says little.
  private var withCountedRanges: Report {
    guard let coverage = place("coverage"), let ranges = place("ranges") else { return self }
    var report = changingRows { row in
      guard case .rate(let share?) = row[coverage], case .count(let count) = row[ranges] else {
        row[coverage] = .text(undefinedMark)
        return
      }
      row[coverage] = .text("\(countText(Int((share * Double(count)).rounded()))) of \(countText(count))")
    }
    report.columns[coverage].kind = .text
    return report
  }

  /// Payback without the days of break-even that only the oldest users of a row reach: the row has not brought back its
  /// spend, and more than 2.5% of the resamples never do.
  private var withKnownBreakEvens: (Report, [String]) {
    guard let regained = place("regained"), let day = place("break_even_day") else { return (self, []) }
    let days = [day, place("predicted_break_even_day")].compactMap(\.self)
    var (report, names) = (self, [String]())
    for (number, row) in rows.enumerated() {
      guard let share = row[regained].share, share < 1, row[day].storedText != nil, row[day + 2].storedText == nil
      else { continue }
      for place in days { report.rows[number][place] = .percent(nil) }
      for name in ["status", "predicted_status"] {
        if let place = place(name) { report.rows[number][place] = .text("not_known") }
      }
      names.append(
        columns.indices.filter { columns[$0].kind == .key && !["app", "currency"].contains(columns[$0].name) }
          .compactMap { row[$0].textValue }.joined(separator: ", "))
    }
    if names.isEmpty { return (self, []) }
    let whose = names.contains("") || names.count > 3 ? "" : " of \(listText(names))"
    return (
      report,
      [
        "The day of break-even\(whose) is not known yet: only the oldest users reach it, and less than the spend has "
          + "come back. It takes more days of the other users."
      ]
    )
  }

  /// Rows of all users of a period, without those by what they are.
  private var ofAllUsers: Report {
    guard let status = place("status") else { return self }
    var report = self
    report.rows.removeAll { $0[status] != .text("all") }
    return report.without("status")
  }

  /// The report with the number or age of earlier paywall views in words.
  private var withReadableRanges: Report {
    if let place = place("days_since_last") { return mapping(place, Self.days) }
    guard let range = place("range") else { return self }
    guard let split = place("split") else { return mapping(range, Self.timesSeen) }
    // One table of both: first views are those that nothing came before.
    var report = self
    report.rows.removeAll { $0[split] == .text("days_since_last") && $0[range] == .text("first") }
    return report.changingRows { row in
      guard let from = row[range].textValue else { return }
      row[range] = .text(
        row[split] == .text("times_seen") ? Self.timesSeen(from) : "days since last: \(Self.days(from))")
    }.without("split")
  }

  private func mapping(_ place: Int, _ words: (String) -> String) -> Report {
    changingRows { row in
      if let text = row[place].textValue { row[place] = .text(words(text)) }
    }
  }

  private static func timesSeen(_ range: String) -> String {
    let ends = range.split { !$0.isNumber }.compactMap { Int($0) }.map { $0 - 1 }
    switch (ends.first, ends.count) {
    case (0, 1): return "never"
    case (1, 1) where !range.hasSuffix("+"): return "once"
    case (2, 1) where !range.hasSuffix("+"): return "twice"
    case (let first?, 1): return range.hasSuffix("+") ? "\(first) times or more" : "\(first) times"
    case (let first?, 2): return "\(first) to \(ends[1]) times"
    default: return range
    }
  }

  private static func days(_ range: String) -> String {
    if range == "0" { return "same day" }
    if range.hasSuffix("+") { return "\(range.dropLast()) or more" }
    return range.split(separator: "-").joined(separator: " to ")
  }

  /// Sentences on why reminders have no difference.
  private var nudgeNotes: [String] {
    guard let reason = place("reason") else { return [] }
    let reasons = Set(rows.compactMap { $0[reason].textValue })
    return definition.filter { sentence in reasons.contains { !$0.isEmpty && sentence.hasPrefix("\($0): ") } }
      .map { sentence in
        let words = String(sentence.split(separator: ":", maxSplits: 1)[1].drop { $0 == " " })
          .replacing("no difference, because ", with: "nothing to compare with: ")
        return words.capitalizedFirst + "."
      }
  }

  /// The findings of the data-quality checks, worst first.
  private func findings(_ options: RenderOptions) -> (Report, [String]) {
    guard let severity = place("severity"), let cases = place("cases"), let affects = place("affects"),
      let check = place("check"), let share = place("share")
    else { return (self, []) }
    let order = ["error", "warning", "notice", "ok"]
    func rank(_ row: [ReportValue]) -> Int { order.firstIndex(of: row[severity].textValue ?? "") ?? 0 }
    let least = order.firstIndex(of: options.severity ?? "warning") ?? 1
    let found = Set(rows.lazy.filter { rank($0) <= least }.map { $0[check] })
    // One that is as severe in one app is shown for all that have it.
    func isShown(_ row: [ReportValue]) -> Bool {
      rank(row) <= least || found.contains(row[check]) && row[severity] != .text("ok")
    }
    func hidden(_ name: String) -> Int { rows.count { $0[severity] == .text(name) && !isShown($0) } }
    var report = self
    report.columns = columns.map { ReportColumn($0.name, $0.kind == .key ? .text : $0.kind) }
    report.rows = rows.filter(isShown).sorted { left, right in
      if rank(left) != rank(right) { return rank(left) < rank(right) }
      if left[share].share ?? 0 != right[share].share ?? 0 { return left[share].share ?? 0 > right[share].share ?? 0 }
      if case .count(let first) = left[cases], case .count(let second) = right[cases] { return first > second }
      return false
    }.map { row in
      var row = row
      // Only the first of the reports that the finding affects.
      row[affects] = .text((row[affects].textValue ?? "").split(separator: " ").first.map(String.init) ?? "")
      row[check] = .text(Health.finding(ofCheck: row[check].textValue ?? ""))
      return row
    }
    var parts: [String] = []
    for (place, name) in order.enumerated() where place > least && name != "ok" && hidden(name) > 0 {
      parts.append("\(countText(hidden(name))) more with --severity \(name)")
    }
    if least < 3 { parts.append(hidden("ok") == 1 ? "1 check is fine" : "\(countText(hidden("ok"))) checks are fine") }
    let note = parts.joined(separator: "; ").capitalizedFirst
    return (report, report.daysOfFindings + (note.isEmpty ? [] : ["\(note)."]))
  }

  /// The days of findings about days, one sentence per kind.
  private var daysOfFindings: [String] {
    guard let app = place("app"), let check = place("check"), let days = place("days") else { return [] }
    func text(_ days: String) -> String {
      days.split(separator: " ").map { part in
        let ends = part.split(separator: ".").compactMap { CivilDate(String($0))?.daysSince1970 }
        return ends.isEmpty ? "and more" : shortDays(ends[0]..<(ends.last ?? ends[0]) + 1)
      }.joined(separator: ", ")
    }
    let found = rows.compactMap { row -> (kind: String, days: String)? in
      guard let kind = row[check].textValue, let days = row[days].textValue, !days.isEmpty else { return nil }
      return (kind, "\(row[app].textValue ?? "") \(text(days))")
    }
    return found.inGroups(by: \.kind).map { kind, found in
      "\(kind.capitalizedFirst): \(found.map(\.days).joined(separator: "; "))."
    }
  }

  /// Lines in quarantine by why they are there, most first.
  private func byReason(_ options: RenderOptions) -> Report {
    guard let reason = place("reason"), let field = place("field"), let file = place("file"), let line = place("line")
    else { return self }
    let raw = options.showsRaw ? place("raw") : nil
    let groups = Dictionary(grouping: rows) { [$0[reason].textValue ?? "", $0[field].textValue ?? ""] }
    var report = self
    report.columns = [ReportColumn]().counts("lines").texts("reason", "field", "example")
    if raw != nil { report.columns.append(ReportColumn("raw", .text)) }
    report.rows = groups.sorted { left, right in
      left.value.count != right.value.count
        ? left.value.count > right.value.count : left.key.lexicographicallyPrecedes(right.key)
    }.map { key, rows in
      var example = rows[0][file].textValue ?? ""
      if case .count(let number) = rows[0][line] { example += ":\(number)" }
      let sent = sentValue(of: key[1], reason: key[0], rows[0])
      return [.count(rows.count), .text(key[0]), .text(key[1] + sent), .text(example)]
        + (raw.map { [rows[0][$0]] } ?? [])
    }
    return report
  }

  /// Returns the value that a rejected line has in an invalid field, such as `: intro`; empty if it is not known.
  private func sentValue(of field: String, reason: String, _ row: [ReportValue]) -> String {
    guard reason == "invalid:\(field)", let raw = place("raw"), let line = row[raw].textValue,
      let value = JSONNode(parsing: Array(line.utf8))?[field]
    else { return "" }
    let text = if case .string(let text) = value { text } else { String(decoding: value.json, as: UTF8.self) }
    return ": " + (text.isEmpty ? "empty" : text.count > 40 ? "\(text.prefix(40))..." : text)
  }
}
