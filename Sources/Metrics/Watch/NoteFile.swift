public import Basics

/// The text of a file of notes, to which a note adds a line, so that comments and layout stay (SaveViewsCohortsAndNotes.md,
/// "Notes on days").
public struct NoteFile: Sendable {
  public let name: String
  public private(set) var text: String
  public private(set) var notes: [DayNote]

  /// - Throws: ``ConfigurationError``.
  public init(_ text: String, name: String) throws(ConfigurationError) {
    (self.text, self.name) = (text, name)
    notes = try DayNote.all(yaml: text, file: name)
  }

  /// Adds a note at the end.
  ///
  /// - Throws: ``UsageError`` if the file is not a list with one line per note.
  public mutating func add(_ note: DayNote) throws {
    let end = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
    let changed = text + end + note.yaml
    guard (try? DayNote.all(yaml: changed, file: name)) == notes + [note] else {
      throw UsageError("\(name): is not a list with each note on its own lines, as `- {day: …}`: change it by hand")
    }
    (text, notes) = (changed, notes + [note])
  }
}
