import ArgumentParser
import Basics
import Foundation
import Metrics
import Reports
import Store

struct NoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Keep notes on days, such as an outage or a price change.",
    discussion: """
      The notes are in a YAML file, which you can also edit by hand:

        - {day: 2026-02-16, app: steps, text: Price rise, tags: [price]}
        # in all apps, 1 to 3 March (the day after .. does not count):
        - {day: 2026-03-01..2026-03-04, text: Outage, exclude: true}

      With --annotations, `report` and `serve` mark these days in charts, and `why` lists them. With `notes:` in \
      its configuration, `nightly` adds them to its alarms. With exclude: true, alarms do not compare later days with these \
      days.
      """,
    subcommands: [Add.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a note on a day or a range of days.",
      discussion: """
          tollgate note add 2026-02-16 --app steps Price rise
          tollgate note add 2026-03-01..2026-03-04 Outage --exclude
        """)

    @OptionGroup var common: CommonOptions

    @Option(
      help: ArgumentHelp("YAML file of notes (default: notes.yaml next to the store).", valueName: "file"),
      completion: .file(extensions: ["yaml", "yml"]))
    var annotations: String?

    @Argument(help: ArgumentHelp("Day, or range of days; the second day is not included.", valueName: "day[..day]"))
    var day: String

    @Argument(help: ArgumentHelp("Text of the note.", valueName: "text"))
    var text: [String]

    @Option(help: ArgumentHelp("App that the note is about (default: all).", valueName: "name"))
    var app: String?

    @Option(help: ArgumentHelp("Tag of the note (repeatable).", valueName: "tag"))
    var tag: [String] = []

    @Flag(help: "Do not compare later days with these days in alarms.")
    var exclude = false

    func run() throws {
      let words = text.joined(separator: " ")
      guard !words.allSatisfy(\.isWhitespace) else { throw UsageError("the note is empty, but must have a text") }
      guard var note = DayNote(day, app: app, text: words) else {
        throw UsageError("the day is \(day), but must be \(DayNote.expectation)")
      }
      if let app, FileManager.default.fileExists(atPath: common.storePath) {
        let apps = try Store.open(readOnly: common.storePath).read { try $0.apps().map(\.name) }
        if !apps.contains(app) { throw ReportError.unknownApp(app, known: apps) }
      }
      (note.tags, note.isExcluded) = (tag, exclude)
      let path = annotations ?? common.beside(DayNote.fileName)
      let isThere = FileManager.default.fileExists(atPath: path)
      var notes = try NoteFile(isThere ? SmallFile.text(of: path) : "", name: path)
      try notes.add(note)
      try WholeFile.write(Data(notes.text.utf8), to: path, ofOption: "")
      if !common.quiet { print(ReportMarkup.shown("\(path): note \(notes.notes.count), \(note.shown)")) }
    }
  }
}

extension DayNote {
  /// The note as a line to read.
  fileprivate var shown: String {
    var parts = ["\(shortDays(days, hasYear: true)), \(app ?? "all apps"): \(text)"]
    if !tags.isEmpty { parts.append("[\(tags.joined(separator: ", "))]") }
    if isExcluded { parts.append("(left out by alarms)") }
    return parts.joined(separator: " ")
  }
}
