import EventModel
import Metrics

/// The answer to a page's question in one or two sentences, above its numbers.
extension Report {
  /// With more apps than a reader would follow, rows are not gone through app by app.
  static let mostAnsweredApps = 50

  /// `nil` where tiles or the first picture answer, and for rows that a sentence cannot add up.
  var answer: String? {
    if asOf.count > Self.mostAnsweredApps { return nil }
    let table = ChartTable(self)
    if table.rows.isEmpty { return nil }
    return switch name {
    case "activity": activityAnswer(table.rows)
    case "funnel": payersAnswer(table)
    case "ltv": parameter("by") == "none" ? valueAnswer(table) : nil
    case "paths": pathAnswer(table.rows)
    case "value": worthAnswer
    case "winback": comebackAnswer(table.rows)
    default: nil
    }
  }

  /// The share of viewers who pay in each of several apps; of one, its picture shows it.
  private func payersAnswer(_ table: ChartTable) -> String? {
    let isPlain = parameter("by") == "variant" && parameter("unit") != "view" && parameter("attribution") != "all"
    if table.isOneApp || !isPlain { return nil }
    let apps = table.rows.inGroups(by: \.app).map { app, rows in
      func sum(_ column: String) -> Int { rows.reduce(0) { $0 + ($1.count(column) ?? 0) } }
      return (name: visible(app), paid: sum("paid_users"), viewers: sum("users"))
    }.filter { $0.viewers >= fewestFollowed }.map { ($0.name, Double($0.paid) / Double($0.viewers)) }
    let known = apps.sorted { $0.1 > $1.1 }.prefix(4)
    if known.isEmpty { return nil }
    let more = apps.count - known.count
    return "Viewers who paid: \(listText(known.map { "\(percentText($0.1) ?? undefinedMark) in \($0.0)" }))."
      + (more == 0 ? "" : " \(counted(more, "more app")) below.")
  }

  /// Users active in the newest whole period; of several apps, the sum of each app's.
  func activityAnswer(_ rows: [ChartTable.Row]) -> String? {
    guard let name = Dimension.periods.map(\.name).first(where: { rows[0].key($0) != nil }),
      parameter("by") == name
    else { return nil }
    let keys = Set(rows.compactMap { $0.key(name) }).sorted { precedesInBytes($1, $0) }
    let isWhole = { key in asOf.allSatisfy { self.coverage(key, of: name, in: $0) == nil } }
    guard let key = keys.first(where: isWhole) ?? keys.first else { return nil }
    func sum(_ column: String, _ status: String) -> Double? {
      let own = rows.filter { $0.key(name) == key && $0.key("status") ?? "all" == status }.compactMap {
        $0.number(column)
      }
      return own.isEmpty ? nil : own.reduce(0, +)
    }
    guard let daily = sum("daily_active", "all") else { return nil }
    let longer = [("weekly_active", "a week"), ("monthly_active", "a month")].compactMap { column, word in
      sum(column, "all").map { "\(fixed($0, 0)) \(word)" }
    }
    // Means of a few users a day differ by less than one.
    let decimals = daily < 10 ? 1 : 0
    let kinds = [("free", "free"), ("trial", "in a trial"), ("paid", "paying")].compactMap { status, word in
      sum("daily_active", status).map { "\(fixed($0, decimals)) \(word)" }
    }
    let period = ChartPeriod(key, of: name, data: nil, hasYear: true).title
    let part =
      coverage(key, of: name, in: appsByName[rows[0].app]).map { ", \($0.covered) of \($0.whole) \($0.unit)s so far" }
      ?? ""
    return "\(period)\(part): \(listText(["\(fixed(daily, decimals)) users active a day"] + longer))."
      + (kinds.isEmpty || daily == 0 ? "" : " Of those a day, \(listText(kinds)).")
      + (Set(rows.map(\.app)).count > 1 ? " Users of several apps count in each." : "")
  }

  /// The revenue of a user up to the greatest age that is known, and that predicted of a purchase.
  private func valueAnswer(_ table: ChartTable) -> String? {
    let currency = TableBuilder.currency(self)
    let rows = table.rows.filter { currency == nil || $0.key("currency") == currency }
    guard let unit = currency ?? rows[0].key("currency"), unit != "(none)" else { return nil }
    func money(_ row: ChartTable.Row, _ column: String) -> String? {
      row.values[column].flatMap { $0.readableNumber(percentDecimals: 1) }
    }
    /// Such as `5.44 USD in coach, 3.44 in steps`.
    func list(_ text: (ChartTable.Row) -> String?, by column: String) -> String? {
      let known = rows.filter { text($0) != nil }.sorted { $0.number(column) ?? 0 > $1.number(column) ?? 0 }
      let names = known.prefix(4).enumerated().compactMap { place, row in
        text(row).map { "\($0)\(place == 0 ? " \(unit)" : "")" + (table.isOneApp ? "" : " in \(visible(row.app))") }
      }
      return names.isEmpty ? nil : listText(names) + (known.count > 4 ? "; \(known.count - 4) more apps below" : "")
    }
    func soFar(_ row: ChartTable.Row, _ age: Int) -> String? {
      row.isFollowed("persons_\(age)") ? money(row, "ltv_person_\(age)") : nil
    }
    // The first of equals is the greatest.
    let age = [365, 180, 90, 30, 7].map { age in (age: age, apps: rows.count { soFar($0, age) != nil }) }
      .max { $0.apps < $1.apps }?.age
    let known = age.flatMap { age in
      list({ soFar($0, age) }, by: "ltv_person_\(age)").map { "Within \(age) days, a user brings in \($0)." }
    }
    func range(_ row: ChartTable.Row, _ column: String) -> String? {
      guard let low = money(row, "\(column)_low"), let high = money(row, "\(column)_high") else { return nil }
      return "\(low) to \(high)"
    }
    let predicted = list(
      { row in range(row, "tested_ltv_12m") ?? range(row, "predicted_ltv_12m") }, by: "predicted_ltv_12m_high")
    let sentences = [
      known,
      predicted.map { "Within 12 months, a purchase is predicted to bring in \($0)." }
        ?? "Too few subscriptions have ended to predict a purchase.",
      rows.count < table.rows.count ? "Amounts in other currencies are not included." : nil,
    ]
    return sentences.compactMap(\.self).joined(separator: " ")
  }

  /// The worth of a viewer after the first and the last known months, as the table has it.
  private var worthAnswer: String? {
    guard let table = try? SummaryTable(self, RenderOptions()), let currency = table.currency else { return nil }
    let keys = table.columns.filter(\.isKey)
    // Among very many rows, chance makes the least and the greatest.
    let rows = table.lines.count { !$0.isTotal }
    let areMany = rows > 4
    if rows > 24 { return nil }
    func list(_ column: SummaryTable.Column) -> String? {
      let place = table.report.place(column.name)
      let known = table.lines.indices.compactMap { line -> (name: String, worth: String, size: Double)? in
        let cell = column.cells[line]
        let worth = [cell.text ?? "", cell.bounds].first { $0.first?.isNumber == true || $0.hasPrefix("−") }
        guard let worth, !table.lines[line].isTotal else { return nil }
        let name = keys.compactMap { $0.cells[line].text }.filter { !$0.isEmpty }.joined(separator: " · ")
        return (name, worth, place.flatMap { table.lines[line].values[$0].quantity } ?? 0)
      }
      func text(_ row: (name: String, worth: String, size: Double)) -> String {
        "\(row.worth) \(currency)\(row.name.isEmpty ? "" : " (\(row.name))")"
      }
      guard let least = known.min(by: { $0.size < $1.size }), let most = known.max(by: { $0.size < $1.size }) else {
        return nil
      }
      let months = column.name.dropFirst("value_".count)
      return "After \(months == "1" ? "1 month" : "\(months) months"), a viewer is worth "
        + (areMany ? "between \(text(least)) and \(text(most))" : listText(known.map(text))) + "."
    }
    let sentences = table.columns.filter { $0.name.hasPrefix("value_") }.compactMap(list)
    guard let first = sentences.first, let last = sentences.last else { return nil }
    // The ranges of forecasts say more than the least and the greatest.
    return first == last || areMany ? first : "\(first) \(last)"
  }

  /// The step before which most users leave, and how long each step takes.
  private func pathAnswer(_ rows: [ChartTable.Row]) -> String? {
    let ending = "_dropped"
    let users = rows.reduce(0) { $0 + ($1.count("users") ?? 0) }
    let steps = columns.map(\.name).filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
      .filter { step in rows.contains { $0.count(step) != nil } }
    // Users can start without the payment sheet, and some apps do not tell that it opened.
    func leaving(before step: String, _ row: ChartTable.Row) -> Int {
      let all = row.count("\(step)\(ending)") ?? 0
      guard let opened = row.count("sheet"), let atSheet = row.count("sheet_left") else { return all }
      let isTold = opened > 0 || row.count("started") == 0
      return switch step {
      case "sheet": isTold ? (row.count("dismissed") ?? 0) + (row.count("no_trace") ?? 0) : 0
      case "started": isTold ? atSheet : all
      default: all
      }
    }
    let left = steps.map { step in (step: step, users: rows.reduce(0) { $0 + leaving(before: step, $1) }) }
    guard users > 0, let worst = left.max(by: { $0.users < $1.users }), worst.users > 0 else { return nil }
    let look = ReportLook(self)
    let answer =
      "Users leave most often before “\(look.heading(of: "\(worst.step)_rate"))”: \(countText(worst.users)) of \(countText(users)) "
      + "(\(percentText(Double(worst.users) / Double(users)) ?? undefinedMark))."
    let hasTimes = rows.contains { row in steps.contains { row.number("\($0)_hours_p50") != nil } }
    let times = TableBuilder(self, RenderOptions(), visible).times
    return [answer, times ?? (hasTimes ? "Choose one app to see how long each step takes." : nil)]
      .compactMap(\.self).joined(separator: " ")
  }

  /// How many subscriptions came back, and what they paid in 90 days.
  private func comebackAnswer(_ rows: [ChartTable.Row]) -> String? {
    let currency = TableBuilder.currency(self)
    let own = rows.filter { currency == nil || $0.key("currency") == nil || $0.key("currency") == currency }
    func sum(_ column: String, _ rows: [ChartTable.Row]) -> Int { rows.reduce(0) { $0 + ($1.count(column) ?? 0) } }
    let (ended, back, known) = (sum("churned", rows), sum("came_back", rows), sum("observed_90", own))
    guard ended > 0 else { return nil }
    let days = rows.compactMap { row in row.number("days_p50").map { (back: row.count("came_back") ?? 0, days: $0) } }
    let slow = days.max { $0.days < $1.days }, fast = days.min { $0.days < $1.days }
    let time = fast.flatMap { fast in
      slow.map { slow in
        let (low, high) = (fixed(fast.days, 0), fixed(slow.days, 0))
        return back == 1
          ? ", after \(counted(Int(fast.days.rounded()), "day"))"
          : ", half of them within \(low == high ? low : "\(low) to \(high)") days"
      }
    }
    let paid = own.reduce(0) { $0 + ($1.number("amount_90") ?? 0) }
    return "\(countText(back)) of \(counted(ended, "subscription")) that ended came back\(time ?? "")."
      + (back == 0
        ? ""
        : known < fewestFollowed
          ? " What they pay in 90 days is not known yet."
          : " In 90 days \(own.count < rows.count ? "those who pay in \(currency ?? "")" : "they") pay "
            + "\(fixed(paid / Double(known), 2)) \(currency ?? "") each.")
  }
}
