extension ComparedReport {
  /// The sums of all apps; empty unless each app has one row, of the same further keys and days.
  var totals: [[ReportValue]] {
    let keys = Set(cells.map(\.key))
    guard let first = cells.first, keys.count > 1, Set(cells.map(\.app)).count == keys.count,
      Set(keys.map { Array($0.dropFirst()) }).count == 1, Set(cells.map(\.sides.days)).count == 1
    else { return [] }
    return cells.filter { $0.key == first.key && kind.isSum($0.column) }.compactMap { cell in
      let own = cells.filter { $0.column == cell.column }
      guard own.count == keys.count, let before = own.sum(\.before), let now = own.sum(\.now) else { return nil }
      let isState = kind.info(of: cell.column)?.isState ?? false
      let scaled = own.reduce(0) { $0 + ($1.before?.quantity ?? 0) * (isState ? 1 : $1.sides.scale) }
      guard let number = ComparedNumber(sumOf: own.map(\.number), before: scaled) else { return nil }
      var total = cell
      (total.app, total.key[0]) = ("", [])
      (total.before, total.now, total.number) = (before, now, number)
      return row(total, (number.p, 1))
    }
  }
}

extension [ComparedReport.Cell] {
  /// Returns the sum of one side's counts or amounts; `nil` if one is missing.
  fileprivate func sum(_ side: KeyPath<ComparedReport.Cell, ReportValue?>) -> ReportValue? {
    guard let first, let like = first[keyPath: side] else { return nil }
    return dropFirst().reduce(like) { sum, cell in
      switch (sum, cell[keyPath: side]) {
      case (.count(let sum)?, .count(let count)?): .count(sum + count)
      case (.money(let sum?, let currency)?, .money(let amount?, _)?): .money(sum + amount, currency: currency)
      default: nil
      }
    }
  }
}

extension Report {
  /// Returns the sum of count columns, such as `converted+lapsed`, in a row; `nil` if one is not a count.
  func count(_ expression: String, in row: [ReportValue]) -> Int? {
    var sum = 0
    for name in expression.split(separator: "+") {
      guard case .count(let count)? = value(String(name), in: row) else { return nil }
      sum += count
    }
    return sum
  }
}
