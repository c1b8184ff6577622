internal import EventModel
internal import Foundation
internal import Lifecycle
internal import Store

extension Health {
  /// The check of ``silentEntryPoints(_:)``, before the name of the entry point.
  public static let sinceLastViewer = "days since the last viewer of "

  /// Finds entry points that had viewers steadily and lately have none, on days on which others have some: the last of at
  /// most 28 such days is the newest that is over, and chance alone leaves so many without viewers in 1 of 10,000 cases.
  ///
  /// - Returns: By app.
  static func silentEntryPoints(_ query: ReportQuery) throws -> [NameID: [HealthCheck]] {
    var viewers: [NameID: [NameID: [Int: Int]]] = [:]
    var options = query.options
    (options.by, options.filters, options.from, options.to, options.timeZone) = (
      [.entryPoint, .day], [], nil, nil, "UTC"
    )
    let entries = try CellQuery(ReportQuery(query.snapshot, options, defaultBy: []), [.entry])
    try entries.forEachRow(.entry) { key, _, scan in
      let (entryPoint, number) = (NameID(key.codes[0]), Int(key.codes[1] / day))
      var count = 0
      try scan { $0.forEachEntry { _ in count += 1 } }
      viewers[key.app, default: [:]][entryPoint, default: [:]][number, default: 0] += count
    }
    var checks: [NameID: [HealthCheck]] = [:]
    for app in query.apps {
      // Files end up to a quarter of a day before midnight.
      let newest = Int(floorDays(query.asOf(of: app) + day / 4)) - 1
      let own = (viewers[app.id] ?? [:]).map { (name: query.facts.name(Int($0.key)), id: $0.key, days: $0.value) }
      for (name, id, counts) in own.sorted(by: { precedesInBytes($0.name, $1.name) }) where !name.isEmpty {
        let days = counts.keys.sorted()
        guard let first = days.first, let last = days.last, last < newest, newest - last <= recent else { continue }
        let silent = Array(last + 1...newest)
        let gap = zip(days, days.dropFirst()).map { $1 - $0 - 1 }.max() ?? 0
        let from = max(first, last - recent + 1)
        let mean = Double((from...last).reduce(0) { $0 + (counts[$1] ?? 0) }) / Double(last - from + 1)
        let others = own.filter { $0.id != id }
        guard silent.count > gap, exp(-mean * Double(silent.count)) <= 0.0001,
          silent.allSatisfy({ day in others.contains { $0.days[day] != nil } })
        else { continue }
        var check = HealthCheck(
          app.name, sinceLastViewer + name, silent.count, of: newest - first + 1, affects: HealthCheck.byContext,
          "others have viewers on these days: its paywall may be gone or its events missing")
        check.days = silent
        checks[app.id, default: []].append(check)
      }
    }
    return checks
  }

  /// The days before that say how many viewers an entry point has, and those after which it is no news.
  private static let recent = 28
}
