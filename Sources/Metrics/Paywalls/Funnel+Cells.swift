internal import Lifecycle
internal import Store

extension Funnel {
  /// Definitions 3.1 to 3.4 of `--unit user` from cells.
  ///
  /// - Parameter lastMature: By app, the last instant of an entry that is matured.
  static func cells(_ cells: CellQuery, lastMature: [NameID: Int64]) throws -> [CellKey: Cell] {
    var rows: [CellKey: Cell] = [:]
    try cells.forEachRow(.entry) { key, origin, scan in
      let last = lastMature[origin.app] ?? .min
      var cell = Cell()
      try scan { entries in
        entries.forEachEntry { entry in
          guard entry.ts <= last else {
            cell.immature += 1
            return
          }
          cell.users += 1
          if entry.hasTrial { cell.trial += 1 }
          if entry.hasTrialPaid { cell.trialPaid += 1 }
          if entry.hasDirect { cell.direct += 1 }
          if entry.hasTrialPaid || entry.hasDirect {
            cell.paid += 1
          } else if entry.hasPurchase {
            cell.paidLater += 1
          }
        }
      }
      if cell.users + cell.immature > 0 { rows[key, default: Cell()].add(cell) }
    }
    return rows
  }
}
