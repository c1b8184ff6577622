internal import Crypto
internal import EventModel
internal import Foundation
internal import GRDB

/// The content of a store at one moment, which a receipt records and `verify` compares (Agents.md, "Receipts").
public struct StoreState: Sendable, Equatable {
  public var files = 0
  /// The number of events stored, sandbox events included.
  public var events = 0
  /// The SHA-256 of the file read last, in lower-case hexadecimal; `nil` for a store without files.
  public var lastFile: String?
  /// The SHA-256 over the digests of all files, in the order in which they were read, then over those of the mappings that
  /// read them: each in hexadecimal with a newline.
  public var digest = ""
  /// The SHA-256 over the exchange rates as CSV rows, in order of currency and day.
  public var rates = ""
  /// The SHA-256 over the advertising spend as CSV rows; `nil` if none was imported.
  public var spend: String?

  public init() {}
}

extension StoreSnapshot {
  /// Returns whether there are so many cell keys that each report on cells takes seconds.
  public func hasManySegments() throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT MAX(id) FROM origin") ?? 0 > 100_000
  }

  /// Returns the state of the store.
  ///
  /// - Parameter count: Limits it to the files read first; events, rates and spend are those of the whole store.
  public func state(ofFirst count: Int? = nil) throws -> StoreState {
    var state = StoreState()
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT lower(hex(digest)), reading FROM file WHERE failure IS NULL ORDER BY id LIMIT ?",
      arguments: [count ?? -1])
    let digests: [String] = try rows.map { try $0.required(0) }
    let mappings = try rows.compactMap { row -> String? in
      let reading: String? = try row.optional(1)
      return reading?.split(separator: " ").first { $0.hasPrefix("mapping:") }.map { String($0.dropFirst(8)) }
    }
    state.files = digests.count
    state.lastFile = digests.last
    state.digest = Self.digest(digests + mappings)
    state.events = try Int.fetchOne(db, sql: "SELECT COALESCE(SUM(events), 0) FROM event_block") ?? 0
    state.rates = Self.digest(
      try db.tableExists("rate")
        ? String.fetchAll(
          db, sql: "SELECT currency || ',' || date || ',' || usd_per_unit FROM rate ORDER BY currency, date") : [])
    if try db.tableExists("spend") {
      let spend = try String.fetchAll(
        db,
        sql: """
          SELECT json_array(app, day, source, campaign, ad_group, country, platform, currency, spend, installs, impressions,
            clicks)
          FROM spend ORDER BY app, day, source, campaign, ad_group, country, platform
          """)
      if !spend.isEmpty { state.spend = Self.digest(spend) }
    }
    return state
  }

  private static func digest(_ lines: [String]) -> String {
    var hasher = SHA256()
    for line in lines { hasher.update(data: Data("\(line)\n".utf8)) }
    return hasher.finalize().hexadecimal
  }
}
