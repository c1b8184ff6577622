internal import Foundation
internal import GRDB

/// The files, rejected lines, conflicts and days read on a cluster, for a store that took its events or facts from
/// there.
public struct ReadElsewhere: Sendable {
  public struct File: Sendable {
    public var path: String
    public var digest: [UInt8]
    public var bytes: Int64
    public var lines: Int64
    public var rejected: Int64
    public var csvHeader: [UInt8]?
    public var failure: String?

    public init(
      path: String, digest: [UInt8], bytes: Int64, lines: Int64, rejected: Int64, csvHeader: [UInt8]?,
      failure: String?
    ) {
      self.path = path
      self.digest = digest
      self.bytes = bytes
      self.lines = lines
      self.rejected = rejected
      self.csvHeader = csvHeader
      self.failure = failure
    }
  }

  public struct Line: Sendable {
    public var path: String
    public var line: Int64
    public var reason: String
    public var field: String?
    public var raw: [UInt8]

    public init(path: String, line: Int64, reason: String, field: String?, raw: [UInt8]) {
      self.path = path
      self.line = line
      self.reason = reason
      self.field = field
      self.raw = raw
    }
  }

  public struct Conflict: Sendable {
    public var app: String
    public var eventID: String
    public var content: String
    public var receivedAt: Int64?
    public var path: String
    public var line: Int64?

    public init(app: String, eventID: String, content: String, receivedAt: Int64?, path: String, line: Int64?) {
      self.app = app
      self.eventID = eventID
      self.content = content
      self.receivedAt = receivedAt
      self.path = path
      self.line = line
    }
  }

  public struct Day: Sendable {
    public var app: String
    /// The day's first millisecond, UTC.
    public var day: Int64
    public var events: Int64
    public var newestReceived: Int64?
    public var newestTimely: Int64?
    public var newestEarly: Int64?
    public var newestUnmarked: Int64?

    public init(
      app: String, day: Int64, events: Int64, newestReceived: Int64?, newestTimely: Int64?, newestEarly: Int64?,
      newestUnmarked: Int64?
    ) {
      self.app = app
      self.day = day
      self.events = events
      self.newestReceived = newestReceived
      self.newestTimely = newestTimely
      self.newestEarly = newestEarly
      self.newestUnmarked = newestUnmarked
    }
  }

  public var files: [File] = []
  public var lines: [Line] = []
  public var conflicts: [Conflict] = []
  /// The days of all apps, including apps whose facts or events are not in the store.
  public var days: [Day] = []
  /// The sum over all files.
  public var events: Int64 = 0
  public var duplicates: Int64 = 0

  public init() {}
}

extension Store {
  /// Replaces the store's records of files and quarantine, and adds the days of apps that it has none of.
  public func take(_ read: ReadElsewhere) throws {
    try write { db in
      try db.inTransaction(.immediate) {
        for table in ["file", "rejected_line", "unkept_line", "left_out", "conflict"] {
          try db.execute(sql: "DELETE FROM \(table)")
        }
        var numbers: [String: Int64] = [:]
        for (place, file) in read.files.enumerated() {
          numbers[file.path] = Int64(place + 1)
          // A file that was read in parts has no digest; its place tells it from the others.
          let digest = file.digest.isEmpty ? Data("read in parts \(place)".utf8) : Data(file.digest)
          // A cluster does not record which file brought an event first, so the first row holds the sums.
          try db.execute(
            sql: "INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, 'native', 'native')",
            arguments: [
              place + 1, file.path, digest, file.bytes, file.lines, place == 0 ? read.events : 0,
              place == 0 ? read.duplicates : 0, file.rejected, file.failure,
              file.rejected > 0 ? file.csvHeader.map { Data($0) } : nil,
            ])
        }
        for line in read.lines {
          let text = String(validating: line.raw, as: UTF8.self)
          try db.execute(
            sql: "INSERT INTO rejected_line (file, line, reason, field, raw) VALUES (?, ?, ?, ?, ?)",
            arguments: [
              numbers[line.path] ?? 0, line.line, line.reason, line.field,
              text.map { $0.databaseValue } ?? Data(line.raw).databaseValue,
            ])
        }
        let names = try DictionaryWriter(db)
        func number(_ name: String) throws -> Int32 {
          var name = name
          return try name.withUTF8 { try names.name(UnsafeRawBufferPointer($0)) }
        }
        for conflict in read.conflicts {
          try db.execute(
            sql: "INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
              number(conflict.app), conflict.eventID, conflict.content, conflict.receivedAt,
              numbers[conflict.path] ?? 0, conflict.line,
            ])
        }
        let known = Set(try Int32.fetchAll(db, sql: "SELECT DISTINCT app FROM app_day"))
        for day in read.days {
          let app = try number(day.app)
          if known.contains(app) { continue }
          try db.execute(
            sql: "INSERT INTO app_day VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: [
              app, day.day, day.events, day.newestReceived, day.newestTimely, day.newestEarly, day.newestUnmarked,
            ])
        }
        return .commit
      }
    }
  }
}
