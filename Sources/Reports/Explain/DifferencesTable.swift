public import Metrics

extension Report {
  /// Creates a table of the changed numbers, one row each, with the effect of each cause; as printed, the effects add
  /// up to the change.
  public init(_ differences: Differences) {
    let causes = differences.causes
    let instants = differences.asOf.map { app in
      "\(app.app): data through \(app.before.map(instantText) ?? "no events") before, \(app.after.map(instantText) ?? "no events") after"
    }
    // Of subscriptions, time and new events are one cause.
    let isJoined = causes.contains(.newEvents) && !causes.contains(.maturity)
    let events = causes.filter { $0 != .maturity }.map { "\($0.name) \(differences.events[$0] ?? 0)" }
    self.init(
      name: "diff", title: "What changed in \(differences.report)",
      definition: instants + [
        "Each row is a number that changed. Changes of rates are in percentage points.",
        "before + \(causes.map(\.name).joined(separator: " + ")) = after. Causes are applied one after another, in this "
          + "order, so they add up. Another order could split the change differently.",
        "maturity: time passed for the same events (1.1, 2.5, 3.3). identity_joins: identify events (1.3). restated: "
          + "events with changed content. late_events: events that came later, but happened before the earlier end of the "
          + "data. new_events: events that happened since\(isJoined ? ", and the time that passed" : ""). refunds: refund "
          + "events (2.7). removed: events that are gone.",
        "events: \(events.isEmpty ? "none" : events.joined(separator: ", "))",
      ] + [differences.currencyNote].compactMap(\.self),
      parameters: differences.parameters,
      asOf: differences.asOf.map { Report.AppInstant(app: $0.app, asOf: $0.after ?? $0.before ?? 0, notes: []) },
      columns: differences.keyColumns.map { ReportColumn($0, .key) }.keys("column")
        .figures("before", "after", "change") + causes.map { ReportColumn($0.name, .number) },
      rows: differences.rows.map { row in
        let states = row.states.map(printed)
        let last = states.count - 1
        var changes: [Int128?] = causes.map { _ in nil }
        var change: Int128?
        if var known = states[0], let end = states[last] {
          change = end - known
          // An empty value has not changed; the next cause that gives it a number gets the whole change.
          for cause in causes.indices {
            let next = states[cause + 1] ?? known
            changes[cause] = next - known
            known = next
          }
        }
        return (row.keys + [row.column.name]).map(ReportValue.text)
          + [value(states[0], like: row.states[0]), value(states[last], like: row.states[last])]
          + ([change] + changes).map { value($0, like: row.states[last]) }
      })
    if differences.rows.isEmpty { emptyNote = "No number changed." }
  }
}

/// Returns a number in the smallest units in which it is printed; `nil` if it is empty.
private func printed(_ value: ReportValue) -> Int128? {
  switch value {
  case .count(let count): Int128(count)
  case .percent(let percent): percent.map { Int128($0) }
  case .rate(let number), .number(let number), .probability(let number):
    number.flatMap { scaledHalfToEven($0, decimals: 6) }
  case .money(let microUnits, let currency):
    microUnits.map { printedUnits(microUnits: $0, decimals: moneyDecimals(currency)) }
  case .estimate(let microUnits, let currency):
    microUnits.flatMap { printedUnits(estimate: $0, decimals: moneyDecimals(currency)) }
  case .text: nil
  }
}

/// Returns a number of such units as a value of a given kind.
private func value(_ parts: Int128?, like value: ReportValue) -> ReportValue {
  switch value {
  case .count: parts.map { .count(Int($0)) } ?? .percent(nil)
  case .percent: .percent(parts.map { Int($0) })
  case .rate, .probability: .rate(parts.map { Double($0) / 1e6 })
  case .number: .number(parts.map { Double($0) / 1e6 })
  case .money(_, let currency), .estimate(_, let currency):
    .money(parts.map { $0 * powerOfTen(6 - moneyDecimals(currency)) }, currency: currency)
  case .text: .percent(nil)
  }
}
