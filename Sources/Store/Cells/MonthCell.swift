public import EventModel
public import Lifecycle

/// The units of one family, ``CellKey`` and UTC month, in a form independent of any store.
///
/// A store's cell covers a day, in which few persons have few units; a month of units is worth a row of its own.
/// Numbers from a dictionary are moved out of the units, because each store has dictionaries of its own.
public struct MonthCell {
  public var family: CellFamily
  public var cellKey: CellKey
  /// The currency of purchases and revenues, or the client of exposures; 0 for other families.
  public var number: Int32
  /// The first day of the month.
  public var month: CivilDate
  public var unitCount: Int
  /// The units as ``UnitLayout`` encodes them; each starts with its day since 1970 and has 0 in the place of
  /// ``number``.
  public var units: [UInt8]
}

/// Collects the units of persons whose facts were folded with the stored options.
public struct MonthCells {
  /// The maximum number of fields held in memory: 32 MB.
  private static let limit = 4_000_000

  private let cellKeys = CellKeyNumbers()
  private var units = PersonUnits()
  private var rows = CellRows()

  private struct Key: Hashable {
    var cellKey: Int32
    var number: Int32
    var month: Int32
  }

  public init() {}

  public var isFull: Bool { rows.count >= Self.limit }

  /// Adds the units of a person's facts.
  public mutating func add(_ facts: borrowing PersonFacts, app: NameID) {
    units.set(facts, app: app, cellKeys)
    rows.append(units)
  }

  /// Returns all units added so far and clears them, in the order of family, first appearance of the cell key,
  /// ``MonthCell/number`` and month.
  public mutating func take() -> [MonthCell] {
    defer { rows.removeAll() }
    return CellFamily.allCases.flatMap { family in
      let layout = family.monthLayout
      return Self.cells(of: rows.families[family.rawValue], family).map { key, fields in
        MonthCell(
          family: family, cellKey: cellKeys.cellKey(key.cellKey), number: key.number,
          month: CivilDate(year: Int(key.month) / 12, month: Int(key.month) % 12 + 1, day: 1),
          unitCount: fields.count / layout.fields, units: layout.encode(layout.sorted(fields)))
      }
    }
  }

  private static func cells(of numbers: [Int64], _ family: CellFamily) -> [(key: Key, fields: [Int64])] {
    var places: [Key: Int] = [:]
    var cells: [(key: Key, fields: [Int64])] = []
    let width = 1 + family.layout.fields
    let named = family.dictionaryField.map { 1 + $0 }
    var last: (day: Int64, month: Int32) = (.min, 0)
    for start in stride(from: 0, to: numbers.count, by: width) {
      let day = CellFamily.day(of: numbers[start])
      if day != last.day {
        let date = CivilDate(daysSince1970: Int(day))
        last = (day, Int32(date.year * 12 + date.month - 1))
      }
      let key = Key(
        cellKey: Int32(CellFamily.cellKey(of: numbers[start])), number: named.map { Int32(numbers[start + $0]) } ?? 0,
        month: last.month)
      let place = places[key] ?? cells.count
      if place == cells.count {
        places[key] = place
        cells.append((key, []))
      }
      cells[place].fields.append(day)
      for field in 1..<width { cells[place].fields.append(field == named ? 0 : numbers[start + field]) }
    }
    return cells.sorted { left, right in
      let (left, right) = (left.key, right.key)
      return (left.cellKey, left.number, left.month) < (right.cellKey, right.number, right.month)
    }
  }
}

/// Sums the units of one ``MonthCell`` from several builds.
public struct MonthCellSum {
  private let layout: UnitLayout
  private var added: [Int64] = []
  private var taken: [Int64] = []

  public init(_ family: CellFamily) { layout = family.monthLayout }

  public mutating func add(units: [UInt8], isTakenAway: Bool) {
    let fields = units.withUnsafeBytes { layout.decode($0) }
    if isTakenAway { taken.append(contentsOf: fields) } else { added.append(contentsOf: fields) }
  }

  /// Returns the remaining units; `nil` if more units were removed than added.
  public func units() -> (count: Int, bytes: [UInt8])? {
    guard let left = layout.subtract(layout.sorted(taken), from: layout.sorted(added)) else { return nil }
    return (left.count / layout.fields, layout.encode(left))
  }
}

extension CellFamily {
  /// The place of the field with the number of a client or a currency.
  fileprivate var dictionaryField: Int? {
    switch self {
    case .purchase: 5
    case .exposure, .exposedRevenue: 1
    case .entry, .trial, .exposedTrial: nil
    }
  }

  /// The layout of units that start with their day.
  fileprivate var monthLayout: UnitLayout { UnitLayout(storesDistance: [true] + layout.storesDistance) }
}

extension CellRows {
  /// Creates the rows that the units of a ``MonthCell`` add to the cells of a store.
  init(_ family: CellFamily, _ cellKey: CellKey, cellKeyNumber: Int32, number: Int32, units: [UInt8]) {
    self.init()
    let named = family.dictionaryField.map { 1 + $0 }
    let isIntroductory = family == .trial && cellKey.trialKind == TrialKind.introductory.rawValue
    units.withUnsafeBytes { bytes in
      let layout = family.monthLayout
      layout.forEach(in: bytes) { unit in
        append(family, cellKeyNumber, instant: unit[0] * day) { fields in
          for field in 1..<layout.fields { fields.append(field == named ? Int64(number) : unit[field]) }
        }
        if isIntroductory { append(length: unit[2], of: cellKey.app) }
      }
    }
  }
}
