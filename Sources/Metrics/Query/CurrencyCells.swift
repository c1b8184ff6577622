/// Numbers the rows of ``UnitRows`` with each of their currencies.
struct CurrencyPlaces {
  /// By place: the row's place and ``ReportCurrency/code(_:)``.
  private(set) var keys: [(row: Int, code: Int64)] = []
  /// By row.
  private var places: [[(code: Int64, place: Int)]] = []

  @inline(__always)
  mutating func place(_ row: Int, _ code: Int64) -> Int {
    // A row has few currencies.
    if row < places.count {
      for known in places[row] where known.code == code { return known.place }
    }
    return add(row, code)
  }

  private mutating func add(_ row: Int, _ code: Int64) -> Int {
    while places.count <= row { places.append([]) }
    places[row].append((code, keys.count))
    keys.append((row, code))
    return keys.count - 1
  }

  /// The key of a place: that of the row with the currency behind it.
  ///
  /// - Parameter rows: By place.
  func key(_ place: Int, _ rows: [CellKey]) -> CellKey {
    let (row, code) = keys[place]
    return CellKey(app: rows[row].app, codes: rows[row].codes + [code])
  }
}

/// What is counted for the rows of ``UnitRows`` and a currency each.
struct CurrencyCells<Cell> {
  private let none: Cell
  private var cells: [Cell] = []
  private var places = CurrencyPlaces()

  /// - Parameter none: What a row starts with.
  init(_ none: Cell) { self.none = none }

  /// - Parameter currency: ``ReportCurrency/code(_:)``.
  subscript(row: Int, currency: Int64) -> Cell {
    @inline(__always)
    mutating _read {
      yield cells[place(row, currency)]
    }
    @inline(__always)
    _modify {
      let place = place(row, currency)
      yield &cells[place]
    }
  }

  @inline(__always)
  private mutating func place(_ row: Int, _ currency: Int64) -> Int {
    let place = places.place(row, currency)
    if place == cells.count { cells.append(none) }
    return place
  }

  /// The rows that anything was counted for, each under its key with the code of the currency behind it.
  ///
  /// - Parameter rows: By place.
  func byKey(_ rows: [CellKey]) -> [CellKey: Cell] {
    Dictionary(uniqueKeysWithValues: cells.indices.map { (places.key($0, rows), cells[$0]) })
  }
}
