import Metrics

/// A report's rows as people read them: bounds in one column with their rate, columns that belong together grouped.
struct ReadableTable {
  struct Cell {
    /// `nil` when undefined.
    var text: String?
    /// The bounds as `10.1 to 14.8`; of an estimated amount, which leads with its bounds, the point as `(12.3)`; empty
    /// without any.
    var interval = ""
  }

  struct Column {
    var name: String
    var kind: ReportColumn.Kind
    /// By row.
    var cells: [Cell]
    /// By row, fractions of 1; empty unless the column is a rate with bounds.
    var bounds: [ClosedRange<Double>?]
    /// By row, fractions of 1.
    var shares: [Double?]
    var hasBounds: Bool

    var isLeftAligned: Bool { kind == .key || kind == .text }
    /// Whether the column is a share of a count, not a comparison of two shares.
    var isShareOfCount: Bool { hasBounds && name != "lift" && name != "difference" }
  }

  var keys: [Column] = []
  /// In the report's order, but a count that is the numerator of a rate comes before that rate.
  var groups: [[Column]] = []

  /// - Parameter text: Makes a name of any origin fit to be shown.
  init(_ report: Report, showing text: (String) -> String = visible) {
    var values: [Column] = []
    var index = 0
    while index < report.columns.count {
      let kinds = report.columns[index...].prefix(3).map(\.kind)
      let hasBounds = kinds.count == 3 && kinds[1] == .low && kinds[2] == .high
      let column = Column(report, index, hasBounds: hasBounds, showing: text)
      if column.kind == .key { keys.append(column) } else { values.append(column) }
      index += hasBounds ? 3 : 1
    }
    // The header already names the only app.
    if report.asOf.count == 1, let app = keys.first, app.name == "app", keys.count > 1,
      app.cells.allSatisfy({ $0.text == text(report.asOf[0].app) })
    {
      keys.removeFirst()
    }
    groups = Self.grouped(values)
  }

  /// Rates with bounds after a run of counts are, in order, the shares of the run's last counts; what those are
  /// shares of comes before the first.
  private static func grouped(_ columns: [Column]) -> [[Column]] {
    var groups: [[Column]] = []
    var rest = columns[...]
    while let first = rest.first {
      let counts = rest.prefix { $0.kind == .count }
      let rates = rest.dropFirst(counts.count).prefix(while: \.isShareOfCount)
      guard !counts.isEmpty, !rates.isEmpty else {
        groups.append([first])
        rest.removeFirst()
        continue
      }
      let paired = min(counts.count, rates.count)
      let alone = counts.count - paired
      groups += counts.prefix(max(0, alone - 1)).map { [$0] }
      for (place, (count, rate)) in zip(counts.suffix(paired), rates).enumerated() {
        let denominator = place == 0 && alone > 0 ? [counts[counts.startIndex + alone - 1]] : []
        groups.append(denominator + [count, rate])
      }
      groups += rates.dropFirst(paired).map { [$0] }
      rest.removeFirst(counts.count + rates.count)
    }
    return groups
  }
}

extension ReadableTable.Cell {
  /// An estimated amount with its interval first, as `10.10 to 14.80 (12.30)`; alone if the interval has no width;
  /// `nil` if there is none.
  ///
  /// - Parameter estimate: The point, the low and the high end.
  fileprivate init?(estimate: ArraySlice<ReportValue>) {
    let texts = estimate.map { $0.readableNumber(percentDecimals: 1) }
    guard let low = texts[1], let high = texts[2] else { return nil }
    if low == high {
      self.init(text: low)
    } else {
      self.init(text: "\(low) to \(high)", interval: texts[0].map { "(\($0))" } ?? "")
    }
  }
}

extension ReadableTable.Column {
  /// - Parameter hasBounds: Whether the two columns after this one are its bounds.
  fileprivate init(_ report: Report, _ index: Int, hasBounds: Bool, showing text: (String) -> String) {
    let column = report.columns[index]
    let shares = report.rows.map { $0[index].share }
    let decimals = percentDecimals(shares.lazy.compactMap(\.self))
    self.init(
      name: text(columnWords(column.name)), kind: column.kind,
      cells: report.rows.map { row in
        if case .text(let name) = row[index] { return ReadableTable.Cell(text: text(name)) }
        if hasBounds, case .estimate = row[index], let cell = ReadableTable.Cell(estimate: row[index...].prefix(3)) {
          return cell
        }
        guard let number = row[index].readableNumber(percentDecimals: decimals) else { return ReadableTable.Cell() }
        guard hasBounds,
          let low = row[index + 1].readableNumber(percentDecimals: decimals, hasSign: false),
          let high = row[index + 2].readableNumber(percentDecimals: decimals, hasSign: false)
        else { return ReadableTable.Cell(text: number) }
        return ReadableTable.Cell(text: number, interval: "\(low) to \(high)")
      },
      bounds: report.rows.map { row in
        guard hasBounds, let low = row[index + 1].share, let high = row[index + 2].share else { return nil }
        return low <= high ? low...high : nil
      }, shares: shares, hasBounds: hasBounds)
  }
}
