import Foundation

/// Formats the checks as a plain-text table.
struct Table {
  let checks: [Check]
  let width: Double

  var failures: Int { checks.count { !$0.passes(width: width) } }

  var text: String {
    let rows = [["check", "setting", "target", "measured", "standard error", "pass"]] + checks.map(row)
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      "| " + zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ") + " |"
    }.enumerated().map { place, line in
      place > 0 ? line : line + "\n|" + widths.map { String(repeating: "-", count: $0 + 2) + "|" }.joined()
    }.joined(separator: "\n")
  }

  private func row(_ check: Check) -> [String] {
    let (target, measured) = texts(check.outcome)
    return [
      check.name, check.setting, target, measured, check.standardError.map(Self.percent) ?? "",
      verdict(check),
    ]
  }

  private func verdict(_ check: Check) -> String {
    if case .told = check.outcome { return "" }
    return check.passes(width: width) ? "yes" : "NO"
  }

  private func texts(_ outcome: Check.Outcome) -> (target: String, measured: String) {
    func share(_ hits: Int, _ count: Int) -> String { Self.percent(Double(hits) / Double(count)) }
    switch outcome {
    case .share(let hits, let count, let anchor, _): return (Self.percent(anchor), share(hits, count))
    case .atMost(let hits, let count, let limit): return ("<= " + Self.percent(limit), share(hits, count))
    case .value(let value, let anchor, let tolerance):
      return ("\(Self.number(anchor)) ± \(Self.number(tolerance))", Self.number(value))
    case .range(let value, let low, let high):
      return ("\(Self.number(low)) to \(Self.number(high))", Self.number(value))
    case .promise(let value, _, let low, let high, _):
      let target =
        low <= 0
        ? "<= " + Self.percent(high)
        : high >= 1 ? ">= " + Self.percent(low) : "\(Self.percent(low)) to \(Self.percent(high))"
      return (target, Self.percent(value))
    case .told(let value, _): return ("none", Self.percent(value))
    case .violations(let count, let tables, let first):
      return ("0 of \(tables)", "\(count)" + (first.map { ", first \($0)" } ?? ""))
    }
  }

  private static func percent(_ share: Double) -> String { String(format: "%.3f%%", 100 * share) }

  private static func number(_ value: Double) -> String { String(format: "%.5g", value) }
}
