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

  /// Returns the subscription ids in the order of their numbers.
  ///
  /// - Parameter text: The text of the person's rows.
  func codedSubscriptions(in text: UnsafeRawBufferPointer) -> [CodedID] {
    subscriptions.ids.map { id in
      if id.form == .uuid {
        return .uuid(withUnsafeBytes(of: (id.first.bigEndian, id.second.bigEndian)) { [UInt8]($0) })
      }
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
  /// Of more than ``few``: their places by hash, of equal hashes the last one.
  private var places: [Int: Int32] = [:]
  /// By place, the one before with the same hash; -1 for none.
  private var earlier: [Int32] = []
  /// Up to this a look through all is faster.
  private static let few = 16

  mutating func removeAll() {
    ids.removeAll(keepingCapacity: true)
    if earlier.isEmpty { return }
    places = [:]
    earlier = []
  }

  /// - Parameter text: That of the person's rows.
  mutating func number(of id: RowID, in text: UnsafeRawBufferPointer) -> Int32 {
    if id.form == .absent { return 0 }
    if ids.count < Self.few {
      for index in ids.indices where RowID.areEqual(ids[index], in: text, id, in: text) { return Int32(index + 1) }
      ids.append(id)
      return Int32(ids.count)
    }
    if earlier.isEmpty { for id in ids { note(id, hash: id.hash(in: text)) } }
    let hash = id.hash(in: text)
    var place = places[hash] ?? -1
    while place >= 0 {
      if RowID.areEqual(ids[Int(place)], in: text, id, in: text) { return place + 1 }
      place = earlier[Int(place)]
    }
    note(id, hash: hash)
    ids.append(id)
    return Int32(ids.count)
  }

  private mutating func note(_ id: RowID, hash: Int) {
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
