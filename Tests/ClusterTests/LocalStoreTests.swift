import EventModel
import FolderSupport
import Foundation
import GRDB
import Ingest
import Lifecycle
import Metrics
import Reports
import Simulation
import Store
import Testing

@testable import Cluster

/// Checks that a store built from a worker's facts gives the reports of a store with the events.
@Suite struct LocalStoreTests: PackedRows {
  private struct Stores {
    var events: Store
    var facts: Store
    /// Has only trials, spells, payments and refunds.
    var money: Store
    var cells: Store
  }

  @Test func reportsOfFactsAreThoseOfEvents() throws {
    try withStores { stores in
      let (events, facts) = (stores.events, stores.facts)
      for report in [Funnel.report, Trials.report, Savings.report, Cancellations.report, Revenue.report] {
        let (want, have) = (
          try events.read { try report($0, ReportOptions()) }, try facts.read { try report($0, ReportOptions()) }
        )
        #expect(try render(want, as: .csv) == render(have, as: .csv))
      }
      // Reports that need events throw instead of finding none.
      #expect(throws: StoreError.hasNoEvents) { try facts.read { _ = try LTV.report($0, ReportOptions()) } }
    }
  }

  /// Cells alone are enough for the reports that read them; reports that need facts throw.
  @Test func reportsOfCellsAreThoseOfEvents() throws {
    try withStores { stores in
      let (events, cells) = (stores.events, stores.cells)
      for (report, name) in [
        (Funnel.report, ReportKind.funnel), (Trials.report, .trials), (Savings.report, .savings),
        (Cancellations.report, .cancellations),
      ] {
        for by in [nil, [.variant], [.entryPoint, .week], [.plan, .month]] as [[Metrics.Dimension]?] {
          var options = ReportOptions()
          options.by = by
          #expect(needs(name, options) == .cells)
          let (want, have) = (try events.read { try report($0, options) }, try cells.read { try report($0, options) })
          #expect(try render(want, as: .csv) == render(have, as: .csv), "\(want.name) by \(String(describing: by))")
        }
        var options = ReportOptions()
        options.by = [.country]
        #expect(needs(name, options) != .cells)
        #expect(throws: StoreError.self) { try cells.read { _ = try report($0, options) } }
      }
      for report in [Revenue.report, Retention.report, MRR.report, Subscriptions.report, Refunds.report] {
        #expect(throws: StoreError.self) { try cells.read { _ = try report($0, ReportOptions()) } }
      }
    }
  }

  /// Returns the content that a report reads.
  private func needs(_ kind: ReportKind, _ options: ReportOptions) -> ReportNeed? {
    var request = ReportRequest(kind)
    request.options = options
    return request.needs.first { $0 != .rates }
  }

  /// A store with what a report says it needs gives the report of a store with the events. Files, which the quarantine
  /// is of, are not exported here.
  @Test func reportsReadNoMoreThanTheyNeed() throws {
    try withStores { stores in
      let list = try #require(try stores.events.read { try ReportRequest(.experiments).table($0) })
      guard case .text(let experiment)? = list.rows.first?[1] else { throw StoreError.hasNoEvents }
      let given: [[ReportRequest.Given]] = [
        [], [.init("by", ["country"])], [.init("by", ["plan,month"])], [.init("where", ["platform=iOS"])],
        [.init("timezone", ["America/New_York"])], [.init("unit", ["view"])], [.init("movement", ["true"])],
        [.init("by-period", ["true"])], [.init("date", ["refund"])], [.init("currency", ["native"])],
        [.init("from", ["2026-01-20"])], [.init("pairs", ["true"])], [.init("by", ["property:screen"])],
      ]
      var compared = 0
      for kind in ReportKind.all where kind != .quarantine {
        for words in given {
          let own = kind == .experiment ? [ReportRequest.Given("name", [experiment])] : []
          guard let request = try? ReportRequest(kind, words + own), !request.needs.contains(.events) else { continue }
          let store =
            request.needs.contains(.cells)
            ? stores.cells : request.needs.contains(.payments) ? stores.money : stores.facts
          func text(_ store: Store) -> String {
            do {
              return try store.read { try request.run($0).text(as: .csv, options: RenderOptions()) }
            } catch {
              return "\(error)"
            }
          }
          #expect(text(stores.events) == text(store), "\(kind.name) \(words)")
          compared += 1
        }
      }
      #expect(compared > 80)
    }
  }

  /// Facts about money are enough for reports on money by any dimension; reports that need other facts throw.
  @Test func reportsOfMoneyAreThoseOfEvents() throws {
    try withStores { stores in
      for report in [
        Revenue.report, MRR.report, Subscriptions.report, Retention.report, Refunds.report, Trials.report,
        Cancellations.report,
      ] {
        for by in [nil, [.variant, .month], [.country, .platform]] as [[Metrics.Dimension]?] {
          var options = ReportOptions()
          options.by = by
          let want = try stores.events.read { try report($0, options) }
          let have = try stores.money.read { try report($0, options) }
          #expect(try render(want, as: .csv) == render(have, as: .csv), "\(want.name) by \(String(describing: by))")
        }
      }
      #expect(throws: StoreError.self) { try stores.money.read { _ = try Funnel.report($0, ReportOptions()) } }
    }
  }

  /// Units credited to several contexts count in each of them, for money as well as for trials.
  @Test func factsOfOtherRulesAreThoseOfEvents() throws {
    var options = ReportOptions()
    options.asOf = try #require(Instant(rfc3339: "2026-03-01T00:00:00Z")).millisecondsSince1970
    options.attribution = .all
    options.grace = 86_400_000
    // Contexts by which a unit can be credited more than once.
    options.by = [.variant, .entryPoint]
    let rules = FoldOptions(asOf: options.asOf ?? 0, grace: options.grace, attribution: options.attribution)
    try withStores(rules) { stores in
      let events = stores.events
      var credited = 0
      for report in [
        Trials.report, Cancellations.report, Revenue.report, Subscriptions.report, MRR.report,
        Retention.report, Refunds.report,
      ] {
        let want = try events.read { try report($0, options) }
        for store in [stores.facts, stores.money] {
          let have = try store.read { try report($0, options) }
          #expect(try render(want, as: .csv) == render(have, as: .csv), "\(want.name)")
        }
        options.attribution = .last
        let last = try events.read { try report($0, options) }
        credited += try render(want, as: .csv) == render(last, as: .csv) ? 0 : 1
        options.attribution = .all
      }
      // Otherwise the test would prove nothing.
      #expect(credited > 4)
    }
  }

  private func withStores(
    _ rules: FoldOptions = .stored, _ body: (Stores) throws -> Void
  ) throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      let sample = folder.appendingPathComponent("sample").path
      try SampleWriter(options: SampleOptions(seed: 3, size: .persons(800))).write(to: sample)
      let files = try InputFile.discover([sample])
      let path = folder.appendingPathComponent("events.db").path
      let events = try Store.open(path: path)
      _ = try Ingestion(store: events).run(files)

      let decoded = try WorkerRun.decoded(
        files.map { ($0.path, try Data(contentsOf: URL(fileURLWithPath: $0.path))) })
      let exported = folder.appendingPathComponent("exported")
      try FileManager.default.createDirectory(at: exported, withIntermediateDirectories: true)
      try export(
        decoded.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) },
        persons: persons(path), days: days(path), to: exported, rules)
      func store(_ content: LocalStore.Content) throws -> Store {
        let path = folder.appendingPathComponent("\(content.rawValue).db").path
        try LocalStore.make(at: path, of: content, from: exported.path, foldedBy: rules, events: 0, duplicates: 0)
        return try Store.open(readOnly: path)
      }
      let (facts, cells) = (try store(.facts), try store(.cells))
      // The driver sends no other tables in this case.
      let sent = exported.appendingPathComponent("facts")
      let tags = Set(LocalStore.Content.money.tables.map(\.rawValue))
      let rows = String(decoding: try Data(contentsOf: sent), as: UTF8.self).split(separator: "\n")
      let some = rows.filter { tags.contains(String($0.prefix { $0 != "\t" })) }
      #expect(!some.isEmpty && some.count < rows.count)
      try Data(some.map { "\($0)\n" }.joined().utf8).write(to: sent)
      try body(Stores(events: events, facts: facts, money: store(.money), cells: cells))
    }
  }

  /// Returns the person of each user that is not a person of its own, by app and user.
  private func persons(_ path: String) throws -> [[String]: String] {
    let rows = try DatabaseQueue(path: path).read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT n.text, u.name, p.name FROM user AS u JOIN user AS p ON p.id = u.person JOIN name AS n ON n.id = u.app
          WHERE u.person <> u.id
          """)
    }
    return Dictionary(uniqueKeysWithValues: rows.map { ([$0[0], $0[1]], $0[2]) })
  }

  /// Returns the days of each app as rows of the driver.
  private func days(_ path: String) throws -> [String] {
    let columns = ["day", "events", "newest_received", "newest_timely", "newest_early", "newest_unmarked"]
    let row = columns.map { " || char(9) || COALESCE(\($0), '\\N')" }.joined()
    return try DatabaseQueue(path: path).read { db in
      try String.fetchAll(db, sql: "SELECT n.text\(row) FROM app_day JOIN name AS n ON n.id = app")
    }
  }

  /// Writes the files that the driver sends: facts and cells as the workers fold them, persons and days as in the store
  /// with the events.
  ///
  /// - Parameter rows: The rows of `DecodeWorker`, without duplicates.
  private func export(
    _ rows: [[String]], persons: [[String]: String], days: [String], to folder: URL, _ rules: FoldOptions
  ) throws {
    let events = rows.filter { $0[0] == "event" }
    func person(_ app: String, _ user: String) -> String { persons[[app, user]] ?? user }
    let kinds = Dictionary(uniqueKeysWithValues: WorkerProtocol.kinds.enumerated().map { ($1, $0) })
    let sorted = events.sorted { left, right in
      func key(_ row: [String]) -> (String, String, Int, Int, String) {
        (row[1], person(row[1], row[2]), Int(row[5]) ?? 0, kinds[row[4]] ?? 0, row[3])
      }
      return key(left) < key(right)
    }
    let input = sorted.map { "\($0[1])\t\(person($0[1], $0[2]))\t\($0[12])" }
    let facts = try WorkerRun.fold(input, options: rules)
    let packed = try WorkerRun.rows(input.map { "\($0)\n" }.joined()) {
      try FoldWorker.run($0, $1, options: .stored)
    }
    let cells = try unpacked(packed).filter { $0.hasPrefix("cell\t") }.map { String($0.dropFirst("cell\t".count)) }
    let width = FactRowReader.width
    let padded = facts.dropLast().map { row in
      row
        + String(repeating: "\t\\N", count: width - row.split(separator: "\t", omittingEmptySubsequences: false).count)
    }
    var impressions: [[String]: (count: Int, newest: Int)] = [:]
    for event in events where event[11] != "\\N" {
      let ts = Int(event[5]) ?? 0
      let key = [event[1], "\(ts / 86_400_000)", event[11]]
      let known = impressions[key] ?? (0, 0)
      impressions[key] = (known.count + 1, max(known.newest, ts))
    }
    let tables: [String: [String]] = [
      "facts": Array(padded), "cells": cells, "taken-cells": [],
      "members": persons.filter { $0.key[1] != $0.value }.map { "\($0.key[0])\t\($0.value)\t\($0.key[1])" },
      "days": days,
      "impressions": impressions.map { "\($0.key.joined(separator: "\t"))\t\($0.value.count)\t\($0.value.newest)" },
      // Two files that were read in parts and therefore have no digests.
      "files": ["a\t\t10\t5\t0\t\\N\t\\N", "b\t\t10\t5\t0\t\\N\t\\N"], "quarantine": [], "conflicts": [],
    ]
    for (name, rows) in tables {
      try Data(rows.map { "\($0)\n" }.joined().utf8).write(to: folder.appendingPathComponent(name))
    }
  }
}
