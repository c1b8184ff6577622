internal import EventModel
internal import Lifecycle
internal import Store

/// Reads rows of cells back, and lays them into a store.
struct CellRowReader {
  private let input: RowInput
  private let intake: FactIntake
  /// Column of the row at hand.
  private var place = 0

  init(_ input: RowInput, _ intake: FactIntake) {
    self.input = input
    self.intake = intake
  }

  /// Rows have the columns of ``WorkerProtocol/Tag/cell``; those that take units away come behind those that have them.
  mutating func run() throws {
    while try input.next(columns: WorkerProtocol.columns(of: .cell).count) {
      place = 0
      let app = try name()
      let family = try known(FactText.family(text()))
      var origin = Origin(
        app: app,
        context: Context(experiment: try name(), variant: try name(), paywall: try name(), entryPoint: try name()))
      if let plan = try text() { origin.plan = Int8(try known(Plan(name: plan)).rawValue) }
      origin.isFamilyTier = try known(text()) == "true"
      origin.trialKind = try known(FactText.trialKind(text())).rawValue
      let client = (try name(), try name(), try name(), try name())
      let currency = try name()
      let units = try known(input.integer(next()))
      let column = next()
      let bytes = try input.withBytes(column) { try Base64.bytes(input.required($0, column)) }
      let number =
        family == .exposure
        ? try intake.client(
          app: app, platform: client.0, store: client.1, country: client.2, appVersion: client.3) : currency
      try intake.add(family, origin, number: number, units: bytes, isTakenAway: units < 0)
    }
  }

  private mutating func next() -> Int {
    place += 1
    return place - 1
  }

  private mutating func text() throws -> String? { try input.text(next()) }

  private mutating func name() throws -> NameID {
    let intake = intake
    return try input.withBytes(next()) { bytes in try bytes.map { try intake.name($0) } ?? 0 }
  }

  private func known<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw WorkerFault(.data, "row \(input.count), column \(place): is not what a fold writes") }
    return value
  }
}
