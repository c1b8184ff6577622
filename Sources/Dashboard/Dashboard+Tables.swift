internal import EventModel
internal import Hummingbird
internal import Metrics
internal import Reports
internal import Serving

/// Reports as CSV and JSON, for programs.
extension Dashboard {
  /// Always reads the current store: a program that has just written to it cannot be asked to reload.
  func table(_ view: ReportView, query: String) async -> StoredAnswer {
    await cache.answer(to: "\(view.apiPath)?\(query)", of: try? source.version(), isCurrent: true) {
      do throws(ReportFault) {
        return try await makeTable(view, ViewQuery(query))
      } catch {
        log(error, view.apiPath)
        return StoredAnswer(
          bytes: problemBody(ReportMarkup.shown(ReportRequest.parameterText(error.message))),
          type: "application/json", status: error.status, isLasting: error.kind == .wrongArguments)
      }
    }
  }

  private func makeTable(_ view: ReportView, _ query: ViewQuery) async throws(ReportFault) -> StoredAnswer {
    let format = query.first("format") ?? "json"
    let isSpreadsheetSafe = try query.flag("spreadsheet")
    let query = query.without("format", "spreadsheet")
    guard let known = ReportFormat(rawValue: format),
      let type = [.csv: "text/csv; charset=utf-8; header=present", .json: "application/json"][known] as String?
    else {
      throw ReportFault(.wrongArguments, "format is \(format), but must be csv or json")
    }
    var answer = try await workers.answer(query.request(for: view), as: known)
    answer.options.isSpreadsheetSafe = isSpreadsheetSafe && known == .csv
    guard answer.rowCount <= settings.rowLimit else {
      throw ReportFault(
        .wrongArguments,
        "the table has \(answer.rowCount) rows, more than the \(settings.rowLimit) of an answer: ask for fewer with "
          + "limit, where, from and to, or fewer dimensions")
    }
    return StoredAnswer(bytes: Array(try answer.text().utf8), type: type)
  }
}

/// The numbers above a report's charts, and what charts show besides its table.
extension Dashboard {
  /// Parameters that do not change which users, payments and rules count.
  private static let plain: Set = [
    "app", "from", "to", "timezone", "by", "sort", "limit", "movement", "where", "currency",
  ]

  /// Returns the reports for the numbers above the charts; `nil` where the report is not the plain one of its days.
  func keys(_ request: Pages.ReportInputs) async -> KeyReports? {
    let (view, asked, days) = (request.view, request.asked, request.days)
    guard asked.items.allSatisfy({ $0.value.isEmpty || Self.plain.contains($0.name) }) else { return nil }
    var keys = KeyReports()
    let isWhole = asked.first("where") == nil
    let rows = asked.rows(by: [])
    switch view.kind {
    case .revenue:
      async let stages = table(rows.setting("by", to: ["month,stage"]), view)
      if isWhole, days.range.upperBound == days.data.upperBound {
        async let recurring = table(rows.without("from", "to"), ReportView(kind: .mrr))
        keys.month = await month(rows, days, view)
        keys.isOfMonth = keys.month?.days == days.range
        keys.recurring = await recurring
      }
      keys.stages = await stages
    case .retention where isWhole:
      let lifetime = rows.setting("where", to: ["plan=lifetime"])
      keys.lifetime = await table(lifetime, ReportView(kind: .subscriptions))
    default: break
    }
    return keys
  }

  /// The month so far, where the days have all of it and it is not over; it is compared with as many days.
  private func month(
    _ rows: ViewQuery, _ days: PageDays, _ view: ReportView
  ) async -> (days: Range<Int>, before: Report?)? {
    let month = Overview.Days.monthToDate.range(in: days.data)
    guard !month.isEmpty, days.range.lowerBound <= month.lowerBound,
      month.upperBound < CivilDate(daysSince1970: month.lowerBound).addingMonths(1).daysSince1970
    else { return nil }
    guard let before = Overview.Comparison.before.range(for: month, in: days.data, asked: .monthToDate),
      before.count == month.count
    else { return (month, nil) }
    return (month, await table(rows.of(before), view))
  }

  /// The days up to which cohorts of weeks are drawn; longer data have cohorts of months.
  private static let mostDaysOfWeeks = 182
  /// The points of a curve.
  private static let mostAges = 20

  /// Returns the request of a table's pictures, if it has more periods than can be drawn.
  func drawn(_ table: Report, _ asked: ViewQuery) -> ViewQuery? {
    guard let period = table.drawnPeriod else { return nil }
    let keys = table.columns.filter { $0.kind == .key && !["app", "currency", "status"].contains($0.name) }
      .map(\.name)
    return asked.rows(by: keys.map { Dimension.period($0) == nil ? $0 : period.name })
  }

  /// Returns what pictures show and their tables do not: longer periods; of one app first payments, renewals and refunds,
  /// and retention at more ages, as curves and as cohorts by week.
  func finer(_ request: Pages.ReportInputs) async -> [Int: Report] {
    let (asked, length) = (request.asked, request.days.data.count)
    let apps = request.facts.apps.named(asked.values("app"))?.count ?? request.facts.apps.count
    guard apps == 1 || request.facts.apps.count == 1 else { return await drawn(request) }
    if request.view.kind == .revenue, let stages = request.keys?.stages {
      let period = (request.drawn ?? request.query).first("by") ?? "month"
      if period == "month" { return [0: stages] }
      guard Dimension.period(period) != nil else { return await drawn(request) }
      return await table(asked.rows(by: [period, "stage"]), request.view).map { [0: $0] } ?? [:]
    }
    let isPlain = ["by", "by-period", "at", "compare"].allSatisfy { request.query.first($0) == nil }
    guard request.view.kind == .retention, isPlain, length >= 14 else { return await drawn(request) }
    func at(_ ages: [Int], by: [String]) async -> Report? {
      let query = asked.setting("at", to: [ages.map(String.init).joined(separator: ",")]).setting("by", to: by)
      return await table(query.without("sort", "limit"), request.view)
    }
    let step = max(3.5, (Double(min(length, 400)) / Double(Self.mostAges)).rounded(.up))
    let ages = (1...Self.mostAges).map { Int(Double($0) * step) }.filter { $0 <= length }
    var finer: [Int: Report] = [:]
    finer[0] = await at(ages, by: [])
    if length <= Self.mostDaysOfWeeks {
      finer[1] = await at(Array(stride(from: 7, through: min(56, length), by: 7)), by: ["week,plan"])
    }
    return finer
  }

  private func drawn(_ request: Pages.ReportInputs) async -> [Int: Report] {
    guard let drawn = request.drawn, let table = await table(drawn, request.view) else { return [:] }
    return [0: table]
  }

  private func table(_ query: ViewQuery, _ view: ReportView) async -> Report? {
    guard let request = try? query.request(for: view) else { return nil }
    return await workers.table(request)
  }
}
