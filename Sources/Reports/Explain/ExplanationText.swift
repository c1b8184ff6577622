import Metrics

/// Returns an explanation as text: the number, the units that count and do not count, and each user with the events
/// that decided.
func explanationText(_ explanation: Explanation, _ options: RenderOptions) -> String {
  let style = TerminalStyle(isColored: options.isColored)
  let width = max(options.width ?? 200, 20)
  var table = explanationTable(explanation)
  table.parameters = explanation.chosenParameters
  let header = ReadableHeader(table)
  var lines = headerLines(header, width: width, style)
  lines.append("")
  let counts = explanation.statedCounts.map {
    (place: $0.place.rawValue, amount: amountText($0.amount), reason: $0.reason)
  }
  let places = (counts.map { displayWidth($0.place) }.max() ?? 0) + 2
  let amounts = counts.map { displayWidth($0.amount) }.max() ?? 0
  for count in counts {
    let first =
      padded(count.place, to: places, isLeftAligned: true) + padded(count.amount, to: amounts, isLeftAligned: false)
      + "  "
    lines += hanging(visible(count.reason), behind: first, width: width)
  }
  lines.append("")
  for person in explanation.persons {
    var line = style.bold(visible(person.user)) + "  " + amountText(person.amount)
    if let of = person.of { line += " of \(amountText(of))" }
    line += "  " + person.reasons.map(visible).joined(separator: "; ")
    lines.append(line)
    if person.users.count > 1 {
      lines.append("  " + style.dim("also \(person.users.dropFirst().map(visible).joined(separator: ", ")) (1.3)"))
    }
    for event in person.events {
      lines.append("  \(instantText(event.ts))  \(event.kind.name)  " + style.dim(visible(event.id)))
      lines += hanging(visible(event.role), behind: "    ", width: width)
    }
  }
  if !explanation.rounding.isZero {
    lines.append("(rounding of the users' amounts to the micro-unit)  \(amountText(explanation.rounding))")
  }
  lines.append(pageNote(explanation))
  return lines.joined(separator: "\n") + "\n"
}

private func hanging(_ text: String, behind first: String, width: Int) -> [String] {
  let indent = displayWidth(first)
  return wrapped(text, to: max(width - indent, 24)).enumerated().map { place, line in
    (place == 0 ? first : String(repeating: " ", count: indent)) + line
  }
}

private func pageNote(_ explanation: Explanation) -> String {
  let (first, shown, count) = (explanation.offset, explanation.persons.count, explanation.personCount)
  if count == 0 { return "No user of the store is in this cell." }
  if explanation.isOfOneUser { return "One of the \(countText(count)) users considered for this number." }
  if shown == 0 { return "\(count) users; --offset and --limit leave out all of them." }
  let range = "users \(first + 1) to \(first + shown) of \(count)"
  return first + shown < count ? "\(range); continue with --offset \(first + shown)." : "\(range)."
}

/// Returns an exact amount: a count without decimals, money with at least two.
func amountText(_ amount: Explanation.Amount, isGrouped: Bool = false) -> String {
  if amount.currency == nil && amount.millionths % 1_000_000 == 0 {
    return fixedPointText(amount.millionths / 1_000_000, decimals: 0, isGrouped: isGrouped)
  }
  var text = fixedPointText(amount.millionths, decimals: 6, isGrouped: isGrouped)
  let least = amount.currency.map(moneyDecimals) ?? 1
  for _ in 0..<(6 - least) where text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
  return text
}

/// Returns the meaning of the number as a sentence.
///
/// - Parameter isForPage: Whether the column has its heading, not its name.
func explanationTitle(_ explanation: Explanation, isForPage: Bool = false) -> String {
  let cell = explanation.cell.map { isForPage ? $0.value : "\($0.name) \($0.value)" }.joined(separator: ", ")
  if isForPage {
    let kind = ReportKind.named(explanation.report)
    let info = kind?.info(of: ReportColumn(explanation.column, .number))
    let value = explanation.value.readableNumber(percentDecimals: 1) ?? explanation.value.storedText ?? undefinedMark
    let currency = explanation.total.currency.map { " \($0)" } ?? ""
    let total = amountText(explanation.total, isGrouped: true)
    let of = explanation.of.map { ", \(total) of \(amountText($0, isGrouped: true))" } ?? ""
    return
      "\(cell): \(info?.heading ?? columnHeading(explanation.column)): \(value)\(currency)\(explanation.isBound ? ", a bound" : "")\(of)"
  }
  var value = explanation.value.storedText ?? ""
  if let currency = explanation.total.currency { value += " \(currency)" }
  var text = "\(explanation.column) is \(value)"
  if let of = explanation.of {
    let quotient = "\(amountText(explanation.total)) ÷ \(amountText(of))"
    text += explanation.isBound ? ", a bound of \(quotient)" : " = \(quotient)"
  }
  return "\(text) for \(cell)"
}

extension Explanation {
  /// Whether the reason of the units that count is the rule itself.
  fileprivate var countsByRule: Bool { counts.first?.reason == rule }

  /// The counts; a reason that is the rule has the rules' numbers, because the rule is not said again.
  fileprivate var statedCounts: [Count] {
    guard countsByRule else { return counts }
    var stated = counts
    stated[0].reason += " (\(rules))"
    return stated
  }
}

/// Returns a table of the units that count and do not count.
func explanationTable(_ explanation: Explanation, isForPage: Bool = false) -> Report {
  var definition = explanation.countsByRule ? [] : ["\(explanation.rule) (\(explanation.rules))"]
  if explanation.isEstimate {
    definition.append(
      "the number is an estimate from the listed users, who add up to the count that it uses")
  }
  if explanation.isBound {
    definition.append("a bound of the 95% interval of these counts")
  }
  return Report(
    name: explanation.report, title: explanationTitle(explanation), definition: definition,
    parameters: explanation.parameters,
    asOf: explanation.asOf,
    columns: .keys("place").texts("reason", "amount"),
    rows: explanation.statedCounts.map {
      [.text($0.place.rawValue), .text($0.reason), .text(amountText($0.amount, isGrouped: isForPage))]
    })
}

/// Returns a row for each event that decided. Each user's amount is in the user's first row, so that the column adds up
/// to the number.
func explanationRows(_ explanation: Explanation) -> Report {
  let hasShare = explanation.persons.contains { $0.of != nil }
  var rows: [[ReportValue]] = []
  for person in explanation.persons {
    let reasons = person.reasons.joined(separator: "; ")
    var own = [ReportValue.text(amountText(person.amount))]
    if hasShare { own.append(.text(person.of.map { amountText($0) } ?? "")) }
    let blank = own.map { _ in ReportValue.text("") }
    if person.events.isEmpty {
      rows.append([.text(person.user)] + own + [.text(reasons)] + ["", "", "", "", "", ""].map { .text($0) })
    }
    for (place, event) in person.events.enumerated() {
      rows.append(
        [.text(person.user)] + (place == 0 ? own : blank)
          + [
            .text(reasons), .text(instantText(event.ts)), .text(event.kind.name), .text(event.user), .text(event.id),
            .text(event.role), .text(event.file),
          ])
    }
  }
  if !explanation.rounding.isZero {
    rows.append(
      [.text("(rounding)"), .text(amountText(explanation.rounding))] + (hasShare ? [.text("")] : [])
        + ["rounding of the users' amounts to the micro-unit", "", "", "", "", "", ""].map { .text($0) })
  }
  return Report(
    name: explanation.report, title: "Users and events", definition: [], parameters: [], asOf: [],
    columns: ([ReportColumn].keys("user_id").texts("amount") + (hasShare ? [ReportColumn("of", .text)] : []))
      .texts("why", "ts", "event", "sent_as", "event_id", "role", "file"),
    rows: rows)
}
