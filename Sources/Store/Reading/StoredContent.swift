internal import EventModel
internal import GRDB
internal import Lifecycle

/// A stored event as a source for its canonical JSON.
struct StoredContent: EventContent {
  let row: EventRow
  let text: UnsafeRawBufferPointer
  let client: ClientNames
  let context: ContextNames
  let terms: TermsNames
  let properties: String
  let userID: String
  let previousUserID: String?
  let nameTexts: (UInt32) -> String

  func name(_ number: UInt32) -> String? { number == 0 ? nil : nameTexts(number) }
  private func id(_ id: RowID) -> String? {
    id.form == .absent ? nil : String(decoding: id.text(in: text), as: UTF8.self)
  }
  private func instant(_ value: Int64) -> Instant? {
    EventRow.optional(value).map(Instant.init(millisecondsSince1970:))
  }

  var kind: EventKind { row.kind }
  var eventID: String { id(row.eventID) ?? "" }
  var ts: Instant { Instant(millisecondsSince1970: row.ts) }
  var app: String { name(client.app) ?? "" }
  var propertiesJSON: String.UTF8View? { properties.isEmpty || properties == "{}" ? nil : properties.utf8 }
  var subscriptionID: String? { id(row.subscriptionID) }
  var transactionID: String? { id(row.transactionID) }
  var expiresAt: Instant? { instant(row.expiresAt) }
  var trialEndsAt: Instant? { instant(row.trialEndsAt) }
  var graceEndsAt: Instant? { instant(row.graceEndsAt) }
  var subscriptionStartedAt: Instant? { instant(row.startedAt) }

  /// The event with the time of its reception.
  var received: ReceivedContent {
    var json: [UInt8] = []
    appendCanonicalJSON(to: &json)
    return ReceivedContent(
      json: json, ts: row.ts, receivedAt: EventRow.optional(row.receivedAfter).map { row.ts + $0 },
      file: Int64(row.file))
  }
}

extension StoredContent {
  /// Reads what a single event refers to.
  init(_ db: Database, _ row: EventRow, _ text: UnsafeRawBufferPointer) throws {
    func entry<Entry>(_ table: String, _ id: Int32, _ read: (SQLiteStatement) -> Entry) throws -> Entry {
      let statement = try SQLiteStatement(db, "SELECT * FROM main.\(table) WHERE id = ?")
      guard let found = try statement.first(binding: id, read: read) else {
        throw StoredDamage.lacks(id, of: table, had: "an event")
      }
      return found
    }
    let client = try entry("client", row.client) { ClientNames($0) }
    let context = try entry("context", row.context) { ContextNames($0) }
    let terms = try entry("terms", row.terms) { TermsNames($0) }
    var names: [UInt32: String] = [:]
    for name in client.names + context.names + terms.names where name != 0 {
      names[name] = try entry("name", Int32(bitPattern: name)) { $0.string(1) }
    }
    let previousUserID: String? = try row.previousUser == 0 ? nil : entry("user", row.previousUser) { $0.string(2) }
    self.init(
      row: row, text: text, client: client, context: context, terms: terms,
      properties: try entry("property_set", row.properties) { $0.string(1) },
      userID: try entry("user", row.user) { $0.string(2) },
      previousUserID: previousUserID, nameTexts: { [names] in names[$0] ?? "" })
  }
}

/// Everything that events refer to, to read many of them.
struct StoredTexts {
  let dictionaries: StoredDictionaries
  /// The ids of users, by number.
  private var users: [String] = [""]

  init(_ db: Database) throws {
    dictionaries = try StoredDictionaries(db)
    let user = try SQLiteStatement(db, "SELECT id, name FROM main.user ORDER BY id")
    while try user.step() {
      while users.count <= Int(user.int32(0)) { users.append("") }
      users[Int(user.int32(0))] = user.string(1)
    }
  }

  func content(_ row: EventRow, _ text: UnsafeRawBufferPointer) -> StoredContent {
    StoredContent(
      row: row, text: text, client: dictionaries.clients[Int(row.client)],
      context: dictionaries.contexts[Int(row.context)], terms: dictionaries.terms[Int(row.terms)],
      properties: dictionaries.propertySets[Int(row.properties)], userID: users[Int(row.user)],
      previousUserID: row.previousUser == 0 ? nil : users[Int(row.previousUser)],
      nameTexts: { dictionaries.names[Int($0)] })
  }
}
