import Basics
import Testing

@testable import Metrics

/// Notes on days. 16 February 2026 is 20,500 days after 1 January 1970, 1 March 13 more.
struct DayNoteTests {
  private static let text = """
    # Prices and outages
    - {day: 2026-03-01..2026-03-04, text: Outage, exclude: true}

    # In the app of steps alone
    - day: 2026-02-16
      app: steps
      text: Price rise
      tags: [price, store]
    - {day: 2026-02-17, text: "a # b"}
    """

  @Test func aFileIsRead() throws {
    let notes = try DayNote.all(yaml: Self.text, file: "notes.yaml")
    #expect(notes.map(\.days) == [20_513..<20_516, 20_500..<20_501, 20_501..<20_502])
    #expect(notes.map(\.text) == ["Outage", "Price rise", "a # b"] && notes.map(\.app) == [nil, "steps", nil])
    #expect(notes.map(\.tags) == [[], ["price", "store"], []] && notes.map(\.isExcluded) == [true, false, false])
    #expect(notes.map(\.words) == ["2026-03-01..2026-03-04", "2026-02-16", "2026-02-17"])
    #expect(notes[0].isOf("steps") && notes[1].isOf("steps") && !notes[1].isOf("coach"))
    #expect(try DayNote.all(yaml: "# nothing yet\n\n", file: "notes.yaml").isEmpty)
  }

  @Test(arguments: [
    ("- {day: 16.2.2026, text: x}", "notes.yaml:1: day is 16.2.2026, but must be a day such as 2026-02-16"),
    ("- {day: 2026-02-30, text: x}", "day is 2026-02-30"),
    ("- {day: 2026-03-01..2026-03-01, text: x}", "without the last"),
    ("- {day: 2026-03-01..2026-03-02..2026-03-03, text: x}", "without the last"), ("- {day: .., text: x}", "day is .."),
    ("- {day: 2026-02-16}", "notes.yaml:1: must have a day and a text"),
    ("- {day: 2026-02-16, txt: x}", "did you mean text?"),
    ("- {day: 2026-02-16, text: x, exclude: maybe}", "must be true or false"), ("- Outage", "must be a mapping"),
  ]) func aWrongNoteSaysWhy(text: String, problem: String) {
    let error = #expect(throws: ConfigurationError.self) { try DayNote.all(yaml: text, file: "notes.yaml") }
    #expect("\(error.map { "\($0)" } ?? "")".contains(problem), "\(error.map { "\($0)" } ?? "")")
  }

  /// Nothing else in the file changes.
  @Test func aNoteIsAddedAsALine() throws {
    var file = try NoteFile(Self.text, name: "notes.yaml")
    var note = try #require(DayNote("2026-03-09", app: "a\"b", text: "It's 5% off: \\o/ 🎈"))
    (note.tags, note.isExcluded) = (["x, y"], true)
    try file.add(note)
    #expect(file.notes.last == note && file.text.hasPrefix(Self.text + "\n- {day: 2026-03-09, "))
  }

  @Test func aListOnOneLineIsLeftToPeople() throws {
    let text = "[{day: 2026-03-01, text: a}, {day: 2026-03-02, text: b}]\n"
    var file = try NoteFile(text, name: "notes.yaml")
    let note = try #require(DayNote("2026-03-09", text: "c"))
    #expect(throws: UsageError.self) { try file.add(note) }
    #expect(file.text == text && file.notes.count == 2)
  }
}
