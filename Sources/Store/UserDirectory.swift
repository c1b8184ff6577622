internal import EventModel
internal import GRDB

/// Numbers the users of batches: from memory while they fit, else from the store.
///
/// In memory a user is known by 128 bits of two hashes of app and name; in the store the name itself is compared.
final class UserDirectory {
  /// Beyond this many users the memory is emptied and the store asked: 24 bytes a slot, 200 MB at most.
  private static let memoryLimit = 4_000_000

  private var hashes: [UInt64] = []
  private var checks: [UInt64] = []
  private var ids: [Int32] = []
  private var count = 0
  /// Whether every user of the store is in memory, so that one not found is new.
  private var isComplete: Bool
  private(set) var nextID: Int32

  private let insertUser: SQLiteStatement
  private let insertKey: SQLiteStatement
  private let find: SQLiteStatement

  init(_ db: Database) throws {
    insertUser = try SQLiteStatement(db, "INSERT INTO user (id, app, name, person) VALUES (?1, ?2, ?3, ?1)")
    insertKey = try SQLiteStatement(db, "INSERT INTO user_key (hash, user) VALUES (?, ?)")
    find = try SQLiteStatement(
      db,
      """
      SELECT user.id
      FROM user_key
      JOIN user ON user.id = user_key.user
      WHERE user_key.hash = ?1 AND user.app = ?2 AND user.name = ?3
      """)
    nextID = (try Int32.fetchOne(db, sql: "SELECT MAX(id) FROM user") ?? 0) + 1
    isComplete = nextID == 1
    clear(capacity: 1 << 16)
  }

  /// Returns the store's numbers of the batch's users, adding those that are new.
  ///
  /// - Parameter appIDs: The store's names of the batch's names.
  func resolve(_ batch: EventBatch, names: [Int32]) throws -> [Int32] {
    var resolved = [Int32](repeating: 0, count: batch.users.count)
    var added: [(hash: UInt64, id: Int32)] = []
    try batch.text.withUnsafeBytes { text in
      for (index, user) in batch.users.enumerated() {
        let name = UnsafeRawBufferPointer(rebasing: text[Int(user.name.offset)...].prefix(Int(user.name.length)))
        let app = names[Int(user.app)]
        let check = ByteHash.hash(name, seed: UInt64(bitPattern: Int64(app)) ^ 0x6A09_E667_F3BC_C908)
        var slot = Int(truncatingIfNeeded: user.hash) & (ids.count - 1)
        while ids[slot] != 0 && !(hashes[slot] == user.hash && checks[slot] == check) {
          slot = (slot + 1) & (ids.count - 1)
        }
        if ids[slot] == 0 {
          var id = isComplete ? nil : try stored(hash: user.hash, app: app, name: name)
          if id == nil {
            id = nextID
            nextID += 1
            insertUser.bind(1, nextID - 1)
            insertUser.bind(2, app)
            insertUser.bindText(3, name)
            try insertUser.run()
            added.append((user.hash, nextID - 1))
          }
          ids[slot] = id ?? 0
          hashes[slot] = user.hash
          checks[slot] = check
          count += 1
          resolved[index] = ids[slot]
          if count * 3 > ids.count * 2 { grow() }
        } else {
          resolved[index] = ids[slot]
        }
      }
    }
    // In order of the key, so that neighbours share a page.
    added.sort { Int64(bitPattern: $0.hash) < Int64(bitPattern: $1.hash) }
    for user in added {
      insertKey.bind(1, Int64(bitPattern: user.hash))
      insertKey.bind(2, user.id)
      try insertKey.run()
    }
    return resolved
  }

  private func stored(hash: UInt64, app: Int32, name: UnsafeRawBufferPointer) throws -> Int32? {
    find.bind(1, Int64(bitPattern: hash))
    find.bind(2, app)
    find.bindText(3, name)
    defer { find.reset() }
    return try find.step() ? find.int32(0) : nil
  }

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
