/// Sums for the rows of ``UnitRows``, by place.
struct RowSums<Sums> {
  private let none: Sums
  /// The sums by place; `nil` for rows without counts.
  private var sumsOfRows: [Sums?] = []

  /// - Parameter none: The initial value of a row.
  init(_ none: Sums) { self.none = none }

  subscript(row: Int) -> Sums {
    @inline(__always)
    _modify {
      while sumsOfRows.count <= row { sumsOfRows.append(nil) }
      if sumsOfRows[row] == nil { sumsOfRows[row] = none }
      yield &sumsOfRows[row]!
    }
    get { row < sumsOfRows.count ? sumsOfRows[row] ?? none : none }
  }

  /// Returns the rows with counts.
  ///
  /// - Parameter keys: Row keys by place.
  func byKey(_ keys: [RowKey]) -> [RowKey: Sums] {
    var byKey: [RowKey: Sums] = [:]
    for (row, sums) in sumsOfRows.enumerated() {
      if let sums { byKey[keys[row]] = sums }
    }
    return byKey
  }
}
