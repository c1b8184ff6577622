internal import EventModel
internal import Store

/// Reads rows of cells and writes them to a store.
struct CellRowReader: ColumnReader {
  let input: RowInput
  let intake: FactIntake
  var place = 0

  /// Reads rows with the columns of ``WorkerProtocol/Tag/cell``; rows that remove units must come after those that add
  /// them.
  mutating func run() throws {
    while try input.next(columns: WorkerProtocol.columns(of: .cell).count) {
      place = 0
      let app = try name()
      let family = try known(FactText.family(text()))
      var cellKey = CellKey(app: app, context: try context())
      if let plan = try text() { cellKey.plan = Int8(try known(Plan(name: plan)).rawValue) }
      cellKey.isFamilyTier = try flag()
      cellKey.trialKind = try known(FactText.trialKind(text())).rawValue
      cellKey.offer = try offer()
      let client = (try name(), try name(), try name(), try name())
      let currency = try name()
      let units = try integer()
      let bytes = try input.base64(next())
      let number =
        family == .exposure
        ? try intake.client(
          app: app, platform: client.0, store: client.1, country: client.2, appVersion: client.3) : currency
      try intake.add(family, cellKey, number: number, units: bytes, isTakenAway: units < 0)
    }
  }
}
