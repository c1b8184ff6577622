internal import EventModel
internal import Lifecycle
internal import Store

/// The length that most trials have on each side of a comparison of periods.
enum TrialLengths {
  /// Returns a sentence for each app whose trials last longer or shorter than before: at one age, fewer or more are over.
  static func notes(_ snapshot: StoreSnapshot, _ sides: [(app: String, sides: ComparedSides)]) throws -> [String] {
    let isAlone = sides.count == 1
    return try sides.compactMap { app, sides in
      guard let now = try days(snapshot, sides.now), let before = try days(snapshot, sides.before), now != before
      else { return nil }
      return "\(isAlone ? "Most" : "\(app): most") trials last \(counted(now, "day")) now and lasted "
        + "\(counted(before, "day")) before, so \(now > before ? "fewer" : "more") are over at the same age."
    }
  }

  /// Returns the most frequent length of the trials that a side's days began; `nil` without one.
  private static func days(_ snapshot: StoreSnapshot, _ side: ComparedSides.Side) throws -> Int? {
    let query = try ReportQuery(snapshot, side.options, by: .trials).with(side.options, by: [])
    var trials: [Int: Int] = [:]
    try CellQuery(query, [.trial]).forEachRow(.trial) { _, _, scan in
      try scan { $0.forEachTrial { trials[Int(($0.end - $0.start) / day), default: 0] += 1 } }
    }
    return trials.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }
}
