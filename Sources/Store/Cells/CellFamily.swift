internal import EventModel

/// A kind of cell, by the units that it holds.
///
/// A cell holds the units of one ``CellKey`` and UTC day. Units hold instants, not states: a report works out what has
/// matured at its as-of when it reads them, so a cell changes only when the facts of its persons change.
public enum CellFamily: Int, CaseIterable, Sendable {
  /// Funnel entries (definitions 3.1), by the day of the entry.
  case entry
  /// Trials, by the day of their start.
  case trial
  /// Purchases (definitions 2.9), by the day of the first payment.
  case purchase
  /// Users exposed to an experiment, by the day of the exposure that `PersonUnits.completeExposures` keeps.
  case exposure
  /// The first trials of exposed users, by the day of the exposure.
  case exposedTrial
  /// The revenue from exposed users, by the day of the exposure.
  case exposedRevenue

  private static let names = CaseNames<CellFamily>()

  var table: String { "\(Self.names[self])_cell" }

  /// The fact tables that the family's units are computed from.
  var factTables: Set<FactTable> {
    switch self {
    case .entry: [.entry, .trial, .conversion, .spell]
    case .trial: [.trial]
    case .purchase: [.spell]
    case .exposure, .exposedTrial, .exposedRevenue: [.exposure]
    }
  }

  var layout: UnitLayout {
    switch self {
    case .entry: EntryUnit.layout
    case .trial: TrialUnit.layout
    case .purchase: PurchaseUnit.layout
    case .exposure: ExposureUnit.layout
    case .exposedTrial: ExposedTrialUnit.layout
    case .exposedRevenue: ExposedRevenueUnit.layout
    }
  }

  /// Returns the key of a row: the number of the units' ``CellKey``, then the day.
  static func rowID(cellKey: Int32, day: Int64) -> Int64 { Int64(cellKey) << 16 | day }

  static func rowIDs(cellKey: Int32, days: ClosedRange<Int64>) -> ClosedRange<Int64> {
    rowID(cellKey: cellKey, day: days.lowerBound)...rowID(cellKey: cellKey, day: days.upperBound)
  }

  /// The days since 1970 that a row can have.
  public static let days: ClosedRange<Int64> = 0...65_535

  static func day(of rowID: Int64) -> Int64 { rowID & 65_535 }

  static func cellKey(of rowID: Int64) -> Int64 { rowID >> 16 }

  /// Returns the statements that drop ``Schema/cellTables(schema:)``.
  static func dropSQL(schema: String) -> [String] {
    (["trial_length", "money_block"] + allCases.map(\.table)).map { "DROP TABLE IF EXISTS \(schema).\($0)" }
  }
}
