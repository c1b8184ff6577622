internal import Lifecycle
internal import Store

/// Reads the columns of the current row one after the other, with names as numbers of a store.
protocol ColumnReader {
  var input: RowInput { get }
  var intake: FactIntake { get }
  /// The index of the next column.
  var place: Int { get set }
}

extension ColumnReader {
  mutating func next() -> Int {
    place += 1
    return place - 1
  }

  mutating func bytes() throws -> [UInt8]? { try input.bytes(next()) }
  mutating func text() throws -> String? { try input.text(next()) }
  mutating func optional() throws -> Int64? { try input.integer(next()) }
  mutating func integer() throws -> Int64 {
    let column = next()
    return try input.required(input.integer(column), column)
  }

  mutating func flag() throws -> Bool {
    let column = next()
    return try input.required(input.text(column), column) == "true"
  }

  mutating func name() throws -> NameID {
    let intake = intake
    return try input.withBytes(next()) { bytes in try bytes.map { try intake.name($0) } ?? 0 }
  }

  mutating func offer() throws -> Offer {
    Offer(product: try name(), offering: try name(), type: try name(), code: try name())
  }

  func known<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw WorkerFault(.data, "row \(input.count), column \(place): is not what a fold writes") }
    return value
  }

  mutating func context() throws -> Context {
    Context(experiment: try name(), variant: try name(), paywall: try name(), entryPoint: try name())
  }
}
