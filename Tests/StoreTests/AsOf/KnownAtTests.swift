import Basics
import FolderSupport
import Foundation
import Ingest
import Lifecycle
import Metrics
import Reports
import Store
import Testing

/// `--known-at`: "what the report said with the files known then". The oracle is a store that read only these files.
@Suite struct KnownAtTests {
  /// Events received several times with equal content. Here, a later file always has a later reception; the last test
  /// covers the other case.
  private static let twins: Set<String> = ["a1", "b2", "d3", "n1"]

  /// Returns all lines, split at random into files, with conflicting contents in any order.
  static func files(_ random: inout SplitMix64, count: Int, sampleLimit: Int = 600) -> [[String]] {
    var files = Array(repeating: [String](), count: count)
    let lines =
      sampleLines.shuffled(using: &random).prefix(sampleLimit).map { String(decoding: $0, as: UTF8.self) }
      + MessyEvents.lines + MessyEvents.conflictsAcrossTime
    var later: [String: [String]] = [:]
    for line in lines {
      if let id = twins.first(where: { line.contains("\"event_id\":\"\($0)\"") }),
        line.contains("demo") || line.contains("d\\u0065mo")
      {
        later[id, default: []].append(line)
      } else {
        files[Int.random(in: files.indices, using: &random)].append(line)
      }
    }
    for (_, lines) in later.sorted(by: { $0.key < $1.key }) {
      let places = lines.map { _ in Int.random(in: files.indices, using: &random) }.sorted()
      for (place, line) in zip(places, lines.sorted { reception($0) < reception($1) }) { files[place].append(line) }
    }
    return files.map { $0.shuffled(using: &random) }
  }

  static func reception(_ line: String) -> Int64 {
    instant(ofLine: Array(line.utf8), "received_at") ?? instant(ofLine: Array(line.utf8), "ts") ?? 0
  }

  static let variants: [ReportOptions] = {
    var other = ReportOptions()
    other.by = [.property("channel"), .country]
    other.attribution = .all
    other.unit = .view
    return [ReportOptions(), other]
  }()

  static func reports(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> [String: String] {
    var texts: [String: String] = [:]
    for kind in ReportKind.explained {
      var options = options
      if kind == .activity { options.by = [.week] }
      texts[kind.name] = try render(kind.report(snapshot, options), as: .csv)
    }
    return texts
  }

  @Test(arguments: 1...4)
  func whatWasKnownAtAFileIsWhatAStoreOfTheFilesUpToItSays(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let files = Self.files(&random, count: Int.random(in: 2...6, using: &random))
    try withTemporaryDirectory { directory in
      let full = try TestStore(in: directory.appendingPathComponent("full"))
      for file in files { try full.ingest(file, commitEvents: seed % 2 == 0 ? 1 : 100) }
      let store = try Store.open(readOnly: full.path)
      let ids = try store.read { try $0.files().map(\.id) }
      #expect(ids.count == files.count)
      for (place, id) in ids.enumerated() where place == 0 || place == ids.count / 2 {
        let oracle = try TestStore(in: directory.appendingPathComponent("\(place)"))
        for file in files[...place] { try oracle.ingest(file) }
        try expectSameReports(
          try store.read { try $0.known(at: .file(id)) }, oracle, "file \(place + 1) of seed \(seed)")
      }
    }
  }

  @Test(arguments: [at(-400), at(8.45), at(46.2)])
  func whatWasReceivedBeforeAnInstantIsWhatAStoreOfTheseLinesSays(instant: Int64) throws {
    var random = SplitMix64(seed: UInt64(bitPattern: instant))
    let files = Self.files(&random, count: 3)
    try withTemporaryDirectory { directory in
      let full = try TestStore(in: directory.appendingPathComponent("full"))
      for file in files { try full.ingest(file) }
      let oracle = try TestStore(in: directory.appendingPathComponent("known"))
      for file in files { try oracle.ingest(file.filter { Self.reception($0) < instant }) }
      let known = try Store.open(readOnly: full.path).read { try $0.known(at: .received(instant)) }
      try expectSameReports(known, oracle, "received before \(instant)")
    }
  }

  private func expectSameReports(_ known: HistoricalStore, _ oracle: TestStore, _ what: String) throws {
    let other = try Store.open(readOnly: oracle.path)
    for options in Self.variants {
      let expected = try other.read { try Self.reports($0, options) }
      let found = try known.store.read { try Self.reports($0, options) }
      for (name, text) in expected { #expect(found[name] == text, "\(name), \(what)") }
    }
    // The tables that commits keep up to date equal a rebuild from the events.
    #expect(try known.store.read { try $0.differencesFromRebuild().map { "\($0.table) \($0.rows)" } } == [])
  }

  /// A documented limitation: the store holds the earliest reception of a content, but not which file it came from.
  @Test func aLaterFileThatMovesAReceptionBackIsTakenForKnown() throws {
    try withTestStore { store in
      try store.ingest(
        [impression("1", at(3), user: "u", received: at(9))], [impression("1", at(3), user: "u", received: at(4))])
      let snapshot = try Store.open(readOnly: store.path)
      let known = try snapshot.read { try $0.known(at: .file(1)) }
      let received = try known.store.read {
        try $0.known(at: .received(at(5))).store.read { try $0.apps().map(\.events) }
      }
      #expect(received == [1])
    }
  }

  @Test func nothingIsLeftBehind() throws {
    try withTestStore { store in
      try store.ingest([impression("1", at(3), user: "u")])
      var path = ""
      do {
        let known = try Store.open(readOnly: store.path).read { try $0.known(at: .file(1)) }
        path = known.store.path
        #expect(FileManager.default.fileExists(atPath: path))
      }
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try store.differencesFromRebuild() == [])
    }
  }
}
