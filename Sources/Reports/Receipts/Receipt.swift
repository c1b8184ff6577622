public import Basics
internal import Crypto
internal import EventModel
internal import Foundation
internal import Metrics
public import Store

/// A record of one report: the command that prints it, the store's content, and the hash of its bytes (Agents.md,
/// "Receipts").
///
/// `tollgate verify` runs the command again and compares.
public struct Receipt: Sendable {
  public var version: String
  /// The words of the command after `tollgate`, with every default that decides, and `--format json`.
  public var command: [String]
  public var store: StoreState
  /// The as-of by app, in byte order.
  public var asOf: [(app: String, instant: String)]
  /// The number of rows that the command prints.
  public var rows: Int
  /// The other files that the report read, by name or path, with the SHA-256 of their bytes; empty for one that is not
  /// there.
  public var files: [(name: String, sha256: String)]
  /// The SHA-256 of the bytes that the command prints, in lower-case hexadecimal.
  public var sha256: String
  /// Four hexadecimal digits for each row, by which a row that changed is found.
  public var rowMarks: String

  /// - Parameters:
  ///   - store: The content of the store; `nil` for that of `snapshot`.
  ///   - snapshot: The events that the report knows.
  ///   - text: The JSON that the command prints.
  public init(
    version: String, command: [String], store: StoreState? = nil, on snapshot: StoreSnapshot, printing text: String
  ) throws {
    let printed = PrintedRows(text)
    self.version = version
    self.command = command
    self.store = try store ?? snapshot.state()
    files = try Self.files(of: command, snapshot)
    asOf = printed.asOf
    rows = printed.rows.count
    sha256 = SHA256.hash(data: Data(text.utf8)).hexadecimal
    rowMarks = printed.marks.joined()
  }

  /// Reads a receipt.
  ///
  /// - Throws: ``UsageError`` for what is not a receipt.
  public init(_ node: JSONNode) throws(UsageError) {
    let remedy = "pass one that tollgate wrote (with `--receipt`, or in an agent's answer), unchanged"
    func missing(_ name: String) -> UsageError {
      UsageError("the receipt's \(name) is missing or is not what tollgate writes: \(remedy)")
    }
    func text(_ node: JSONNode?, _ name: String) throws(UsageError) -> String {
      guard case .string(let text)? = node else { throw missing(name) }
      return text
    }
    func number(_ node: JSONNode?, _ name: String) throws(UsageError) -> Int {
      guard case .number(let digits)? = node, let number = Int(digits), number >= 0 else { throw missing(name) }
      return number
    }
    guard node["tollgate"] != nil else { throw UsageError("this is not a receipt: \(remedy)") }
    version = try text(node["tollgate"], "tollgate")
    guard let words = node["command"]?.elements, !words.isEmpty else { throw missing("command") }
    command = []
    for word in words { command.append(try text(word, "command")) }
    let place = node["store"]
    store = StoreState()
    store.files = try number(place?["files"], "store.files")
    store.events = try number(place?["events"], "store.events")
    if store.files > 0 { store.lastFile = try text(place?["last_file"], "store.last_file") }
    store.digest = try text(place?["digest"], "store.digest")
    store.rates = try text(place?["rates"], "store.rates")
    if let spend = place?["spend"] { store.spend = try text(spend, "store.spend") }
    asOf = []
    for member in node["as_of"]?.members ?? [] { asOf.append((member.name, try text(member.value, "as_of"))) }
    files = []
    for member in node["files"]?.members ?? [] { files.append((member.name, try text(member.value, "files"))) }
    rows = try number(node["rows"], "rows")
    sha256 = try text(node["sha256"], "sha256")
    rowMarks = ""
    if let marks = node["row_marks"] { rowMarks = try text(marks, "row_marks") }
  }

  public var json: JSONNode {
    var state = [
      JSONMember("files", JSONNode(Int64(store.files))), JSONMember("events", JSONNode(Int64(store.events))),
      JSONMember("last_file", store.lastFile.map(JSONNode.string) ?? .null),
      JSONMember("digest", .string(store.digest)),
      JSONMember("rates", .string(store.rates)),
    ]
    if let spend = store.spend { state.append(JSONMember("spend", .string(spend))) }
    let ofFiles = JSONMember("files", .object(files.map { JSONMember($0.name, .string($0.sha256)) }))
    return .object(
      [
        JSONMember("tollgate", .string(version)), JSONMember("command", .array(command.map(JSONNode.string))),
        JSONMember("store", .object(state)),
        JSONMember("as_of", .object(asOf.map { JSONMember($0.app, .string($0.instant)) })),
      ] + (files.isEmpty ? [] : [ofFiles]) + [
        JSONMember("rows", JSONNode(Int64(rows))), JSONMember("sha256", .string(sha256)),
        JSONMember("row_marks", .string(rowMarks)),
      ])
  }

  /// Returns the files of a command besides the events: cohorts, and the plans of experiments.
  private static func files(of command: [String], _ snapshot: StoreSnapshot) throws -> [(name: String, sha256: String)]
  {
    func digest(_ data: Data?) -> String { data.map { SHA256.hash(data: $0).hexadecimal } ?? "" }
    func digest(ofFile path: String) -> String {
      let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      let type = try? FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
      // A device may have no end.
      return type == .typeRegular ? digest(FileManager.default.contents(atPath: file)) : ""
    }
    func digest(ofPath path: String) -> String {
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return digest(ofFile: path) }
      let lines = names.sorted(by: precedesInBytes).map { "\($0) \(digest(ofFile: "\(path)/\($0)"))\n" }
      return digest(Data(lines.joined().utf8))
    }
    var files: [(name: String, sha256: String)] = []
    if command.contains(where: { $0.hasPrefix("--where=cohort:") }) {
      let text = try snapshot.text(beside: CohortFilter.fileName).text
      files.append((CohortFilter.fileName, digest(text.map { Data($0.utf8) })))
    }
    for option in ["--config=", "--plans="] {
      for word in command where word.hasPrefix(option) {
        let path = String(word.dropFirst(option.count))
        files.append((path, digest(ofPath: path)))
      }
    }
    return files
  }

  /// Returns the name of a file that the report read and whose content has changed since; `nil` if none has.
  public func changedFile(_ snapshot: StoreSnapshot) throws -> String? {
    let now = try Self.files(of: command, snapshot)
    return files.first { file in now.contains { $0.name == file.name && $0.sha256 != file.sha256 } }?.name
  }

  /// Compares the receipt with what its command prints now.
  ///
  /// - Parameter text: The JSON that the command prints.
  /// - Returns: `nil` if the bytes are the same; else where they differ first, as the end of a sentence.
  public func difference(from text: String) -> String? {
    let now = PrintedRows(text)
    if SHA256.hash(data: Data(text.utf8)).hexadecimal == sha256 {
      return now.rows.count == rows ? nil : "the receipt says \(rows) rows, but its report has \(now.rows.count)"
    }
    let marks = stride(from: 0, to: rowMarks.utf8.count, by: PrintedRows.markLength).map {
      String(rowMarks.dropFirst($0).prefix(PrintedRows.markLength))
    }
    let shared = min(marks.count, now.marks.count)
    if let place = (0..<shared).first(where: { marks[$0] != now.marks[$0] }) {
      return "row \(place + 1) is now \(now.rows[place])"
    }
    if now.rows.count < rows { return "row \(now.rows.count + 1) of \(rows) is gone" }
    if now.rows.count > rows { return "row \(rows + 1) is new: \(now.rows[rows])" }
    return "the rows are the same, but not the options, definitions and dates in the rest of the report"
  }
}

/// The rows of a report's JSON.
private struct PrintedRows {
  static let markLength = 4

  /// Each as JSON in one line.
  var rows: [String] = []
  var asOf: [(app: String, instant: String)] = []

  /// The first digits of each row's SHA-256.
  var marks: [String] {
    rows.map { String(SHA256.hash(data: Data($0.utf8)).hexadecimal.prefix(Self.markLength)) }
  }

  init(_ text: String) {
    guard let node = JSONNode(parsing: Array(text.utf8)) else { return }
    rows = (node["rows"]?.elements ?? node["persons"]?.elements ?? []).map { String(decoding: $0.json, as: UTF8.self) }
    asOf = (node["as_of"]?.members ?? []).compactMap { member in
      if case .string(let instant) = member.value { (member.name, instant) } else { nil }
    }
  }
}
