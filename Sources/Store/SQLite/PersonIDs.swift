internal import EventModel

/// Numbers the subscription and transaction ids of one person from 1; equal ids have equal numbers.
struct PersonIDs {
  private var subscriptions = ByteInterner()
  private var transactions = ByteInterner()

  /// Stands behind the 16 bytes of a UUID; no text ends with it, as it is no UTF-8.
  private static let uuidEnd = UInt8.max
  /// The number of ids up to which their memory is used again.
  private static let few = 1_024

  mutating func removeAll() {
    Self.removeAll(&subscriptions)
    Self.removeAll(&transactions)
  }

  private static func removeAll(_ ids: inout ByteInterner) {
    if ids.count > few { ids = ByteInterner() } else { ids.shrink(to: 1) }
  }

  /// Gives memory back that is needed only to number further ids.
  mutating func end() {
    if subscriptions.count > Self.few { subscriptions.removeIndex() }
    transactions = ByteInterner()
  }

  /// Returns the id of a ``PersonEvent/subscription`` or ``SpellFact/subscription``.
  func subscription(_ number: Int32) -> CodedID {
    subscriptions.withBytes(UInt32(number)) { bytes in
      if bytes.count == 17, bytes.last == Self.uuidEnd { return .uuid([UInt8](bytes.prefix(16))) }
      return CodedText.integer(bytes).map { .integer($0) } ?? .text([UInt8](bytes))
    }
  }

  mutating func numberOfSubscription(_ id: RowID, in text: UnsafeRawBufferPointer) -> Int32 {
    Self.number(of: id, in: text, &subscriptions)
  }

  mutating func numberOfTransaction(_ id: RowID, in text: UnsafeRawBufferPointer) -> Int32 {
    Self.number(of: id, in: text, &transactions)
  }

  private static func number(of id: RowID, in text: UnsafeRawBufferPointer, _ ids: inout ByteInterner) -> Int32 {
    switch id.form {
    case .absent: 0
    case .uuid:
      withUnsafeBytes(of: (id.first.bigEndian, id.second.bigEndian, uuidEnd)) {
        Int32(bitPattern: ids.intern(UnsafeRawBufferPointer(rebasing: $0[..<17])))
      }
    case .text: Int32(bitPattern: ids.intern(id.bytes(in: text)))
    }
  }
}

/// An id in the form that the store's facts hold (see ``CodedText``).
enum CodedID: Equatable, Sendable {
  case integer(Int64)
  case uuid([UInt8])
  case text([UInt8])
}
