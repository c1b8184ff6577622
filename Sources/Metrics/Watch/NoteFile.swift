public import Basics

/// The text of a file of notes, changed line by line so that comments and layout stay (SaveViewsCohortsAndNotes.md,
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
    try change(to: text + end + note.yaml, notes + [note])
  }

  /// Removes a note.
  ///
  /// - Parameter number: From 1, in the order of the file.
  /// - Throws: ``UsageError`` for a number without a note.
  public mutating func remove(_ number: Int) throws -> DayNote {
    guard notes.indices.contains(number - 1) else {
      throw UsageError(
        notes.isEmpty
          ? "\(name): has no notes"
          : "there is no note \(number); use a number from 1 to \(notes.count), of `note list`")
    }
    let starts = try YAMLValue.root(of: text, file: name).elements().compactMap(\.line)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let first = starts[number - 1] - 1
    var end = number < starts.count ? starts[number] - 1 : lines.count
    // Comments before the next note belong to that note and stay.
    while end > first + 1,
      lines[end - 1].allSatisfy(\.isWhitespace) || lines[end - 1].drop(while: \.isWhitespace).first == "#"
    {
      end -= 1
    }
    lines.removeSubrange(first..<end)
    var rest = notes
    let removed = rest.remove(at: number - 1)
    try change(to: lines.joined(separator: "\n"), rest)
    return removed
  }

  private mutating func change(to text: String, _ notes: [DayNote]) throws {
    guard (try? DayNote.all(yaml: text, file: name)) == notes else {
      throw UsageError("\(name): is not a list with each note on its own lines, as `- {day: …}`: change it by hand")
    }
    (self.text, self.notes) = (text, notes)
  }
}
