internal import EventModel
internal import GRDB

/// Returns the numbers of users in batches, from memory while they fit, otherwise from the store.
///
/// In memory, a user is identified by 128 bits of two hashes of app and name; in the store, the name itself is
/// compared.
final class UserDirectory {
  /// The number of users at which the memory is cleared and the store is asked instead: 20 bytes a slot, 42 MB at most.
  private static let memoryLimit = 1_398_000

  @exclusivity(unchecked) private var hashes: [UInt64] = []
  @exclusivity(unchecked) private var checks: [UInt64] = []
  @exclusivity(unchecked) private var ids: [Int32] = []
  @exclusivity(unchecked) private var count = 0
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
    keys = try EventIDIndex(db, table: "user_key", leastFilterBytes: 8 << 20)
    nextID = (try Int32.fetchOne(db, sql: "SELECT MAX(id) FROM user") ?? 0) + 1
    isComplete = nextID == 1
    clear(capacity: 1 << 16)
  }

  /// Returns the store's numbers of a batch's users, and adds new users.
  ///
  /// - Parameter names: The store's numbers of the batch's names.
  func resolve(_ batch: EventBatch, names: [Int32]) throws -> [Int32] {
    try batch.text.withUnsafeBytes { text in
      var resolved = [Int32](repeating: 0, count: batch.users.count)
      var missing: [Int] = []
      for (index, user) in batch.users.enumerated() {
        resolved[index] = remembered(user, app: names[Int(user.app)], text.slice(user.name))
        if resolved[index] == 0 { missing.append(index) }
      }
      if !isComplete { missing = try lookUp(missing, batch, names, text, &resolved) }
      var added: [HashKey] = []
      added.reserveCapacity(missing.count)
      for index in missing {
        let user = batch.users[index]
        newUsers.append(nextID)
        newUsers.append(names[Int(user.app)])
        newUsers.append(text: text.slice(user.name))
        newUsers.append(nextID)
        remember(user, app: names[Int(user.app)], text.slice(user.name), id: nextID)
        resolved[index] = nextID
        added.append(HashKey(hash: user.hash, user: nextID))
        nextID += 1
      }
      try insertUser.run(&newUsers)
      try keys.append(HashOrder.places(count: added.count) { added[$0].hash }.map { added[Int($0)] })
      return resolved
    }
  }

  /// Finds users in the store, and returns those that it does not have.
  private func lookUp(
    _ missing: [Int], _ batch: EventBatch, _ names: [Int32], _ text: UnsafeRawBufferPointer, _ resolved: inout [Int32]
  ) throws -> [Int] {
    let order = missing.sorted { batch.users[$0].hash < batch.users[$1].hash }
    let sorted = order.map { HashKey(hash: batch.users[$0].hash, user: 0) }
    var found = resolved
    try keys.forEachMatch(of: sorted) { place, stored in
      let user = batch.users[order[place]]
      find.bind(all: stored, names[Int(user.app)])
      find.bindText(3, text.slice(user.name))
      defer { find.reset() }
      if try find.step() { found[order[place]] = stored }
    }
    resolved = found
    for index in missing where found[index] != 0 {
      let user = batch.users[index]
      remember(user, app: names[Int(user.app)], text.slice(user.name), id: found[index])
    }
    return missing.filter { found[$0] == 0 }
  }

  private static func check(app: Int32, _ name: UnsafeRawBufferPointer) -> UInt64 {
    ByteHash.hash(name, seed: UInt64(bitPattern: Int64(app)) ^ 0x6A09_E667_F3BC_C908)
  }

  /// Returns the number of a user in memory; 0 if it is not there.
  private func remembered(_ user: BatchUser, app: Int32, _ name: UnsafeRawBufferPointer) -> Int32 {
    let check = Self.check(app: app, name)
    var slot = Int(truncatingIfNeeded: user.hash) & (ids.count - 1)
    while ids[slot] != 0 && !(hashes[slot] == user.hash && checks[slot] == check) {
      slot = (slot + 1) & (ids.count - 1)
    }
    return ids[slot]
  }

  private func remember(_ user: BatchUser, app: Int32, _ name: UnsafeRawBufferPointer, id: Int32) {
    if count * 3 > ids.count * 2 { grow() }
    var slot = Int(truncatingIfNeeded: user.hash) & (ids.count - 1)
    while ids[slot] != 0 { slot = (slot + 1) & (ids.count - 1) }
    ids[slot] = id
    hashes[slot] = user.hash
    checks[slot] = Self.check(app: app, name)
    count += 1
  }

  /// Gives the memory for finding users back; none can be asked for afterwards.
  func removeIndex() { clear(capacity: 0) }

  private func clear(capacity: Int) {
    hashes = [UInt64](repeating: 0, count: capacity)
    checks = [UInt64](repeating: 0, count: capacity)
    ids = [Int32](repeating: 0, count: capacity)
    count = 0
  }

  private func grow() {
    if count >= Self.memoryLimit {
      isComplete = false
      clear(capacity: ids.count)
      return
    }
    let old = (hashes: hashes, checks: checks, ids: ids)
    let kept = count
    clear(capacity: old.ids.count * 2)
    count = kept
    for index in old.ids.indices where old.ids[index] != 0 {
      var slot = Int(truncatingIfNeeded: old.hashes[index]) & (ids.count - 1)
      while ids[slot] != 0 { slot = (slot + 1) & (ids.count - 1) }
      ids[slot] = old.ids[index]
      hashes[slot] = old.hashes[index]
      checks[slot] = old.checks[index]
    }
  }
}
