import GRDBSQLite

/// An id as the store codes it (see ``CodedText``).
enum CodedID: Equatable {
  case integer(Int64)
  case uuid([UInt8])
  case text([UInt8])
}

/// Numbers the subscription and transaction ids of one person, from 1: equal ids, equal numbers.
struct PersonIDs {
  private var subscriptions: [CodedID] = []
  private var transactions: [CodedID] = []

  mutating func removeAll() {
    subscriptions.removeAll(keepingCapacity: true)
    transactions.removeAll(keepingCapacity: true)
  }

  func subscription(_ number: Int32) -> CodedID? {
    number == 0 ? nil : subscriptions[Int(number) - 1]
  }

  mutating func numberOfSubscription(_ row: SQLiteStatement, _ column: Int32) -> Int32 {
    Self.number(of: row, column, in: &subscriptions)
  }

  mutating func numberOfTransaction(_ row: SQLiteStatement, _ column: Int32) -> Int32 {
    Self.number(of: row, column, in: &transactions)
  }

  private static func number(of row: SQLiteStatement, _ column: Int32, in list: inout [CodedID]) -> Int32 {
    switch row.type(column) {
    case SQLITE_INTEGER:
      let value = row.int64(column)
      for (index, id) in list.enumerated() {
        if case .integer(value) = id { return Int32(index + 1) }
      }
      list.append(.integer(value))
    case SQLITE_BLOB:
      let bytes = row.bytes(column)
      for (index, id) in list.enumerated() {
        if case .uuid(let known) = id, known.elementsEqual(bytes) { return Int32(index + 1) }
      }
      list.append(.uuid([UInt8](bytes)))
    default:
      let bytes = row.bytes(column)
      for (index, id) in list.enumerated() {
        if case .text(let known) = id, known.elementsEqual(bytes) { return Int32(index + 1) }
      }
      list.append(.text([UInt8](bytes)))
    }
    return Int32(list.count)
  }
}

extension SQLiteStatement {
  func bind(_ index: Int32, _ id: CodedID?) {
    switch id {
    case nil: bindNull(index)
    case .integer(let value): bind(index, value)
    case .uuid(let bytes): bytes.withUnsafeBytes { bindCopy(index, blob: $0) }
    case .text(let bytes): bind(index, String(decoding: bytes, as: UTF8.self))
    }
  }
}
