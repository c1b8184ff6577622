import Foundation
import Testing

/// `tollgate program`, and frozen readouts (D9).
@Suite struct ProgramCommandTests {
  private static let plan = """
    experiment: test
    change: copy
    shipped_on: 2026-02-20

    """

  /// 240 users of two variants over ten days; 24 of 120 and 40 of 120 pay.
  private static let events =
    (0..<240).map { person in
      let isControl = person % 2 == 0
      let day = String(format: "2026-01-%02dT10:00:00Z", 1 + person % 10)
      let impression = Folder.event(
        "paywall_impression", "i\(person)", day, user: "u\(person)",
        #","entry_point":"settings","experiment":"test","variant":"\#(isControl ? "control" : "b")""#)
      guard person % (isControl ? 10 : 6) < 2 else { return impression }
      return impression
        + Folder.event(
          "conversion", "c\(person)", day, user: "u\(person)",
          #","plan":"monthly","product_id":"pro","price":6.99,"currency":"EUR""#)
    }.joined() + Folder.event("activity", "z", "2026-03-01T00:00:00Z", user: "z")

  private static func withStore(_ body: (Folder) throws -> Void) throws {
    try Folder.with { folder in
      try folder.write(events, to: "events.jsonl")
      _ = try folder.run("ingest", "events.jsonl")
      try FileManager.default.createDirectory(
        at: folder.url.appendingPathComponent("plans"), withIntermediateDirectories: true)
      try folder.write(plan, to: "plans/test.yaml")
      try body(folder)
    }
  }

  @Test func printsTheRegistryInEveryFormat() throws {
    try Self.withStore { folder in
      let table = try folder.run("program", "--plans", "plans")
      #expect(table.status == 0 && table.errors == "", "\(table.errors)")
      #expect(table.output.contains("Shipped lifts add up to +"))
      #expect(table.output.contains("only a holdout group can check"))
      #expect(table.output.contains("2026-02-20"))
      let csv = try folder.run("program", "--plans", "plans", "--format", "csv")
      #expect(csv.output.contains("demo,summary,,sum,"))
      #expect(csv.output.contains("demo,tests,test,shipped,,,,,,yes"))
      let json = try folder.run("program", "--format", "json")
      #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [String: Any])
      #expect(try folder.run("program", "--format", "markdown").output.contains("unplanned"))
    }
  }

  @Test func aFrozenReadoutIsTheSameUntilItsDataChange() throws {
    try Self.withStore { folder in
      func freeze() throws -> Program.Result {
        try folder.run(
          "experiment", "test", "--config", "plans/test.yaml", "--freeze", "frozen", "--format", "csv")
      }
      func verify() throws -> [String] {
        let result = try folder.run("program", "--verify", "frozen", "--format", "csv")
        #expect(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").dropFirst().map { line in
          line.split(separator: ",", omittingEmptySubsequences: false)[4].description
        }
      }
      #expect(try freeze().status == 0)
      #expect(try freeze().status == 0)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path("frozen")).sorted() == [
          "test.1.json", "test.2.json",
        ])
      #expect(try verify() == ["same", "same"])
      // Simulates a version that reads one value differently.
      let text = try folder.text(of: "frozen/test.2.json")
      let place = try #require(text.range(of: #""text" : "copy""#) ?? text.range(of: #""unit" : "share""#))
      try folder.write(text.replacingCharacters(in: place, with: #""unit" : "other""#), to: "frozen/test.2.json")
      #expect(try verify() == ["same", "program changed"])
      // A late payment dated before that day.
      let late = Folder.event(
        "conversion", "late", "2026-01-04T10:00:00Z", user: "u3",
        #","plan":"monthly","product_id":"pro","price":6.99,"currency":"EUR""#)
      try folder.write(late, to: "late.jsonl")
      _ = try folder.run("ingest", "late.jsonl")
      #expect(try verify() == ["data changed", "data changed"])
    }
  }

  @Test func wrongInputIsNamed() throws {
    try Self.withStore { folder in
      let none = try folder.run("program", "--plans", "nowhere")
      #expect(none.status == 2 && none.errors.contains("nowhere: no such folder"), "\(none.errors)")
      try folder.write("experiment: test\nchange: colour\n", to: "plans/test.yaml")
      let broken = try folder.run("program", "--plans", "plans")
      #expect(broken.status == 2 && broken.errors.contains("plans/test.yaml:2: change is colour"), "\(broken.errors)")
      let empty = try folder.run("program", "--verify", "plans")
      #expect(empty.status == 2 && empty.errors.contains("has no frozen readout"), "\(empty.errors)")
      let plain = try folder.run("experiment", "test", "--freeze", "frozen")
      #expect(plain.status == 2 && plain.errors.contains("--freeze needs --config"), "\(plain.errors)")
    }
  }

  @Test func anEmptyStoreSaysSo() throws {
    try Folder.with { folder in
      try folder.write("", to: "events.jsonl")
      _ = try folder.run("ingest", "events.jsonl")
      let result = try folder.run("program")
      #expect(result.status == 0 && result.errors.contains("The store has no experiments"), "\(result.output)")
    }
  }
}
