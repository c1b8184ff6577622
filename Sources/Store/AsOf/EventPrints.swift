internal import EventModel
internal import GRDB

/// Hashes of events that are equal in every store, whatever numbers it assigns: 128 bits for the app and the id, 64
/// bits for the content.
struct EventPrints {
  struct Print {
    var first: UInt64
    var second: UInt64
    var content: UInt64

    static func precedes(_ left: Print, _ right: Print) -> Bool {
      left.first != right.first ? left.first < right.first : left.second < right.second
    }

    func isOfSameID(_ other: Print) -> Bool { first == other.first && second == other.second }
  }

  /// Hashes of the dictionaries' entries, by number.
  private let contexts: [UInt64]
  private let clients: [UInt64]
  private let apps: [UInt64]
  private let terms: [UInt64]
  private let properties: [UInt64]
  private let users: [UInt64]

  init(_ db: Database) throws {
    let dictionaries = try StoredDictionaries(db)
    let names = dictionaries.names.enumerated().map { $0.offset == 0 ? 0 : Self.hash($0.element) }
    func name(_ id: UInt32) -> UInt64 { names[Int(id)] }
    contexts = dictionaries.contexts.map { Self.hash($0.names.map(name)) }
    clients = dictionaries.clients.map { Self.hash($0.names.map(name) + [$0.isSandbox ? 1 : 0]) }
    apps = dictionaries.clients.map { name($0.app) }
    terms = dictionaries.terms.map { terms in
      let numbers = TermsNames.integers.map { terms[keyPath: $0.field] } + [terms.plan.map { Int64($0.rawValue) }]
      let decimals = TermsNames.decimals.map { terms[keyPath: $0.field].map { Int64(bitPattern: $0.bitPattern) } }
      let flags = TermsNames.flags.map { terms[keyPath: $0.field] ? UInt64(1) : 0 }
      let (texts, values) = (terms.names.map(name), numbers + decimals)
      return Self.hash(texts + values.map { Self.hash($0) } + flags)
    }
    properties = dictionaries.propertySets.map(Self.hash)
    var users: [UInt64] = [0]
    let user = try SQLiteStatement(db, "SELECT id, name FROM main.user ORDER BY id")
    while try user.step() {
      while users.count <= Int(user.int32(0)) { users.append(0) }
      users[Int(user.int32(0))] = ByteHash.hash(user.bytes(1))
    }
    self.users = users
  }

  func print(_ row: EventRow, _ text: UnsafeRawBufferPointer) -> Print {
    let app = apps[Int(row.client)]
    func id(_ id: RowID, seed: UInt64) -> UInt64 {
      switch id.form {
      case .absent: Self.hash([seed])
      case .uuid: Self.hash([seed, id.first, id.second])
      case .text: ByteHash.hash(id.bytes(in: text), seed: seed)
      }
    }
    let numbers = [row.ts, row.expiresAt, row.trialEndsAt, row.graceEndsAt, row.startedAt, Int64(row.kind.rawValue)]
    return Print(
      first: id(row.eventID, seed: app), second: id(row.eventID, seed: ~app),
      content: Self.hash(
        numbers.map { UInt64(bitPattern: $0) } + [
          contexts[Int(row.context)], clients[Int(row.client)], terms[Int(row.terms)], properties[Int(row.properties)],
          users[Int(row.user)], users[Int(row.previousUser)], id(row.subscriptionID, seed: 1),
          id(row.transactionID, seed: 2),
        ]))
  }

  private static func hash(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0)) }
  }

  private static func hash(_ words: [UInt64]) -> UInt64 {
    words.withUnsafeBytes { ByteHash.hash($0) }
  }

  private static func hash(_ number: Int64?) -> UInt64 { hash(number.map { [1, UInt64(bitPattern: $0)] } ?? [0]) }
}
