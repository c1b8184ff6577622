/// Counts for the rows of ``UnitRows``, by place.
struct RowCells<Cell> {
  private let none: Cell
  /// The cells by place; `nil` for rows without counts.
  private var cells: [Cell?] = []

  /// - Parameter none: The initial value of a row.
  init(_ none: Cell) { self.none = none }

  subscript(row: Int) -> Cell {
    @inline(__always)
    _modify {
      while cells.count <= row { cells.append(nil) }
      if cells[row] == nil { cells[row] = none }
      yield &cells[row]!
    }
    get { row < cells.count ? cells[row] ?? none : none }
  }

  /// Returns the rows with counts.
  ///
  /// - Parameter keys: Row keys by place.
  func byKey(_ keys: [CellKey]) -> [CellKey: Cell] {
    var byKey: [CellKey: Cell] = [:]
    for (row, cell) in cells.enumerated() {
      if let cell { byKey[keys[row]] = cell }
    }
    return byKey
  }
}
