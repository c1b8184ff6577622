internal import EventModel
internal import GRDB

/// Returns the numbers of users in batches, from memory while they fit, otherwise from the store.
///
/// In memory, a user is identified by 128 bits of two hashes of app and name; in the store, the name itself is
/// compared.
final class UserDirectory {
  /// The number of users from which on the memory is cleared before a batch, and the store is asked instead. Each takes
  /// 24 bytes, and a slot or two of four bytes.
  private static let memoryLimit = 1 << 20

  private struct Key: Equatable {
    var hash: UInt64
    var check: UInt64
  }

  @exclusivity(unchecked) private var users = RowInterner<Key>()
  /// The store's number of each of ``users``.
  @exclusivity(unchecked) private var ids: [Int32] = []
  /// Whether every user of the store is in memory, so that a user that is not found is new.
  private var isComplete: Bool
  @exclusivity(unchecked) private(set) var nextID: Int32

  private let insertUser: RowInsert
  @exclusivity(unchecked) private var newUsers = RowValues()
  private let find: SQLiteStatement
  private let keys: EventIDIndex

  init(_ db: Database) throws {
    insertUser = try RowInsert(db, into: "main.user", columns: 4, textColumn: 2)
    find = try SQLiteStatement(db, "SELECT 1 FROM user WHERE id = ?1 AND app = ?2 AND name = ?3")
    keys = try EventIDIndex(db, table: "user_key", roomyFilterBytes: 2 << 20)
    nextID = (try Int32.fetchOne(db, sql: "SELECT MAX(id) FROM user") ?? 0) + 1
    isComplete = nextID == 1
  }

  /// Returns the store's numbers of a batch's users, and adds new users.
  ///
  /// - Parameter names: The store's numbers of the batch's names.
  func resolve(_ batch: EventBatch, names: [Int32]) throws -> [Int32] {
    if ids.count >= Self.memoryLimit { removeIndex() }
    return try batch.text.withUnsafeBytes { text in
      var resolved = [Int32](repeating: 0, count: batch.users.count)
      var missing: [Int] = []
      for (index, user) in batch.users.enumerated() {
        let check = ByteHash.hash(
          text.slice(user.name), seed: UInt64(bitPattern: Int64(names[Int(user.app)])) ^ 0x6A09_E667_F3BC_C908)
        let number = Int(users.intern(Key(hash: user.hash, check: check), hash: user.hash))
        if number < ids.count { resolved[index] = ids[number] } else { missing.append(index) }
      }
      if !isComplete { try lookUp(missing, batch, names, text, &resolved) }
      var added: [HashKey] = []
      added.reserveCapacity(missing.count)
      for index in missing {
        if resolved[index] == 0 {
          let user = batch.users[index]
          newUsers.append(nextID)
          newUsers.append(names[Int(user.app)])
          newUsers.append(text: text.slice(user.name))
          newUsers.append(nextID)
          resolved[index] = nextID
          added.append(HashKey(hash: user.hash, user: nextID))
          nextID += 1
        }
        ids.append(resolved[index])
      }
      try insertUser.run(&newUsers)
      try keys.append(HashOrder.places(count: added.count) { added[$0].hash }.map { added[Int($0)] })
      return resolved
    }
  }

  /// Finds users in the store.
  private func lookUp(
    _ missing: [Int], _ batch: EventBatch, _ names: [Int32], _ text: UnsafeRawBufferPointer, _ resolved: inout [Int32]
  ) throws {
    let order = missing.sorted { batch.users[$0].hash < batch.users[$1].hash }
    let sorted = order.map { HashKey(hash: batch.users[$0].hash, user: 0) }
    try keys.forEachMatch(of: sorted) { place, stored in
      let user = batch.users[order[place]]
      find.bind(all: stored, names[Int(user.app)])
      find.bindText(3, text.slice(user.name))
      defer { find.reset() }
      if try find.step() { resolved[order[place]] = stored }
    }
  }

  /// Gives the memory for finding users back; from then on, the store is asked.
  func removeIndex() { (users, ids, isComplete) = (RowInterner(), [], false) }
}
