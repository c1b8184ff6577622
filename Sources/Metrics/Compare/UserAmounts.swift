internal import Statistics

/// The amounts of each user in the rows of a report, the units of sums and means (definitions 9.5).
struct UserAmounts {
  private let places: [String: Int]
  /// By row and user; `nil` where a column is empty.
  private var amounts: [[[UInt8]]: [Int32: [Double?]]] = [:]

  /// - Parameters:
  ///   - report: With a row for each user of a row.
  ///   - columns: The names of the columns to keep.
  init(_ report: Report, columns: [String]) {
    places = Dictionary(columns.enumerated().map { ($1, $0) }) { first, _ in first }
    let own = columns.map { report.place($0) }
    guard let user = report.place(ofKey: Dimension.person.name) else {
      preconditionFailure("a report by user has a column of users")
    }
    for row in report.rows {
      guard let number = Int32(row[user].keyText) else { continue }
      amounts[report.key(of: row, without: Dimension.person.name), default: [:]][number] = own.map { place in
        place.flatMap { row[$0].quantity }
      }
    }
  }

  /// Returns the test of a sum that both sides have: a pair for each user.
  static func sum(
    _ column: String, of key: [[UInt8]], before: UserAmounts, now: UserAmounts, scale: Double
  ) -> ComparedNumber {
    let (earlier, own) = (before.amounts[key] ?? [:], now.amounts[key] ?? [:])
    let (place, ownPlace) = (before.places[column], now.places[column])
    // In order of users, so that the sums have the same last digit every time.
    let users = sortedByKey(Array(Set(own.keys).union(earlier.keys))) { Int64($0) }
    func amount(_ amounts: [Double?]?, _ place: Int?) -> Double { place.flatMap { amounts?[$0] } ?? 0 }
    return ComparedNumber(
      amounts: users.lazy.map { (before: amount(earlier[$0], place), now: amount(own[$0], ownPlace)) }, scale: scale)
  }

  /// Returns the moments of a mean's amounts.
  ///
  /// - Parameters:
  ///   - count: The column that counts the users in the mean.
  ///   - total: Their number; those without an amount in the row's currency brought 0.
  func moments(_ column: String, over count: String, of key: [[UInt8]], total: Int) -> Moments {
    let (values, counts) = (amounts(column, of: key), amounts(count, of: key))
    let known = counts.keys.filter { counts[$0] ?? 0 > 0 }.sorted()
    var moments = Moments(known.lazy.map { values[$0] ?? 0 })
    for _ in known.count..<max(known.count, total) { moments.add(0) }
    return moments
  }

  private func amounts(_ column: String, of key: [[UInt8]]) -> [Int32: Double] {
    guard let place = places[column] else { return [:] }
    return amounts[key]?.compactMapValues { $0[place] } ?? [:]
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
