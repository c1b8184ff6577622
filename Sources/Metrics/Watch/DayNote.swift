public import Basics
internal import EventModel
public import Store

/// A note on a day, or on days in a row (SaveViewsCohortsAndNotes.md, "Notes on days").
public struct DayNote: Sendable, Equatable {
  /// Since 1970.
  public var days: Range<Int>
  /// `nil` for all apps.
  public var app: String?
  public var text: String
  public var tags: [String] = []
  /// Whether no day is compared with these by alarms.
  public var isExcluded = false

  /// - Parameter words: A day, or `DAY..DAY` whose second day is not included; `nil` for other words.
  public init?(_ words: String, app: String? = nil, text: String) {
    let parts = words.split(separator: "..", omittingEmptySubsequences: false)
    let days = parts.compactMap { CivilDate(String($0)) }.filter(\.isValid).map(\.daysSince1970)
    guard days.count == parts.count, (1...2).contains(days.count) else { return nil }
    let (first, end) = (days[0], days.count == 1 ? days[0] + 1 : days[1])
    guard first < end else { return nil }
    (self.days, self.app, self.text) = (first..<end, app, text)
  }

  /// The form of a day.
  public static let expectation = "a day such as 2026-02-16, or days such as 2026-02-16..2026-02-19, without the last"

  /// The days as ``init(_:app:text:)`` reads them.
  public var words: String {
    let first = CivilDate(daysSince1970: days.lowerBound)
    return days.count == 1 ? "\(first)" : "\(first)..\(CivilDate(daysSince1970: days.upperBound))"
  }

  public func isOf(_ name: String) -> Bool { app == nil || app == name }

  /// Reads a list of notes: `{day, text, app, tags, exclude}`.
  ///
  /// - Throws: ``ConfigurationError`` with the line that is not such a note.
  public static func all(yaml text: String, file: String) throws(ConfigurationError) -> [DayNote] {
    // Without a note, a file may still have lines that say what it is for.
    let isEmpty = text.split(whereSeparator: \.isNewline).allSatisfy {
      $0.drop(while: \.isWhitespace).first.map { $0 == "#" } ?? true
    }
    if isEmpty { return [] }
    return try YAMLValue.root(of: text, file: file).elements().map { item throws(ConfigurationError) in
      let members = try item.members(["day", "app", "text", "tags", "exclude"])
      guard let day = members["day"], let text = members["text"] else {
        throw item.failure("must have a day and a text, such as {day: 2026-02-16, app: steps, text: Price rise}")
      }
      guard var note = DayNote(try day.text(), app: try members["app"]?.text(), text: try text.text()) else {
        throw day.failure("is \(try day.text()), but must be \(expectation)")
      }
      note.tags = try members["tags"]?.texts() ?? []
      note.isExcluded = try members["exclude"]?.boolean() ?? false
      return note
    }
  }

  /// The default file of notes, next to the store.
  public static let fileName = "notes.yaml"

  /// Returns the notes of ``fileName`` beside a store; none without such a file.
  ///
  /// - Throws: ``ConfigurationError`` with the line that is not such a note.
  public static func all(of snapshot: StoreSnapshot) throws -> [DayNote] {
    let (text, path) = try snapshot.text(beside: fileName)
    return try text.map { try all(yaml: $0, file: path) } ?? []
  }

  /// The note as a line of a file.
  public var yaml: String {
    var members = ["day: \(words)"]
    if let app { members.append("app: \(JSONText.quoted(app))") }
    members.append("text: \(JSONText.quoted(text))")
    if !tags.isEmpty { members.append("tags: [\(tags.map(JSONText.quoted).joined(separator: ", "))]") }
    if isExcluded { members.append("exclude: true") }
    return "- {\(members.joined(separator: ", "))}\n"
  }
}
