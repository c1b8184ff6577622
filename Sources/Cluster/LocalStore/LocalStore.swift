internal import Foundation
internal import Ingest
public import Lifecycle
internal import Store

/// Creates a local store from the results of a cluster, so that reports read it like any other store.
public enum LocalStore {
  /// The content that a report reads.
  public enum Content: String, Sendable {
    /// Facts as the cluster folded them.
    case facts
    /// Facts of trials, subscriptions and money only: half as many.
    case money
    /// Cells of all persons' facts, by the stored rules.
    case cells
    /// Events, which are folded again locally.
    case events

    /// Whether facts contain this content, so that a store of facts works too.
    public var isInFacts: Bool { self == .cells || self == .money }

    /// The tables of facts to fetch.
    public var tables: [WorkerProtocol.Tag] {
      switch self {
      case .money: [.trial, .spell, .payment, .refund]
      // Cells too, as a build without cells has facts only.
      case .facts, .cells: WorkerProtocol.facts
      case .events: []
      }
    }
  }

  /// Fills a new store.
  ///
  /// - Parameters:
  ///   - folder: The folder with the files that the driver fetched.
  ///   - options: The rules by which the facts were folded.
  ///   - events: The number of events in all files; `duplicates` likewise.
  public static func make(
    at path: String, of content: Content, from folder: String, foldedBy options: FoldOptions = .stored, events: Int64,
    duplicates: Int64
  ) throws {
    let store = try Store.open(path: path)
    switch content {
    case .facts, .money: try layFacts(of: content, in: store, from: folder, options)
    case .cells: try layCells(in: store, from: folder)
    case .events:
      let input = InputFile(pathBytes: Array("\(folder)/events.jsonl.gz".utf8), byteCount: nil)
      let summary = try Ingestion(store: store, sources: SourceSettings(source: .native)).run([input])
      if let failure = summary.failures.first { throw WorkerFault(.data, "\(failure.path): \(failure.reason)") }
      if summary.duplicates > 0 || summary.quarantinedLines > 0 {
        throw WorkerFault(
          .data,
          "the cluster's events have \(summary.duplicates) duplicates and \(summary.quarantinedLines) invalid lines; "
            + "build again into another folder")
      }
    }
    try store.takeReadings(events: events, duplicates: duplicates) { try layReadings($0, from: folder) }
  }

  private static func layFacts(
    of content: Content, in store: Store, from folder: String, _ options: FoldOptions
  ) throws {
    var members: [PersonKey: [[UInt8]]] = [:]
    try forEachRow(of: "members", in: folder, columns: 3) { row in
      let key = PersonKey(app: try row.required(row.bytes(0), 0), person: try row.required(row.bytes(1), 1))
      members[key, default: []].append(try row.required(row.bytes(2), 2))
    }
    let tables = Set(FactTable.allCases.filter { table in content.tables.contains { $0.rawValue == "\(table)" } })
    try store.takeFacts(foldedBy: options, of: tables) { intake in
      let file = try open("facts", in: folder)
      defer { try? file.close() }
      var reader = FactRowReader(RowInput(descriptor: file.fileDescriptor), intake, members: members)
      try reader.run()
      try layImpressions(intake, from: folder)
    }
  }

  private static func layCells(in store: Store, from folder: String) throws {
    try store.takeCells { intake in
      for name in ["cells", "taken-cells"] {
        let file = try open(name, in: folder)
        defer { try? file.close() }
        var reader = CellRowReader(input: RowInput(descriptor: file.fileDescriptor), intake: intake)
        try reader.run()
      }
      try layImpressions(intake, from: folder)
    }
  }

  private static func layImpressions(_ intake: FactIntake, from folder: String) throws {
    try forEachRow(of: "impressions", in: folder, columns: 5) { row in
      let app = try intake.name(row.required(row.text(0), 0))
      let event = try OneEvent.batch(row.required(row.bytes(2), 2), row: row.count)
      let numbers = try intake.contextAndTerms(of: event)
      try intake.addImpressions(
        app: app, day: row.required(row.integer(1), 1), context: numbers.context, terms: numbers.terms,
        count: row.required(row.integer(3), 3), newest: row.required(row.integer(4), 4))
    }
  }

  private static func layReadings(_ read: ReadElsewhere, from folder: String) throws {
    try forEachRow(of: "files", in: folder, columns: 7) { row in
      try read.addFile(
        path: localPath(row.required(row.text(0), 0)), digest: hexBytes(row.required(row.text(1), 1)),
        bytes: row.required(row.integer(2), 2), lines: row.required(row.integer(3), 3),
        rejected: row.required(row.integer(4), 4), csvHeader: row.bytes(5), failure: row.text(6))
    }
    try forEachRow(of: "quarantine", in: folder, columns: 6) { row in
      let raw = try row.bytes(4) ?? [UInt8](Data(base64Encoded: row.text(5) ?? "") ?? Data())
      try read.addLine(
        path: localPath(row.required(row.text(0), 0)), line: row.required(row.integer(1), 1),
        reason: row.required(row.text(2), 2), field: row.text(3), raw: raw)
    }
    try forEachRow(of: "conflicts", in: folder, columns: 6) { row in
      try read.addConflict(
        app: row.required(row.text(0), 0), eventID: row.required(row.text(1), 1),
        content: row.required(row.text(2), 2), receivedAt: row.integer(3),
        path: localPath(row.required(row.text(4), 4)), line: row.integer(5))
    }
    try forEachRow(of: "days", in: folder, columns: 7) { row in
      try read.addDay(
        app: row.required(row.text(0), 0), day: row.required(row.integer(1), 1),
        events: row.required(row.integer(2), 2), newestReceived: row.integer(3), newestTimely: row.integer(4),
        newestEarly: row.integer(5), newestUnmarked: row.integer(6))
    }
  }

  /// Returns the path of a local file without the scheme that Spark adds.
  private static func localPath(_ path: String) -> String {
    path.hasPrefix("file:///") ? String(path.dropFirst("file://".count)) : path
  }

  private static func hexBytes(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while rest.count >= 2, let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  private static func open(_ name: String, in folder: String) throws -> FileHandle {
    guard let file = FileHandle(forReadingAtPath: "\(folder)/\(name)") else {
      throw WorkerFault(.io, "\(folder)/\(name): the driver has not written it")
    }
    return file
  }

  private static func forEachRow(
    of name: String, in folder: String, columns: Int, _ body: (RowInput) throws -> Void
  ) throws {
    let file = try open(name, in: folder)
    defer { try? file.close() }
    let row = RowInput(descriptor: file.fileDescriptor)
    while try row.next(columns: columns) { try body(row) }
  }
}
