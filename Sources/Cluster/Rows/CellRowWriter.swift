internal import EventModel
internal import Lifecycle
internal import Store

/// Collects the cells of a worker's persons and writes them as rows: see ``WorkerProtocol/columns(of:)``.
struct CellRowWriter {
  private let sink: PackOutput
  /// Cells of persons as they are now, and as an earlier build counted them.
  private var cells = MonthCells()
  private var formerCells = MonthCells()

  init(_ sink: PackOutput) { self.sink = sink }

  /// - Parameter isFormer: Whether an earlier build counted these facts, so that they are subtracted.
  mutating func add(
    _ facts: borrowing PersonFacts, app: [UInt8], isFormer: Bool, _ dictionaries: inout PartitionDictionaries
  ) throws {
    let app = dictionaries.number(ofName: app)
    if isFormer { formerCells.add(facts, app: app) } else { cells.add(facts, app: app) }
    if cells.isFull || formerCells.isFull { try write(dictionaries) }
  }

  /// Writes all cells added so far; later ones may use other dictionaries.
  mutating func write(_ dictionaries: borrowing PartitionDictionaries) throws {
    for cell in cells.take() { try write(cell, cell.unitCount, dictionaries) }
    for cell in formerCells.take() { try write(cell, -cell.unitCount, dictionaries) }
    cells = MonthCells()
    formerCells = MonthCells()
  }

  private func write(_ cell: MonthCell, _ units: Int, _ dictionaries: borrowing PartitionDictionaries) throws {
    dictionaries.names.withBytes(UInt32(cell.cellKey.app)) { app in
      sink.begin(.cell, app: app, user: app, instant: Int64(cell.month.daysSince1970) * 86_400_000)
      sink.append(app)
    }
    sink.append(FactText.text(cell.family))
    sink.append(cell.cellKey.context, dictionaries)
    sink.append(
      cell.cellKey.plan < 0 ? nil : Plan(rawValue: UInt8(cell.cellKey.plan))?.name, cell.cellKey.isFamilyTier,
      TrialKind(rawValue: cell.cellKey.trialKind).flatMap { FactText.text($0) })
    sink.append(cell.cellKey.offer, dictionaries)
    // Client 0 is no client.
    sink.append(client: cell.family == .exposure ? cell.number : 0, dictionaries)
    if cell.family == .exposure { sink.appendNull() } else { sink.append(names: cell.number, from: dictionaries) }
    sink.append(units, Base64.text(of: cell.units))
    try sink.endRow()
  }
}
