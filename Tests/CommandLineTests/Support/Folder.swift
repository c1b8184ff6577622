import FolderSupport
import Foundation
import GRDBSQLite

/// A folder to run the program in, removed at the end of the test.
struct Folder {
  private let directory: TemporaryDirectory
  var url: URL { directory.url }

  /// Creates a folder that stays until it is removed.
  init() throws { directory = try TemporaryDirectory() }

  func remove() { try? FileManager.default.removeItem(at: url) }

  /// Passes a new folder to `body`.
  static func with<Result>(_ body: (Folder) throws -> Result) throws -> Result {
    let folder = try Folder()
    defer { folder.remove() }
    return try body(folder)
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
  }

  func text(of name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
  }

  /// Names in the folder, without SQLite's journals.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }
  }

  func run(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
  ) throws -> Program.Result {
    try Program.run(arguments, input: input, environment: environment, in: url)
  }

  /// Writes the file `events.jsonl` and ingests it into `tollgate.db`.
  func makeStore() throws {
    try write(Self.events, to: "events.jsonl")
    _ = try run("ingest", "events.jsonl")
  }

  /// Executes SQL on a store over a separate connection, which stays open while `body` runs.
  func withSQL<Result>(_ sql: String, on name: String, _ body: () throws -> Result) throws -> Result {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(path(name), &handle) == SQLITE_OK, sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw SQLFailure(description: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory")
    }
    return try body()
  }

  /// Returns the first column of a query's rows, as text.
  func rows(_ sql: String, of name: String) throws -> [String] {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(handle)
    }
    guard sqlite3_open(path(name), &handle) == SQLITE_OK,
      sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK
    else { throw SQLFailure(description: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory") }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW { rows.append(String(cString: sqlite3_column_text(statement, 0))) }
    return rows
  }

  struct SQLFailure: Error, CustomStringConvertible {
    var description: String
  }

  /// Returns one line of an event file.
  static func event(_ kind: String, _ id: String, _ ts: String, user: String, _ more: String = "") -> String {
    #"{"event":"\#(kind)","event_id":"\#(id)","ts":"\#(ts)","app":"demo","user_id":"\#(user)"\#(more)}"# + "\n"
  }

  /// Two users who see a paywall; one starts a trial that converts. Both have matured by the last event.
  static let events =
    event(
      "paywall_impression", "1", "2026-01-01T10:00:00Z", user: "a",
      #","entry_point":"settings","experiment":"test","variant":"x""#)
    + event(
      "paywall_impression", "2", "2026-01-02T10:00:00Z", user: "b",
      #","entry_point":"widgets","experiment":"test","variant":"y""#)
    + event(
      "trial_start", "3", "2026-01-01T11:00:00Z", user: "a", #","trial_days":7,"plan":"monthly","product_id":"pro""#)
    + event(
      "conversion", "4", "2026-01-08T11:00:00Z", user: "a",
      #","plan":"monthly","product_id":"pro","price":6.99,"currency":"EUR""#)
    + event("activity", "5", "2026-03-01T00:00:00Z", user: "c")
}
