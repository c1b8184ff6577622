import EventModel
public import Metrics

/// Something that happened in an app on a day, for axes of time.
public struct TimeMark: Sendable, Hashable {
  /// Since 1970.
  public var day: Int
  /// `nil` for something that happened in all apps.
  public var app: String?
  /// Such as `7.2.0` or `headline starts`.
  public var text: String

  public init(day: Int, app: String?, text: String) { (self.day, self.app, self.text) = (day, app, text) }

  /// Returns notes as marks on their first days, in order of time.
  static func marks(_ notes: [DayNote]) -> [TimeMark] {
    notes.map { note in
      let last = note.days.upperBound - 1
      let text = note.days.count == 1 ? note.text : "\(note.text) (to \(shortDay(last)))"
      return TimeMark(day: note.days.lowerBound, app: note.app, text: text)
    }.enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }.map(\.element)
  }

  /// Returns true if the mark belongs to an app; for `nil`, to every app.
  func isOf(_ name: String?) -> Bool { app == nil || app == name }

  /// The notes, then the first days of versions and the starts and ends of experiments; each in order of time.
  ///
  /// A version begins on the first day on which a twentieth of the app's viewers have it; one that is there from the
  /// beginning has no first day.
  ///
  /// - Parameters:
  ///   - versions: The funnel by version and day.
  ///   - experiments: The list of experiments.
  ///   - notes: They come first, as the first ones are labelled.
  public static func all(versions: Report?, experiments: Report?, notes: [DayNote] = []) -> [TimeMark] {
    marks(notes)
      + ((versions.map(firstDays) ?? []) + (experiments.map(tests) ?? [])).sorted { left, right in
        left.day != right.day ? left.day < right.day : precedesInBytes(left.text, right.text)
      }
  }

  private static func firstDays(_ report: Report) -> [TimeMark] {
    let rows = ChartTable(report).rows
    func viewers(_ row: ChartTable.Row) -> Int { (row.count("users") ?? 0) + (row.count("immature") ?? 0) }
    var all: [String: [String: Int]] = [:]
    for row in rows { all[row.app, default: [:]][row.key("day") ?? "", default: 0] += viewers(row) }
    var first: [String: [String: String]] = [:]
    for row in rows {
      guard let day = row.key("day"), let version = row.key("app_version"), !version.hasPrefix("("),
        viewers(row) * 20 >= max(1, all[row.app]?[day] ?? 0)
      else { continue }
      let known = first[row.app]?[version]
      if known.map({ precedesInBytes(day, $0) }) ?? true { first[row.app, default: [:]][version] = day }
    }
    return first.flatMap { app, versions -> [TimeMark] in
      let start = all[app]?.keys.min(by: precedesInBytes)
      return versions.compactMap { version, day in
        day == start ? nil : CivilDate(day).map { TimeMark(day: $0.daysSince1970, app: app, text: version) }
      }
    }
  }

  private static func tests(_ report: Report) -> [TimeMark] {
    ChartTable(report).rows.flatMap { row -> [TimeMark] in
      func day(_ column: String) -> Int? {
        row.values[column]?.textValue.flatMap { CivilDate(String($0.prefix(10))) }?.daysSince1970
      }
      guard let name = row.key("experiment"), let first = day("first_exposure"), let last = day("last_exposure"),
        let asOf = report.asOf.first(where: { $0.app == row.app })
      else { return [] }
      let data = (asOf.firstDay ?? 0) / 86_400_000..<(asOf.asOf - 1) / 86_400_000
      var marks: [TimeMark] = []
      if Int64(first) > data.lowerBound { marks.append(TimeMark(day: first, app: row.app, text: "\(name) starts")) }
      // One that is still running has no end.
      if Int64(last) + 7 < data.upperBound { marks.append(TimeMark(day: last, app: row.app, text: "\(name) ends")) }
      return marks
    }
  }
}
