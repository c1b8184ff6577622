import Metrics
import Statistics

/// The total row: counts and money are sums, rates are quotients of sums; numbers that do not add up are undefined.
struct TotalRow {
  private let report: Report
  private let rows: [[ReportValue]]
  /// Columns whose numbers do not add up.
  private let fixed: Set<String>

  init(of rows: [[ReportValue]], in report: Report, except fixed: Set<String>) {
    (self.rows, self.report, self.fixed) = (rows, report, fixed)
  }

  /// By column of the report; the keys are empty texts.
  var values: [ReportValue] {
    var values = report.columns.indices.map(sum)
    for (place, column) in report.columns.enumerated() where column.kind == .rate && !fixed.contains(column.name) {
      let next = report.columns[(place + 1)...].prefix(2).map(\.kind)
      let hasBounds = next == [.low, .high]
      let share: [ReportValue]? =
        if let quotient = report.quotient(of: column) {
          self.share(quotient.parts, over: quotient.wholes)
        } else if hasBounds {
          sumOfShares(place)
        } else {
          nil
        }
      guard let share else { continue }
      values.replaceSubrange(place..<(place + (hasBounds ? 3 : 1)), with: hasBounds ? share : Array(share.prefix(1)))
    }
    return values
  }

  private func sum(_ place: Int) -> ReportValue {
    let column = report.columns[place]
    if column.kind == .key { return .text("") }
    guard column.kind == .count || column.kind == .money, !fixed.contains(column.name) else { return .percent(nil) }
    var count = 0
    var amount: (Int128, String)?
    for row in rows {
      switch row[place] {
      case .count(let more): count += more
      case .money(let more?, let currency) where amount == nil || amount?.1 == currency:
        amount = ((amount?.0 ?? 0) + more, currency)
      default: return .percent(nil)
      }
    }
    return amount.map { .money($0.0, currency: $0.1) } ?? (column.kind == .count ? .count(count) : .percent(nil))
  }

  private func share(_ parts: [String], over wholes: [String]) -> [ReportValue]? {
    guard let part = sum(of: parts), let whole = sum(of: wholes) else { return nil }
    return Self.share(part, of: whole)
  }

  private func sum(of names: [String]) -> Double? {
    var total = 0.0
    for name in names {
      switch report.place(name).map(sum) {
      case .count(let count): total += Double(count)
      case .money(let amount?, _): total += Double(amount)
      default: return nil
      }
    }
    return total
  }

  private static func share(_ part: Double, of whole: Double) -> [ReportValue] {
    guard whole > 0 else { return [.rate(nil), .rate(nil), .rate(nil)] }
    let interval = part <= whole && part >= 0 ? wilsonInterval(successes: part, trials: whole) : nil
    return [.rate(part / whole), .rate(interval?.low), .rate(interval?.high)]
  }

  /// Returns the total of shares whose counts are in no column; the counts follow from their Wilson intervals.
  private func sumOfShares(_ place: Int) -> [ReportValue]? {
    var (part, whole) = (0.0, 0.0)
    for row in rows {
      guard let share = row[place].share else { continue }
      guard let low = row[place + 1].share, let high = row[place + 2].share,
        let trials = wilsonTrials(of: share, low: low, high: high)
      else { return nil }
      part += (share * trials).rounded()
      whole += trials
    }
    return Self.share(part, of: whole)
  }
}

/// The trials behind a share with its Wilson interval of 95%.
///
/// With k = z² ÷ n, an interval of half width h satisfies (h² − ¼) k² + (2 h² − p (1 − p)) k + h² = 0, which has one
/// positive root.
func wilsonTrials(of share: Double, low: Double, high: Double) -> Double? {
  let half = (high - low) / 2
  guard half > 0, half < 0.5 else { return nil }
  let (a, b, c) = (half * half - 0.25, 2 * half * half - share * (1 - share), half * half)
  let k = (-b - (b * b - 4 * a * c).squareRoot()) / (2 * a)
  return k > 0 ? (normalQuantile975 * normalQuantile975 / k).rounded() : nil
}
