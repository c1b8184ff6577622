/// An id in the form that the store's facts hold (see ``CodedText``).
enum CodedID: Equatable, Sendable {
  case integer(Int64)
  case uuid([UInt8])
  case text([UInt8])
}

/// Numbers the subscription and transaction ids of one person from 1; equal ids have equal numbers.
struct PersonIDs {
  private var subscriptions: [RowID] = []
  private var transactions: [RowID] = []

  mutating func removeAll() {
    subscriptions.removeAll(keepingCapacity: true)
    transactions.removeAll(keepingCapacity: true)
  }

  /// Returns the subscription ids in the order of their numbers.
  ///
  /// - Parameter text: The text of the person's rows.
  func codedSubscriptions(in text: UnsafeRawBufferPointer) -> [CodedID] {
    subscriptions.map { id in
      if id.form == .uuid {
        return .uuid(withUnsafeBytes(of: (id.first.bigEndian, id.second.bigEndian)) { [UInt8]($0) })
      }
      let bytes = id.bytes(in: text)
      return CodedText.integer(bytes).map { .integer($0) } ?? .text([UInt8](bytes))
    }
  }

  mutating func numberOfSubscription(_ id: RowID, in text: UnsafeRawBufferPointer) -> Int32 {
    Self.number(of: id, text, in: &subscriptions)
  }

  mutating func numberOfTransaction(_ id: RowID, in text: UnsafeRawBufferPointer) -> Int32 {
    Self.number(of: id, text, in: &transactions)
  }

  private static func number(of id: RowID, _ text: UnsafeRawBufferPointer, in list: inout [RowID]) -> Int32 {
    if id.form == .absent { return 0 }
    for index in list.indices where RowID.areEqual(list[index], in: text, id, in: text) { return Int32(index + 1) }
    list.append(id)
    return Int32(list.count)
  }
}
