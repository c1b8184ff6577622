import EventModel
public import Metrics
import Statistics

/// The days before that a report is compared with, and what it said of them when they were as old.
public struct ReportComparison: Sendable {
  /// Days since 1970.
  public var days: Range<Int>
  public var before: Range<Int>
  /// The tables of the days before, in the order of the report's own.
  public var tables: [Report]

  public init(days: Range<Int>, before: Range<Int>, tables: [Report] = []) {
    (self.days, self.before, self.tables) = (days, before, tables)
  }

  /// How much earlier the other days are.
  public var shift: Int { days.lowerBound - before.lowerBound }

  /// Returns the period before that a period is compared with; `nil` if the two would differ in length.
  ///
  /// - Parameters:
  ///   - label: Such as `2026-03` or `2026-03-02`.
  ///   - dimension: The name of the row's dimension; labels of one that is no period stay.
  func label(before label: String, of dimension: String) -> String? {
    guard let period = Dimension.period(dimension), let first = period.firstDay(ofPeriod: label) else { return label }
    if [.day, .week].contains(period) {
      let earlier = CivilDate(daysSince1970: first.daysSince1970 - shift)
      return period.first(of: earlier) == earlier ? period.label(ofPeriod: earlier) : nil
    }
    let (now, then) = (CivilDate(daysSince1970: days.lowerBound), CivilDate(daysSince1970: before.lowerBound))
    if now.day != 1 || then.day != 1 { return nil }
    let earlier = first.addingMonths((then.year - now.year) * 12 + then.month - now.month)
    return period.first(of: earlier) == earlier ? period.label(ofPeriod: earlier) : nil
  }
}

extension Report {
  /// Returns how a number of a row differs from the same one before.
  ///
  /// Of shares the interval is Miettinen and Nurminen's, of counts that of Poisson numbers; amounts have none, as rows do
  /// not say how much single payments vary.
  func change(_ column: String, from before: [ReportValue], to now: [ReportValue]) -> SummaryTable.Cell {
    guard let place = columns.firstIndex(where: { $0.name == column }) else { return SummaryTable.Cell() }
    func cell(_ text: String?, _ low: String?, _ high: String?, isMore: Bool?) -> SummaryTable.Cell {
      var cell = SummaryTable.Cell(text: text)
      if let low, let high { cell.bounds = "\(low) to \(high)" }
      if let isMore, let isMoreBetter = ReportKind.of(self)?.compared?.isMoreBetter {
        cell.isBetter = isMore == isMoreBetter
      }
      return cell
    }
    if let one = now[place].share, let other = before[place].share {
      guard let first = proportion(now, place), let second = proportion(before, place),
        let bounds = miettinenNurminenDifference(first, second)
      else { return cell(pointsNumber(one - other).map { "\($0) pp" }, nil, nil, isMore: nil) }
      return cell(
        pointsNumber(one - other).map { "\($0) pp" }, pointsNumber(bounds.low), pointsNumber(bounds.high),
        isMore: bounds.low > 0 ? true : bounds.high < 0 ? false : nil)
    }
    guard let (one, isCount) = Self.amount(now[place]), let (other, _) = Self.amount(before[place]), other > 0 else {
      return SummaryTable.Cell()
    }
    func percent(_ share: Double) -> String { percentChange(share) }
    guard isCount else { return cell(percent((one - other) / other), nil, nil, isMore: nil) }
    let half = normalQuantile975 * (one + other).squareRoot()
    let (low, high) = (one - other - half, one - other + half)
    return cell(
      percent((one - other) / other), percent(low / other), percent(high / other),
      isMore: low > 0 ? true : high < 0 ? false : nil)
  }

  private static func amount(_ value: ReportValue) -> (Double, isCount: Bool)? {
    switch value {
    case .count(let count): (Double(count), true)
    case .money(let amount?, _): (Double(amount), false)
    case .estimate(let amount?, _): (amount, false)
    case .number(let number?): (number, false)
    default: nil
    }
  }

  /// A share of a row with the number that it is of.
  private func proportion(_ row: [ReportValue], _ place: Int) -> Proportion? {
    guard let share = row[place].share, place + 2 < row.count, let low = row[place + 1].share,
      let high = row[place + 2].share, let trials = wilsonTrials(of: share, low: low, high: high)
    else { return nil }
    return Proportion(successes: (share * trials).rounded(), trials: trials)
  }
}

extension SummaryTable {
  /// Adds what the compared number of each line was before, and how it changed.
  ///
  /// - Parameter earlier: The same table of the days before.
  mutating func compare(with earlier: SummaryTable, _ comparison: ReportComparison) {
    guard let column = report.comparedColumn, columns.contains(where: { $0.name == column }) else { return }
    let keys = report.columns.indices.filter { report.columns[$0].kind == .key }
    func key(_ line: TableLine, isNow: Bool) -> [String]? {
      var labels: [String] = []
      for place in keys {
        let label = line.values[place].textValue ?? ""
        guard
          let shown = isNow && !label.isEmpty
            ? comparison.label(before: label, of: report.columns[place].name) : label
        else { return nil }
        labels.append(shown)
      }
      return labels + [line.isTotal ? "total" : ""]
    }
    let known = Dictionary(
      earlier.lines.compactMap { line in key(line, isNow: false).map { ($0, line.values) } }
    ) { first, _ in first }
    let decimals = earlier.report.columns.firstIndex { $0.name == column }.map { place in
      percentDecimals(earlier.lines.compactMap { $0.values[place].share })
    }
    var before: [Cell] = []
    var change: [Cell] = []
    for line in lines {
      let other = key(line, isNow: true).flatMap { known[$0] }
      let place = earlier.report.columns.firstIndex { $0.name == column }
      before.append(
        Cell(text: other.flatMap { row in place.flatMap { row[$0].readableNumber(percentDecimals: decimals ?? 1) } }))
      change.append(
        other.map { report.change(column, from: $0, to: line.values) } ?? Cell())
    }
    columns.append(Column(name: "", heading: "before", cells: before))
    columns.append(Column(name: "", heading: "change", cells: change))
  }
}
