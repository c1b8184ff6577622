internal import EventModel
internal import Lifecycle
internal import Store

/// The length that most trials have on each side of a comparison of periods.
enum TrialLengths {
  /// Returns a sentence for each app whose trials last longer or shorter than before: at one age, fewer or more are over.
  static func notes(_ snapshot: StoreSnapshot, _ sides: [(app: String, sides: ComparedSides)]) throws -> [String] {
    let isAlone = sides.count == 1
    return try sides.compactMap { app, sides in
      guard let now = most(try starts(snapshot, sides.now.options)),
        let before = most(try starts(snapshot, sides.before.options)), now != before
      else { return nil }
      return "\(isAlone ? "Most" : "\(app): most") trials last \(counted(now, "day")) now and lasted "
        + "\(counted(before, "day")) before, so \(now > before ? "fewer" : "more") are over at the same age."
    }
  }

  /// Returns the length that most trials have; `nil` without trials.
  static func most(_ starts: [Int: [Int]]) -> Int? {
    starts.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.key
  }

  /// Returns the local days on which trials began, by their length in days.
  static func starts(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> [Int: [Int]] {
    let query = try ReportQuery(snapshot, options, by: .trials).with(options, by: [])
    var starts: [Int: [Int]] = [:]
    try CellQuery(query, [.trial]).forEachRow(.trial) { _, _, scan in
      try scan {
        $0.forEachTrial {
          starts[Int(($0.end - $0.start) / day), default: []].append(Int(query.localTime.day(of: $0.start)))
        }
      }
    }
    return starts
  }
}
