internal import Store

/// The rows from our number to a vendor's; implements definitions 13.2.
extension Bridge {
  private struct Row {
    /// A step's name; or `ours`, `vendor`, `rounding`, `unexplained` or `missing`.
    var name: String
    /// Our setting, and the vendor's.
    var settings = (from: "", to: "")
    var state = ""
    var before: ReportValue = .percent(nil)
    var after: ReportValue = .percent(nil)
    var part: ReportValue = .percent(nil)
    /// The units that the step changed; `nil` for rows that are not a step.
    var changes: [BridgeCount.Unit: BridgeCount.Change]?
    var source = ""
    /// The command that lists those units; empty without any.
    var explain = ""

    func values(number: Int, scope: String) -> [ReportValue] {
      func count(_ change: BridgeCount.Change) -> ReportValue {
        guard let changes else { return .percent(nil) }
        return .count(changes.values.count { $0 == change })
      }
      return [
        .text(scope), .count(number), .text(name), .text(settings.from), .text(settings.to), .text(state),
        before, after, part, count(.added), count(.removed), count(.revalued), .text(source), .text(explain),
      ]
    }
  }

  func steps() throws -> Report {
    let times = try times()
    let scope = query.options.scope
    var rows: [[ReportValue]] = []
    var others: [String] = []
    var isExplained = false
    for span in spans(times) {
      let (own, isRounding) = try self.rows(span, times)
      isExplained = isRounding
      let keys: [ReportValue] = [.text(app.name)] + (question.period == .none ? [] : [.text(span.label)])
      for (number, row) in own.enumerated() { rows.append(keys + row.values(number: number, scope: scope)) }
      if question.period == .none { others = try self.others(span, times) }
    }
    return report(
      title: "\(question.metric.title): our number and \(question.vendor.title)'s",
      definition: sentences(others, isExplained: isExplained),
      columns: [
        ReportColumn("scope", .text), ReportColumn("step", .count), ReportColumn("switch", .text),
        ReportColumn("from", .text), ReportColumn("to", .text), ReportColumn("state", .text),
        ReportColumn("before", kind), ReportColumn("after", kind), ReportColumn("part", kind),
        ReportColumn("units_in", .count), ReportColumn("units_out", .count), ReportColumn("units_revalued", .count),
        ReportColumn("source", .text), ReportColumn("explain", .text),
      ], rows: rows)
  }

  /// Returns the rows of one number, and whether the vendor's number is that of its rules but for rounding.
  private func rows(_ span: Span, _ times: [String: LocalTime]) throws -> (rows: [Row], isRounding: Bool) {
    let settings = question.readings.map(\.setting)
    var last = try count(span, [], times: times)
    var rows = [Row(name: "ours", after: value(printed(last)))]
    for (place, reading) in question.readings.enumerated() {
      let now = try count(span, Array(settings[...place]), times: times)
      let changes = now.changes(since: last)
      rows.append(
        Row(
          name: reading.setting.step.rawValue,
          settings: (
            reading.setting.ours(of: question.metric, days: question.days, timeZone: query.options.timeZone),
            reading.setting.theirs(days: question.days)
          ), state: reading.basis.rawValue, before: value(printed(last)), after: value(printed(now)),
          part: difference(printed(now), printed(last)), changes: changes, source: reading.source,
          explain: changes.isEmpty ? "" : command(listing: reading.setting.step, span)))
      last = now
    }
    let preset = printed(last)
    rows.append(Row(name: "vendor", before: value(preset), after: value(preset)))
    var isRounding = false
    if let given = question.number {
      isRounding = preset.map { 2 * (given.millionths - $0).magnitude <= given.lastDigit.magnitude } ?? false
      rows.append(
        Row(
          name: isRounding ? "rounding" : "unexplained", before: value(preset), after: value(given.millionths),
          part: difference(given.millionths, preset)))
    }
    rows.append(Row(name: "missing", source: question.vendor.missing.joined(separator: "; ")))
    return (rows, isRounding)
  }

  /// Sentences on the numbers by the other one of two pages that differ; implements definitions 13.5.
  private func others(_ span: Span, _ times: [String: LocalTime]) throws -> [String] {
    let settings = question.readings.map(\.setting)
    return try question.readings.filter { $0.basis == .contradictory }.map { reading in
      let other = try count(span, settings.filter { $0 != reading.setting }, times: times)
      return
        "\(reading.setting.step.title): two pages of \(question.vendor.title) differ. By the other page, its number is "
        + text(other.millionths)
    }
  }

  // MARK: - Numbers

  /// Returns a number in millionths as it is printed, so that printed parts add up.
  private func printed(_ count: BridgeCount) -> Int128? {
    guard question.metric.unit == .money, let exact = count.millionths else { return count.millionths }
    let unit = powerOfTen(6 - moneyDecimals(persons.currency ?? ""))
    return wideQuotient(exact, times: 1, over: unit).map { $0 * unit }
  }

  private func value(_ millionths: Int128?) -> ReportValue {
    switch question.metric.unit {
    case .share: .rate(millionths.map { Double($0) / 1e6 })
    case .count: .count(Int((millionths ?? 0) / 1_000_000))
    case .money: .money(millionths, currency: persons.currency ?? "")
    }
  }

  private func difference(_ now: Int128?, _ before: Int128?) -> ReportValue {
    guard let now, let before else { return .percent(nil) }
    return value(now - before)
  }

  private var kind: ReportColumn.Kind {
    switch question.metric.unit {
    case .share: .rate
    case .count: .count
    case .money: .money
    }
  }

  private func text(_ millionths: Int128?) -> String {
    guard let millionths else { return "empty" }
    switch question.metric.unit {
    case .share: return "\(Double(millionths / 100) / 100)%"
    case .count: return "\(millionths / 1_000_000)"
    case .money: return "\(Double(millionths / 10_000) / 100) \(persons.currency ?? "")"
    }
  }

  // MARK: - Words

  /// Sentences for readers of the steps, then two on how the steps are made.
  private func sentences(_ others: [String], isExplained: Bool) -> [String] {
    let assumed = question.readings.filter { $0.basis == .assumed }.map(\.setting.step.title)
    var sentences = ["ours: \(question.metric.meaning(days: question.days))"] + others
    if !assumed.isEmpty {
      sentences.append("assumed, because the documentation does not say: \(assumed.joined(separator: ", "))")
    }
    if !isExplained {
      sentences.append(
        "a remaining difference may come from data that your events lack: "
          + question.vendor.missing.joined(separator: "; "))
    }
    return sentences + [
      "each step turns one more of our rules into the vendor's, in the order of the rows; the parts add up to the "
        + "difference (13.2)",
      "\(question.vendor.title)'s rules are as its documentation said in \(VendorPreset.readIn), never fitted to its "
        + "number (13.5)",
    ]
  }

  /// Returns the command that lists the users whom a step changes.
  ///
  /// - Parameter span: The days of the number.
  private func command(listing step: BridgeStep, _ span: Span) -> String {
    var options = query.options
    (options.from, options.to) = (span.from, span.to)
    return question.command(listing: step, of: app.name, options)
  }
}
