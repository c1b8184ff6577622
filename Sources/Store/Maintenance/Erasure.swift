internal import Basics
internal import EventModel
internal import Foundation
internal import GRDB
internal import Ingest
internal import Lifecycle

/// Removes persons from the store as if none of their events had been read, inside one transaction.
///
/// It removes their events, ids, keys and facts, their contents in quarantine, and the dictionary texts that no other
/// event refers to. The manifest still lists the files.
struct Erasure {
  private let db: Database
  private let storePath: String
  /// The users to erase, including all users joined with them.
  let users: Set<Int32>
  /// All ids of the persons, as bytes because Swift considers texts that read the same to be equal.
  let names: Set<[UInt8]>
  private(set) var receipt = ForgetReceipt()

  private var apps = Set<NameID>()
  /// The apps that the erasure is limited to; empty for all apps.
  private var appNames = Set<[UInt8]>()
  /// The texts that identify the persons in lines that are not events: user ids, and ids in their events.
  private var ids: Set<[UInt8]>
  /// The app and event id of each removed event.
  private var events = Set<EventIdentity>()
  private var otherUsers = Set<Int32>()

  /// - Parameter apps: The apps in which to look for the id; empty for all apps.
  init(_ db: Database, storePath: String, user: String, apps: [String]) throws {
    self.db = db
    self.storePath = storePath
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id, name, app FROM user
        WHERE person IN (
          SELECT person FROM user JOIN name ON name.id = user.app
          WHERE user.name = ? \(apps.isEmpty ? "" : "AND name.text IN (\(apps.map { _ in "?" }.joined(separator: ", ")))")
        )
        """, arguments: StatementArguments([user] + apps))
    users = Set(try rows.map { try $0.required(0) })
    let known: [String] = try rows.map { try $0.required(1) }
    names = Set(known.map { Array($0.utf8) }).union([Array(user.utf8)])
    ids = names
    self.apps = Set(try rows.map { try $0.required(2) })
    appNames = Set(apps.map { Array($0.utf8) })
    receipt.ids = users.count
    receipt.persons =
      try Int.fetchOne(
        db, sql: "SELECT COUNT(DISTINCT person) FROM user WHERE id IN (\(Self.list(users)))") ?? 0
    receipt.apps = try String.fetchAll(
      db, sql: "SELECT text FROM name WHERE id IN (\(Self.list(self.apps))) ORDER BY text")
  }

  private static func list(_ numbers: some Sequence<Int32>) -> String {
    numbers.map(String.init).joined(separator: ", ")
  }

  mutating func run() throws {
    let freed = try freedConflicts()
    if !users.isEmpty { try removeEvents() }
    try removeLines()
    try removeUsers()
    receipt.names = try UnusedEntries.blank(db)
    try restore(freed)
  }

  private mutating func removeEvents() throws {
    let writer = try EventWriter(db, storePath: storePath)
    let clientApp = writer.dictionaries.forFold.clientApp
    // An event that mentions a person belongs to that person, too, whoever sent it.
    let users = users
    var (events, ids, otherUsers, count) = (Set<EventIdentity>(), Set<[UInt8]>(), Set<Int32>(), 0)
    try writer.removeStored {
      users.contains($0.rows[$1].user) || users.contains($0.rows[$1].previousUser)
    } _: { rows, place in
      let row = rows.rows[place]
      rows.text.withUnsafeBytes { text in
        let id = row.eventID.text(in: text)
        events.insert(EventIdentity(app: clientApp[Int(row.client)], id: id))
        for bytes in [id, row.subscriptionID.text(in: text), row.transactionID.text(in: text)]
        where bytes.count >= PersonalLine.leastBytes {
          ids.insert(bytes)
        }
      }
      for user in [row.user, row.previousUser] where user != 0 && !users.contains(user) { otherUsers.insert(user) }
      count += 1
    }
    try writer.finish()
    receipt.events = count
    self.events = events
    self.otherUsers.formUnion(otherUsers)
    self.ids.formUnion(ids)
  }

  /// Removes the persons' contents from quarantine, and returns those that must be read again because their stored
  /// events are about to be removed.
  private mutating func freedConflicts() throws -> [ReceivedContent] {
    let conflicts = try Conflicts(db)
    var waiting: [(id: EventIdentity, content: ReceivedContent)] = []
    for (id, content) in try Conflicts.all(db) {
      let fields = try JSONSerialization.jsonObject(with: Data(content.json)) as? [String: Any] ?? [:]
      let said = ["user_id", "previous_user_id"].compactMap { fields[$0] as? String }
      if apps.contains(id.app), said.contains(where: { names.contains(Array($0.utf8)) }) {
        try noteUsers(said, id.app)
        try conflicts.remove(content, of: id)
        receipt.conflicts += 1
      } else {
        waiting.append((id, content))
      }
    }
    if waiting.isEmpty || users.isEmpty { return [] }
    // The persons' events among them.
    let clientApp = try StoredDictionaries.clientApps(db)
    var gone = Set<EventIdentity>()
    try SortedRuns.forEachRow(db) { row, text in
      guard users.contains(row.user) || users.contains(row.previousUser) else { return }
      gone.insert(EventIdentity(app: clientApp[Int(row.client)], id: row.eventID.text(in: text)))
    }
    let freed = waiting.filter { gone.contains($0.id) }
    for (id, content) in freed { try conflicts.remove(content, of: id) }
    return freed.map(\.content)
  }

  /// Records users that may be known only from contents that are removed.
  private mutating func noteUsers(_ names: [String], _ app: NameID) throws {
    for name in names {
      let id = try Int32.fetchOne(db, sql: "SELECT id FROM user WHERE app = ? AND name = ?", arguments: [app, name])
      if let id, !users.contains(id) { otherUsers.insert(id) }
    }
  }

  /// Reads contents again that had been replaced by events of the persons.
  private func restore(_ freed: [ReceivedContent]) throws {
    if freed.isEmpty { return }
    let writer = try EventWriter(db, storePath: storePath)
    try writer.add(freed)
    try writer.finish()
    for (file, counts) in writer.counts {
      // The content was counted as a conflict of its file.
      try db.execute(
        sql: "UPDATE file SET events = events + ?1, conflicts = max(0, conflicts - ?1) WHERE id = ?2",
        arguments: [counts.events, file])
    }
  }

  /// Removes quarantined lines that contain an id of the persons.
  private mutating func removeLines() throws {
    let search = PersonalLine(ids: ids)
    // If the erasure is limited to apps, only lines that name one of them are removed.
    let ofApps = appNames.isEmpty ? nil : PersonalLine(ids: appNames)
    var gone: [(id: Int64, file: Int64)] = []
    for row in try Row.fetchAll(db, sql: "SELECT id, file, raw FROM rejected_line") {
      let line: Data = try row.required(2)
      let raw = [UInt8](line)
      if search.matches(raw), ofApps?.matches(raw) ?? true { gone.append(try (row.required(0), row.required(1))) }
    }
    for line in gone {
      try db.execute(sql: "DELETE FROM rejected_line WHERE id = ?", arguments: [line.id])
      try db.execute(sql: "UPDATE file SET quarantined = quarantined - 1 WHERE id = ?", arguments: [line.file])
    }
    receipt.quarantinedLines = gone.count
  }

  /// Removes the users, and users that only the persons' events had named.
  private func removeUsers() throws {
    var gone = users
    if !otherUsers.isEmpty {
      let seen = try UserSet(namedIn: db)
      gone.formUnion(otherUsers.filter { !seen.contains($0) })
    }
    if gone.isEmpty { return }
    for table in ["event_key", "user_key"] { try EventIDIndex.remove(db, from: table, users: gone) }
    try db.execute(sql: "DELETE FROM user WHERE id IN (\(Self.list(gone)))")
  }
}

/// Finds lines of any format that contain an id of a person.
struct PersonalLine {
  /// The minimum length of an event's id; shorter ids occur in other lines by chance.
  static let leastBytes = 8

  private let ids: Set<[UInt8]>

  init(ids: Set<[UInt8]>) {
    // The letters of a UUID mean the same in either case (RFC 9562, section 4).
    let uuids = ids.lazy.map { String(decoding: $0, as: UTF8.self) }.filter { UUID(uuidString: $0) != nil }
    self.ids = ids.union(uuids.flatMap { [Array($0.lowercased().utf8), Array($0.uppercased().utf8)] })
  }

  /// - Parameter isDecoded: Whether escapes are decoded already, which happens once.
  func matches(_ raw: [UInt8], isDecoded: Bool = false) -> Bool {
    if let value = try? JSONSerialization.jsonObject(with: Data(raw), options: .fragmentsAllowed) {
      return carries(value, key: "", isDecoded)
    }
    // The line is not JSON, or broken: the id must stand as a word of its own.
    if isEncoded(raw) { return true }
    if !isDecoded, let decoded = Self.decoded(raw), matches(decoded, isDecoded: true) { return true }
    let line = Data(raw)
    return ids.contains { id in
      var from = line.startIndex
      while let range = line.range(of: Data(id), in: from..<line.endIndex) {
        let isBegun = range.lowerBound > 0 && Self.isOfWord(line[range.lowerBound - 1])
        let goesOn = range.upperBound < line.endIndex && Self.isOfWord(line[range.upperBound])
        if !isBegun && !goesOn { return true }
        from = range.lowerBound + 1
      }
      return false
    }
  }

  /// Returns whether a part of the text is base64 of a text that contains an id, as in signed texts (RFC 7515) and in
  /// messages of Google Play.
  private func isEncoded(_ bytes: [UInt8]) -> Bool {
    bytes.split(whereSeparator: { !Self.isOfBase64($0) }).contains { word in
      guard word.count >= leastEncodedBytes else { return false }
      // A text that is cut short is read as far as it goes.
      let whole = word.prefix(word.count - (word.count % 4 == 1 ? 1 : 0))
      return SignedText.decode(String(decoding: whole, as: UTF8.self)).map { matches($0) } ?? false
    }
  }

  /// The length of the shortest id in base64.
  private var leastEncodedBytes: Int { (ids.map(\.count).min() ?? 0) * 4 / 3 }

  /// Without the padding at its end, which is not needed and may as well be the sign before a value.
  private static func isOfBase64(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || "-_+/".utf8.contains(byte) }

  private static func isOfID(_ byte: UInt8) -> Bool { isOfWord(byte) || ".@:$+".utf8.contains(byte) }

  /// The text without the escapes of addresses (`%40`) and of JSON (`\u0040`, `\/`); `nil` where it has none.
  private static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    var decoded: [UInt8] = []
    var units: [UInt16] = []
    func number(_ place: Int, _ digits: Int) -> UInt16? {
      guard place + digits <= bytes.count, bytes[place..<place + digits].allSatisfy(\.isASCIIAlphanumeric) else {
        return nil
      }
      return UInt16(String(decoding: bytes[place..<place + digits], as: UTF8.self), radix: 16)
    }
    var place = 0
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "u"),
        let unit = number(place + 2, 4)
      {
        units.append(unit)
        place += 6
        continue
      }
      decoded += String(decoding: units, as: UTF16.self).utf8
      units = []
      if bytes[place] == UInt8(ascii: "%"), let byte = number(place + 1, 2) {
        decoded.append(UInt8(byte))
        place += 3
      } else {
        if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count { place += 1 }
        decoded.append(bytes[place])
        place += 1
      }
    }
    decoded += String(decoding: units, as: UTF16.self).utf8
    return decoded.count < bytes.count ? decoded : nil
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte >= 0x80 || "_-".utf8.contains(byte)
  }

  private func isID(_ word: ArraySlice<UInt8>) -> Bool { word.count >= Self.leastBytes && ids.contains(Array(word)) }

  /// A word without the signs around it.
  private static func inner(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = word.firstIndex(where: isOfWord), let last = word.lastIndex(where: isOfWord) else { return [] }
    return word[first...last]
  }

  private func carries(_ value: Any, key: String, _ isDecoded: Bool) -> Bool {
    switch value {
    case let text as String:
      let bytes = Array(text.utf8)
      if ids.contains(bytes) { return true }
      // A string may hold another payload, such as one that a collector wrapped.
      if (text.first == "{" || text.first == "[") && matches(bytes) || isEncoded(bytes) { return true }
      if !isDecoded, let decoded = Self.decoded(bytes),
        carries(String(decoding: decoded, as: UTF8.self), key: key, true)
      {
        return true
      }
      // As in an address or a message, where a full stop may follow and `user:` may stand before it.
      return bytes.split(whereSeparator: { !Self.isOfID($0) }).contains { word in
        isID(word) || ([word] + word.split(separator: UInt8(ascii: ":"))).contains { isID(Self.inner($0)) }
      }
    case let number as NSNumber: return key.hasSuffix("id") && ids.contains(Array(number.stringValue.utf8))
    case let list as [Any]: return list.contains { carries($0, key: key, isDecoded) }
    case let object as [String: Any]:
      return object.contains { ids.contains(Array($0.key.utf8)) || carries($0.value, key: $0.key, isDecoded) }
    default: return false
    }
  }
}
