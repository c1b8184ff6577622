internal import Statistics
public import Store

/// Compares the values of two variants, and finds the month in which their order changes.
public enum ValuePairs {
  /// The most variants of a row of which every pair is compared; of more, each is compared with one of them.
  static let allPairsUpTo = 24

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try options.inOneCurrency(snapshot) { options in
      let query = try Value.query(snapshot, options)
      return try report(query, Value.rows(query))
    }
  }

  static func report(_ query: ReportQuery, _ all: [Value.Row]) throws -> Report {
    guard let variant = query.by.firstIndex(of: .variant) else {
      throw ReportError.pairsNeedVariants(query.by.map(\.name))
    }
    let rest = query.without(.variant)
    let groups = Dictionary(grouping: all) { row in
      var key = row.key
      key.codes.remove(at: variant)
      return key
    }
    var pairs: [(labels: [String], values: [ReportValue])] = []
    for (key, rows) in groups {
      let currency = query.options.currency ?? query.facts.name(Int(key.codes[rest.by.count]))
      let named = rows.map { (name: query.label(.variant, $0.key.codes[variant]), row: $0) }
        .sorted { precedesInBytes($0.name, $1.name) }
      let base = named.count > allPairsUpTo ? base(of: named) : nil
      for first in named.indices {
        for second in named.indices where second > first && (base == nil || first == base || second == base) {
          pairs.append(
            (
              rest.labels(key) + [currency, named[first].name, named[second].name],
              values(named[first], named[second], currency)
            ))
        }
      }
    }
    pairs.sort { precedesInBytes($0.labels, $1.labels) }
    return query.report(
      "value_pairs", title: "Value, variants compared",
      definition: [
        "difference_m: value_m of variant_b minus that of variant_a, per user who saw the paywall, with its 95% "
          + "bootstrap interval. Months count from the first payment",
        "ahead: the variant that is ahead; the interval of the difference then excludes 0. ahead_last: the one "
          + "ahead in last_month, the last month known. Both are empty if neither is shown to be ahead",
        "crossing_month: the first of \(ValueEstimate.months) months in which the lead changes. "
          + "crossings: number of such changes; yearly renewals, which fall in one month, can cause several",
        "crossing_share: share of the resamples in which the order changes, shown or not",
        "Up to \(allPairsUpTo) variants are compared in all pairs. More are each compared with control, or without one "
          + "with the variant that most users saw",
      ] + Value.definition.prefix(6),
      own: Value.parameters(query),
      columns: rest.keyColumns + [
        ReportColumn("currency", .key), ReportColumn("variant_a", .key), ReportColumn("variant_b", .key),
      ] + columns,
      rows: pairs.map { $0.labels.map(ReportValue.text) + $0.values })
  }

  /// Returns the place of the variant that the others are compared with, of variants in byte order.
  private static func base(of named: [(name: String, row: Value.Row)]) -> Int? {
    named.firstIndex { $0.name == "control" }
      ?? named.indices.max { left, right in
        let (users, others) = (named[left].row.sums.users, named[right].row.sums.users)
        return users != others ? users < others : left > right
      }
  }

  private static let columns: [ReportColumn] =
    Value.horizons.flatMap { ReportColumn.bounded("difference_\($0)", .money) }
    + [
      ReportColumn("crossing_month", .count), ReportColumn("crossings", .count), ReportColumn("crossing_share", .rate),
      ReportColumn("ahead_last", .text), ReportColumn("last_month", .count), ReportColumn("basis", .text),
    ]

  private static func values(
    _ first: (name: String, row: Value.Row), _ second: (name: String, row: Value.Row), _ currency: String
  ) -> [ReportValue] {
    let (a, b) = (first.row.estimate, second.row.estimate)
    func differences(_ a: [Double?], _ b: [Double?]) -> [Double?] {
      zip(a, b).map { first, second in first.flatMap { first in second.map { $0 - first } } }
    }
    let known = differences(a.values, b.values)
    let resampled = zip(a.resampled, b.resampled).map(differences)
    let intervals = (0..<ValueEstimate.months).map { month in
      resampled.isEmpty ? nil : ValueEstimate.interval(resampled.map { $0[month] })
    }
    let leads = intervals.map { $0.map { $0.low > 0 ? 1.0 : $0.high < 0 ? -1 : 0 } }
    let changes = crossings(leads)
    let last = zip(a.bases, b.bases).map { $0 != nil && $1 != nil }.lastIndex(of: true)
    let ahead = last.flatMap { leads[$0] }.map { $0 > 0 ? second.name : $0 < 0 ? first.name : "" } ?? ""
    let basis = last.flatMap { month in ValueBasis.weakest([a.bases[month], b.bases[month]].compactMap(\.self)) }
    return Value.horizons.flatMap { month -> [ReportValue] in
      [
        .estimate(intervals[month - 1] == nil ? nil : known[month - 1], currency: currency),
        .estimate(intervals[month - 1]?.low, currency: currency),
        .estimate(intervals[month - 1]?.high, currency: currency),
      ]
    } + [
      changes.first.map { .count($0) } ?? .percent(nil), last == nil ? .percent(nil) : .count(changes.count),
      .plainShare(resampled.count { !crossings($0).isEmpty }, of: resampled.count),
      .text(ahead), last.map { .count($0 + 1) } ?? .percent(nil), .text(basis?.rawValue ?? ""),
    ]
  }

  /// Returns the months, from 1, in which the sign differs from that of the last month with a sign.
  static func crossings(_ differences: [Double?]) -> [Int] {
    var months: [Int] = []
    var sign: Double?
    for (place, difference) in differences.enumerated() {
      guard let difference, difference != 0 else { continue }
      if let sign, sign * difference < 0 { months.append(place + 1) }
      sign = difference
    }
    return months
  }
}
