/// What is counted for the rows of ``UnitRows``, by their places.
struct RowCells<Cell> {
  private let none: Cell
  /// `nil` for rows that nothing was counted for.
  private var cells: [Cell?] = []

  /// - Parameter none: What a row starts with.
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

  /// The rows that anything was counted for.
  ///
  /// - Parameter keys: By place.
  func byKey(_ keys: [CellKey]) -> [CellKey: Cell] {
    var byKey: [CellKey: Cell] = [:]
    for (row, cell) in cells.enumerated() {
      if let cell { byKey[keys[row]] = cell }
    }
    return byKey
  }
}
