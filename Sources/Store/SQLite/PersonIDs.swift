/// An id in the form that the store's facts hold (see ``CodedText``).
enum CodedID: Equatable, Sendable {
  case integer(Int64)
  case uuid([UInt8])
  case text([UInt8])
}

/// Numbers the subscription and transaction ids of one person from 1; equal ids have equal numbers.
struct PersonIDs {
  private var subscriptions = NumberedIDs()
  private var transactions = NumberedIDs()

  mutating func removeAll() {
    subscriptions.removeAll()
    transactions.removeAll()
  }

  /// Gives memory back that is needed only to number further ids.
  mutating func end() {
    subscriptions.removeIndex()
    transactions.removeAll()
  }

  /// Returns the id of a subscription's number.
  func subscription(_ number: Int32) -> CodedID {
    let id = subscriptions.ids[Int(number) - 1]
    if id.form == .uuid {
      return .uuid(withUnsafeBytes(of: (id.first.bigEndian, id.second.bigEndian)) { [UInt8]($0) })
    }
    return subscriptions.text.withUnsafeBytes { text in
      let bytes = id.bytes(in: text)
      return CodedText.integer(bytes).map { .integer($0) } ?? .text([UInt8](bytes))
    }
  }

  mutating func numberOfSubscription(_ id: RowID, in text: UnsafeRawBufferPointer) -> Int32 {
    subscriptions.number(of: id, in: text)
  }

  mutating func numberOfTransaction(_ id: RowID, in text: UnsafeRawBufferPointer) -> Int32 {
    transactions.number(of: id, in: text)
  }
}

/// Ids in order of first sight, found by their bytes once there are many.
private struct NumberedIDs {
  private(set) var ids: [RowID] = []
  /// The bytes of those that are text.
  private(set) var text: [UInt8] = []
  /// Of more than ``few``: their places by hash, of equal hashes the last one.
  private var places: [Int: Int32] = [:]
  /// By place, the one before with the same hash; -1 for none.
  private var earlier: [Int32] = []
  /// Up to this a look through all is faster.
  private static let few = 16

  mutating func removeAll() {
    if earlier.isEmpty {
      ids.removeAll(keepingCapacity: true)
      text.removeAll(keepingCapacity: true)
    } else {
      self = NumberedIDs()
    }
  }

  mutating func removeIndex() { if !earlier.isEmpty { places = [:] } }

  /// - Parameter source: The text of the id's row.
  mutating func number(of id: RowID, in source: UnsafeRawBufferPointer) -> Int32 {
    if id.form == .absent { return 0 }
    if ids.count < Self.few {
      let place = text.withUnsafeBytes { text in
        ids.firstIndex { RowID.areEqual($0, in: text, id, in: source) }
      }
      if let place { return Int32(place + 1) }
      add(id, in: source)
      return Int32(ids.count)
    }
    if earlier.isEmpty { for id in ids { note(hash: text.withUnsafeBytes { id.hash(in: $0) }) } }
    let hash = id.hash(in: source)
    var place = places[hash] ?? -1
    while place >= 0 {
      if text.withUnsafeBytes({ RowID.areEqual(ids[Int(place)], in: $0, id, in: source) }) { return place + 1 }
      place = earlier[Int(place)]
    }
    note(hash: hash)
    add(id, in: source)
    return Int32(ids.count)
  }

  private mutating func add(_ id: RowID, in source: UnsafeRawBufferPointer) {
    var id = id
    if id.form == .text {
      let offset = text.count
      text.append(contentsOf: id.bytes(in: source))
      id.first = UInt64(offset)
    }
    ids.append(id)
  }

  private mutating func note(hash: Int) {
    let place = Int32(earlier.count)
    earlier.append(places[hash] ?? -1)
    places[hash] = place
  }
}

extension RowID {
  fileprivate func hash(in text: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    if form == .text {
      hasher.combine(bytes: bytes(in: text))
    } else {
      hasher.combine(first)
      hasher.combine(second)
    }
    return hasher.finalize()
  }
}
