/// Sums for each pair of a row of ``UnitRows`` and a currency.
struct CurrencySums<Sums> {
  private let none: Sums
  private var sumsOfRows: [Sums] = []
  private var places = CurrencyPlaces()

  /// - Parameter none: The initial value of a row.
  init(_ none: Sums) { self.none = none }

  /// - Parameter currency: ``ReportCurrency/code(_:)``.
  subscript(row: Int, currency: Int64) -> Sums {
    @inline(__always)
    mutating _read {
      yield sumsOfRows[place(row, currency)]
    }
    @inline(__always)
    _modify {
      let place = place(row, currency)
      yield &sumsOfRows[place]
    }
  }

  @inline(__always)
  private mutating func place(_ row: Int, _ currency: Int64) -> Int {
    let place = places.place(row, currency)
    if place == sumsOfRows.count { sumsOfRows.append(none) }
    return place
  }

  /// Returns the rows with counts, each under its key followed by the currency's code.
  ///
  /// - Parameter rows: Row keys by place.
  func byKey(_ rows: [RowKey]) -> [RowKey: Sums] {
    Dictionary(uniqueKeysWithValues: sumsOfRows.indices.map { (places.key($0, rows), sumsOfRows[$0]) })
  }
}

/// Numbers the rows of ``UnitRows`` with each of their currencies.
struct CurrencyPlaces {
  /// The row's place and ``ReportCurrency/code(_:)``, by place.
  private(set) var keys: [(row: Int, code: Int64)] = []
  /// The codes and places of each row.
  private var places: [[(code: Int64, place: Int)]] = []

  @inline(__always)
  mutating func place(_ row: Int, _ code: Int64) -> Int {
    // A row has few currencies, so a linear search is enough.
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

  /// Returns the key of a place: the row's key followed by the currency.
  ///
  /// - Parameter rows: Row keys by place.
  func key(_ place: Int, _ rows: [RowKey]) -> RowKey {
    let (row, code) = keys[place]
    return RowKey(app: rows[row].app, codes: rows[row].codes + [code])
  }
}
