/// Stored spend of the days of new spend that is split in another way, so that both together may count it twice.
public struct SpendOverlap: Sendable {
  /// The stored rows.
  public private(set) var stored: [SpendRow] = []
  /// The parts that these rows are split by, in order; empty for totals.
  public private(set) var storedParts: [String] = []
  /// The parts that the new rows are split by.
  public private(set) var newParts: [String] = []

  /// The number of days of ``stored``.
  public var dayCount: Int { Set(stored.map(\.day.daysSince1970)).count }

  /// - Returns: `nil` if no spend is split in another way. Spend of different sources is different spend.
  public init?(stored: [SpendRow], new: [SpendRow]) {
    let bySource = Dictionary(grouping: new, by: \.slice.source)
    for source in bySource.keys.sorted() {
      let rows = bySource[source] ?? []
      let days = Set(rows.map(\.day.daysSince1970))
      let others = stored.filter { row in
        days.contains(row.day.daysSince1970) && (row.slice.source == source || row.slice.source == "" || source == "")
      }
      let (own, theirs) = (Self.parts(of: rows), Self.parts(of: others))
      if others.isEmpty || own == theirs { continue }
      self.stored += others
      (storedParts, newParts) = (theirs, own)
    }
    if self.stored.isEmpty { return nil }
  }

  private static func parts(of rows: [SpendRow]) -> [String] {
    let parts: [(String, KeyPath<SpendRow.Slice, String>)] = [
      ("source", \.source), ("campaign", \.campaign), ("ad_group", \.adGroup), ("country", \.country),
      ("platform", \.platform),
    ]
    return parts.filter { part in rows.contains { !$0.slice[keyPath: part.1].isEmpty } }.map(\.0)
  }
}
