import Basics
import EventModel
import Foundation
import Testing

@testable import Cluster
@testable import Store

@Suite struct CellWorkerTests: PackedRows {
  /// Derived by hand from definitions 2.2, 2.3, 3.2: an entry at 00:00:01.000, and a trial of 7 days that starts a day
  /// and two hours later, with 3 days of grace, not paid. An entry's number is its ms of the day followed by four bits:
  /// trial (1), trial paid (2), direct (4), purchase (8). The trial's numbers are its start in the day, its length, the
  /// grace, and 0 for no conversion.
  @Test func cellsOfAPersonAreRows() throws {
    let cells = try folded([
      WorkerRun.row("u", "paywall_impression", "a", dayZero + 1000, ",\"entry_point\":\"card\",\"variant\":\"b\""),
      WorkerRun.row(
        "u", "trial_start", "b", dayZero + 93_600_000, ",\"plan\":\"yearly\",\"product_id\":\"p\",\"trial_days\":7"),
    ])
    let none = "\\N\t\\N\t\\N\t\\N\t\\N"
    let rows = cells.map { columns($0).dropLast().joined(separator: "\t") }
    #expect(
      rows == [
        "cell\tdemo\tentry\t\\N\tb\t\\N\tcard\t\\N\tfalse\t\\N\t\\N\t\\N\t\\N\t\\N\t\(none)\t1",
        "cell\tdemo\ttrial\t\\N\tb\t\\N\tcard\tyearly\tfalse\tintroductory\tp\t\\N\t\\N\t\\N\t\(none)\t1",
      ])
    let day = dayZero / 86_400_000
    #expect(try cells.map(units) == [[day, 1000 << 4 | 1], [day + 1, 7_200_000, 7 * 86_400_000, 3 * 86_400_000, 0]])
  }

  /// Cells of later builds, added and subtracted, equal those of a single build, however the events are split.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func laterBuildsComeToOne(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let lines = lines(persons: 25, seed: seed)
    let rows = foldInput(try WorkerRun.decoded([("f", file(lines.map(\.line)))]))
    let isFormer = rows.map { _ in Int.random(in: 0..<10, using: &random) < 7 }
    let former = zip(rows, isFormer).filter { $1 }.map(\.0)
    // Persons with a new event are folded twice.
    let touched = Set(zip(rows, isFormer).filter { !$1 }.map { person($0.0) })
    let again =
      rows.filter { touched.contains(person($0)) }.map { "0\t\($0)" }
      + former.filter { touched.contains(person($0)) }.map { "1\t\($0)" }
    #expect(touched.count > 3 && again.count > touched.count)
    let changes = try WorkerRun.rows(again.map { "\($0)\n" }.joined()) {
      try FoldWorker.run($0, $1, options: .stored, again: true)
    }
    // Only current persons are counted and have facts.
    #expect(columns(try #require(changes.last))[3] == "\(touched.count)")
    let facts = try unpacked(changes).filter { !$0.hasPrefix("cell\t") }
    #expect(try facts.sorted() == WorkerRun.fold(rows.filter { touched.contains(person($0)) }).dropLast().sorted())

    let taken = try unpacked(changes).filter { $0.hasPrefix("cell\t") }
    #expect(taken.contains { columns($0)[19].hasPrefix("-") })
    #expect(try addedUp(folded(former) + taken).sorted() == folded(rows).sorted())
  }

  @Test func whatIsNotThereCannotBeTakenAway() throws {
    let cells = try folded([WorkerRun.row("u", "paywall_impression", "a", dayZero, ",\"entry_point\":\"card\"")])
    var taken = columns(cells[0])
    taken[19] = "-1"
    let fault = #expect(throws: WorkerFault.self) { try addedUp([taken.joined(separator: "\t")]) }
    #expect(fault?.status == .data)
    #expect(try addedUp([taken.joined(separator: "\t"), cells[0]]) == [])
  }

  /// A cell has only units of its own month.
  @Test func unitsAreOfTheirMonth() throws {
    // The last ms of February 2028, a leap year, and the first of March.
    let march = try #require(Instant(rfc3339: "2028-03-01T00:00:00Z")).millisecondsSince1970
    let packs = try WorkerRun.rows(
      ["u1", "u2"].enumerated().map {
        WorkerRun.row($1, "paywall_impression", "e\($0)", march - 1 + Int64($0), ",\"entry_point\":\"card\"") + "\n"
      }.joined()
    ) { try FoldWorker.run($0, $1, options: .stored) }
    let cells = packs.filter { $0.hasPrefix("pack\tcell\t") }.map { columns($0) }
    #expect(cells.map { $0[3] } == ["2028-02", "2028-03"] && cells.map { $0[6] } == ["1", "1"])
  }

  // MARK: Rows

  private func person(_ row: String) -> String { columns(row)[..<2].joined(separator: "\t") }

  /// Returns the rows of cells for events sorted by person.
  private func folded(_ events: [String]) throws -> [String] {
    let rows = try WorkerRun.rows(events.map { "\($0)\n" }.joined()) {
      try FoldWorker.run($0, $1, options: .stored)
    }
    return try unpacked(rows).filter { $0.hasPrefix("cell\t") }
  }

  /// Returns the sums of rows of cells, with their months in Spark's form.
  private func addedUp(_ cells: [String]) throws -> [String] {
    let rows = try cells.map { cell -> String in
      let day = try #require(units(cell).first)
      let month = CivilDate(daysSince1970: Int(day)).description.dropLast(3)
      return ([String(month)] + columns(cell).dropFirst()).joined(separator: "\t")
    }
    func key(_ row: String) -> String { columns(row).dropLast(2).joined(separator: "\t") }
    let sorted = rows.sorted { key($0) < key($1) }
    return try unpacked(
      WorkerRun.rows(sorted.map { "\($0)\n" }.joined()) { try CellWorker.run($0, $1) })
  }

  /// Returns all fields of a cell's units.
  private func units(_ cell: String) throws -> [Int64] {
    let family = try #require(FactText.family(columns(cell)[2]))
    let bytes = try Array(columns(cell)[20].utf8).withUnsafeBytes { try Base64.bytes($0) }
    return bytes.withUnsafeBytes { UnitLayout(storesDistance: [true] + family.layout.storesDistance).decode($0) }
  }
}
