internal import Lifecycle

/// The payments less refunds of each app, day and currency.
struct PaymentSums {
  struct Key: Hashable {
    var app: NameID
    /// Days since 1970.
    var day: Int
    /// ``ReportCurrency/code(_:)``.
    var currency: Int64
  }

  struct Sum {
    var payments = 0
    /// In ``ReportCurrency/parts`` of a micro-unit.
    var net: Int128 = 0
    /// The squares of what each user paid, and got back, for each plan: one payment but for a few, so that the variance of
    /// the sum is that of its payments.
    var squares: [Double] = []
  }

  private(set) var sums: [Key: Sum] = [:]

  /// - Parameter query: By day and plan.
  init(_ query: ReportQuery) throws {
    // Of one user.
    var sumsOfRows: [(row: Int, currency: Int64, sums: Revenue.Sums)] = []
    var person: Int32 = 0
    var byPlace = CurrencySums(Sum())
    func add() {
      for (row, currency, sums) in sumsOfRows { byPlace[row, currency].add(sums) }
      sumsOfRows.removeAll(keepingCapacity: true)
    }
    let keys = try Revenue.forEachUnit(query) { unit in
      if unit.person != person {
        add()
        person = unit.person
      }
      let place = sumsOfRows.firstIndex { $0.row == unit.row && $0.currency == unit.currency } ?? sumsOfRows.count
      if place == sumsOfRows.count { sumsOfRows.append((unit.row, unit.currency, Revenue.Sums())) }
      sumsOfRows[place].sums.add(unit)
    }
    add()
    for (key, sum) in byPlace.byKey(keys) {
      let day = Int(key.codes[0] / day)
      sums[Key(app: key.app, day: day, currency: key.codes.last ?? 0), default: Sum()].add(sum)
    }
  }
}

extension PaymentSums.Sum {
  fileprivate mutating func add(_ sums: Revenue.Sums) {
    payments += sums.payments
    net += sums.net
    for (parts, count) in [(sums.gross, sums.payments), (sums.refunded, sums.refunds)] where count > 0 {
      squares.append(ReportRows.squares(of: roundedToOdd(parts, dividedBy: ReportCurrency.parts), count: count))
    }
  }

  fileprivate mutating func add(_ other: PaymentSums.Sum) {
    payments += other.payments
    net += other.net
    squares += other.squares
  }
}
