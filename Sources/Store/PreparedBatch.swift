internal import EventModel

/// A batch with what the decoding thread can work out ahead for the one that stores.
struct PreparedBatch: Sendable {
  let batch: EventBatch
  /// The ids of the records, as the store codes them.
  let ids: [IDCode]
  /// The records in order of their ``EventRecord/identityHash``, then of their places.
  let byHash: [UInt32]

  /// An id as ``CodedText``, without its bytes where it is a text.
  enum IDCode: Sendable {
    case text
    case integer(Int64)
    case uuid(UInt64, UInt64)
  }

  init(_ batch: EventBatch) {
    self.batch = batch
    (ids, byHash) = batch.records.withUnsafeBufferPointer { records in
      batch.text.withUnsafeBytes { text in
        let ids = records.map { record -> IDCode in
          let bytes = text.slice(record.eventID)
          if let value = CodedText.integer(bytes) { return .integer(value) }
          if let uuid = CodedText.uuid(bytes) { return .uuid(uuid.0, uuid.1) }
          return .text
        }
        var byHash = (0..<UInt32(records.count)).map { (hash: records[Int($0)].identityHash, place: $0) }
        byHash.sort { $0.hash != $1.hash ? $0.hash < $1.hash : $0.place < $1.place }
        return (ids, byHash.map(\.place))
      }
    }
  }
}
