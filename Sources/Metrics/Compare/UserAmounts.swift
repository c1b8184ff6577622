internal import Statistics

/// The amounts of each user in the rows of a report, the units of sums and means (definitions 9.5).
struct UserAmounts {
  /// The users of a row.
  private struct Row {
    var users: [Int32] = []
    /// By user, then column; `nil` where a column is empty.
    var amounts: [Double?] = []
  }

  private let places: [String: Int]
  /// The number of columns in ``Row/amounts``.
  private let width: Int
  private var rows: [[[UInt8]]: Row] = [:]

  /// - Parameters:
  ///   - report: With a row for each user of a row.
  ///   - columns: The names of the columns to keep.
  init(_ report: Report, columns: [String]) {
    places = Dictionary(columns.enumerated().map { ($1, $0) }) { first, _ in first }
    width = columns.count
    let own = columns.map { report.place($0) }
    guard let user = report.place(ofKey: Dimension.person.name) else {
      preconditionFailure("a report by user has a column of users")
    }
    // In order of users, so that sums have the same last digit every time.
    let users = report.rows.map { Int32($0[user].keyText) ?? 0 }
    for place in sortedByKey(Array(users.indices), { Int64(users[$0]) }) where users[place] > 0 {
      let row = report.rows[place]
      let key = report.key(of: row, without: Dimension.person.name)
      rows[key, default: Row()].users.append(users[place])
      rows[key, default: Row()].amounts += own.map { place in place.flatMap { row[$0].quantity } }
    }
  }

  /// Returns the test of a sum that both sides have: a pair for each user.
  static func sum(
    _ column: String, of key: [[UInt8]], before: UserAmounts, now: UserAmounts, scale: Double
  ) -> ComparedNumber {
    let (earlier, own) = (before.amounts(column, of: key), now.amounts(column, of: key))
    var pairs: [(before: Double, now: Double)] = []
    var (next, nextNow) = (0, 0)
    while next < earlier.count || nextNow < own.count {
      let (one, other) = (
        next < earlier.count ? earlier[next].user : .max, nextNow < own.count ? own[nextNow].user : .max
      )
      pairs.append((one <= other ? earlier[next].amount ?? 0 : 0, other <= one ? own[nextNow].amount ?? 0 : 0))
      if one <= other { next += 1 }
      if other <= one { nextNow += 1 }
    }
    return ComparedNumber(amounts: pairs, scale: scale)
  }

  /// Returns the moments of a mean's amounts.
  ///
  /// - Parameters:
  ///   - count: The column that counts the users in the mean.
  ///   - total: Their number; those without an amount in the row's currency brought 0.
  func moments(_ column: String, over count: String, of key: [[UInt8]], total: Int) -> Moments {
    var moments = Moments()
    for (value, counted) in zip(amounts(column, of: key), amounts(count, of: key)) where counted.amount ?? 0 > 0 {
      moments.add(value.amount ?? 0)
    }
    let known = Int(moments.count)
    for _ in known..<max(known, total) { moments.add(0) }
    return moments
  }

  /// Returns the amounts of a column in order of users.
  private func amounts(_ column: String, of key: [[UInt8]]) -> [(user: Int32, amount: Double?)] {
    guard let row = rows[key], let place = places[column] else { return [] }
    return row.users.indices.map { (row.users[$0], row.amounts[$0 * width + place]) }
  }
}

extension ReportValue {
  /// A count as it is, shares as fractions of 1, money in micro-units.
  public var quantity: Double? {
    switch self {
    case .count(let count): Double(count)
    case .money(let amount, _): amount.map { Double($0) }
    case .estimate(let amount, _): amount
    case .rate(let number), .number(let number), .probability(let number): number
    case .percent(let percent): percent.map { Double($0) }
    case .text: nil
    }
  }

  /// As ``quantity``, but money in units of its currency.
  public var quantityInUnits: Double? {
    switch self {
    case .money, .estimate: quantity.map { $0 / 1e6 }
    default: quantity
    }
  }
}
