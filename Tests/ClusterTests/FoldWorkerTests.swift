import Cluster
import Testing

@Suite struct FoldWorkerTests {
  /// Derived by hand from definitions 2.2, 2.3, 2.10: a trial of 7 days that starts two hours after the impression it
  /// is credited to and is paid on day 7.
  @Test func factsOfAPersonAreRows() throws {
    let rows = try WorkerRun.fold([
      WorkerRun.row("u\\\\1", "paywall_impression", "a", dayZero, ",\"entry_point\":\"card\",\"variant\":\"b\"")
        .replacing(
          "\"u\\\\1\"", with: "\"u\\\\\\\\1\""),
      WorkerRun.row(
        "u\\\\1", "trial_start", "b", dayZero + 7_200_000, ",\"plan\":\"yearly\",\"product_id\":\"p\",\"trial_days\":7"
      )
      .replacing("\"u\\\\1\"", with: "\"u\\\\\\\\1\""),
    ])
    let context = "\\N\tb\t\\N\tcard"
    let client = "\\N\t\\N\t\\N\t\\N\t\\N"
    let start = dayZero + 7_200_000
    #expect(
      rows == [
        "entry\tdemo\tu\\\\1\t0\t0\t\(dayZero)\t\(context)\t\(client)\t\\N\tfalse\t\\N\t\\N\t\\N\t\\N\t\\N",
        "trial\tdemo\tu\\\\1\t0\t0\t\(start)\t\(start + 7 * 86_400_000)\t\(start + 10 * 86_400_000)\t\\N\tfalse"
          + "\t\(context)\t\(client)\tyearly\tfalse\tintroductory\tp\t\\N\t\\N\t\\N",
        "end\t\(WorkerProtocol.version)\t2\t1",
      ])
  }

  @Test func anEmptyPartitionHasOnlyAnEnd() throws {
    #expect(try WorkerRun.fold([]) == ["end\t\(WorkerProtocol.version)\t0\t0"])
  }

  @Test func personsWithoutFactsAreCounted() throws {
    #expect(
      try WorkerRun.fold([WorkerRun.row("u1", "activity", "a", dayZero), WorkerRun.row("u2", "activity", "b", dayZero)])
        == ["end\t\(WorkerProtocol.version)\t2\t2"])
  }

  /// Events are ordered by ts, then kind (an impression comes before a trial in Events.md), then event id as bytes.
  @Test(
    arguments: [
      [("activity", "b", 1), ("activity", "a", 0)], [("activity", "b", 0), ("activity", "a", 0)],
      [("activity", "a", 0), ("paywall_dismissal", "b", 0)], [("activity", "a", 0), ("activity", "a", 0)],
    ] as [[(String, String, Int64)]])
  func eventsOutOfOrderAreRefused(events: [(String, String, Int64)]) throws {
    let fault = #expect(throws: WorkerFault.self) {
      try WorkerRun.fold(events.map { WorkerRun.row("u1", $0.0, $0.1, dayZero + $0.2) })
    }
    #expect(fault?.status == .data)
    #expect(fault?.description.hasPrefix("row 2: the events of one user are out of order") == true)
  }

  @Test func aPersonThatComesAgainIsRefused() throws {
    let fault = #expect(throws: WorkerFault.self) {
      try WorkerRun.fold(
        ["u1", "u2", "u1"].enumerated().map { WorkerRun.row($1, "activity", "e\($0)", dayZero) })
    }
    #expect(
      fault?.description == "row 3: app demo, person u1 comes after a later one; expected order of app and user")
  }

  /// Spark refuses a table with two columns of one name.
  @Test(arguments: WorkerProtocol.facts + [.cell, .event])
  func columnsHaveNamesOfTheirOwn(tag: WorkerProtocol.Tag) {
    let names = WorkerProtocol.allColumns(of: tag).map(\.name)
    #expect(Set(names).count == names.count, "\(names)")
  }

  /// Batches of 4,096 events are decoded together; a person may have more.
  @Test func aPersonMayBeLargerThanABatch() throws {
    let rows = (0..<10_000).map {
      WorkerRun.row("u1", "paywall_impression", "e", dayZero + Int64($0), ",\"entry_point\":\"e\($0 % 3)\"")
    }
    let facts = try WorkerRun.fold(rows)
    #expect(facts.count == 2 && facts[0].hasPrefix("entry\tdemo\tu1\t0\t0\t\(dayZero)\t"))
    #expect(facts[1] == "end\t\(WorkerProtocol.version)\t10000\t1")
  }

  @Test(arguments: [
    ("demo\tu1\n", "row 1: has 2 columns; expected 3"), ("demo\tu1\t{}", "row 1: the input ends in the middle of it"),
    ("demo\t\\N\t{}\n", "row 1, column 2: is NULL"),
    ("demo\tu\\q\t{}\n", "row 1, column 2: a backslash is not followed by"),
    ("demo\tu1\t{}\n", "row 1: is not an event: missing:event_id"),
  ])
  func rowsThatAreNoneAreRefused(input: String, message: String) throws {
    let fault = #expect(throws: WorkerFault.self) {
      try WorkerRun.rows(input) { input, output in
        try FoldWorker.run(input, output, options: .stored)
      }
    }
    #expect(fault?.status == .data && fault?.description.hasPrefix(message) == true, "\(String(describing: fault))")
  }
}
