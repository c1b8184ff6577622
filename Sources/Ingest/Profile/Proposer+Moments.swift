internal import EventModel

/// Proposes events of records that have the times of all events of a user.
extension Proposer {
  /// Returns the columns of times whose names mean a kind, if they are of two kinds or more.
  func foundMoments() -> [(column: Int, kind: EventKind)] {
    let found = columns.indices.compactMap { place -> (column: Int, kind: EventKind)? in
      let column = columns[place]
      guard column.signs.instants * 100 >= column.count * 95, column.count > 0 else { return nil }
      let words = NameWords.words(of: FieldSynonyms.lastStep(of: column.path)).filter { !Self.timeWords.contains($0) }
      guard !words.isEmpty, Self.futureWords.isDisjoint(with: words) else { return nil }
      if let kind = words.count == 1 ? Self.momentKinds[words[0]] : nil { return (place, kind) }
      guard case .kind(let kind) = KindWords.meaning(of: words.joined(separator: "_")), kind != .identify else {
        return nil
      }
      return (place, kind == .payment ? .conversion : kind)
    }
    let kinds = Set(found.map(\.kind))
    guard kinds.count == found.count, kinds.count > 1, !kinds.isDisjoint(with: [.paywallImpression, .conversion]) else {
      return []
    }
    return found
  }

  /// Words of a time that say nothing of its event.
  private static let timeWords: Set<String> = [
    "at", "date", "time", "on", "ts", "timestamp", "datetime", "first", "utc",
  ]
  /// Words of times that are yet to come.
  private static let futureWords: Set<String> = ["expires", "expiry", "until", "ends", "end", "renews", "next", "due"]
  /// Single words that mean a kind beside other times of a user.
  private static let momentKinds: [String: EventKind] = [
    "viewed": .paywallImpression, "exposed": .paywallImpression, "seen": .paywallImpression,
    "shown": .paywallImpression, "trial": .trialStart, "paid": .conversion, "purchased": .conversion,
    "converted": .conversion, "subscribed": .conversion, "started": .conversion, "cancelled": .cancellation,
    "canceled": .cancellation, "renewed": .renewal,
  ]

  /// Returns the share of the records with the time of a kind that have a value in a column.
  func momentCoverage(_ column: Int, of kind: EventKind) -> Double? {
    guard let moment = moments.first(where: { $0.kind == kind }), columns[moment.column].count > 0 else { return nil }
    let filled = Set(columns[column].rows)
    return Double(columns[moment.column].rows.count { filled.contains($0) }) / Double(columns[moment.column].count)
  }

  /// Returns the days that lie between most trials and the payment in the same record; `nil` if they differ.
  func momentTrialDays() -> Int? {
    guard let trial = moments.first(where: { $0.kind == .trialStart })?.column,
      let paid = moments.first(where: { $0.kind == .conversion })?.column
    else { return nil }
    let starts = Dictionary(zip(columns[trial].rows, columns[trial].instants)) { first, _ in first }
    let gaps = zip(columns[paid].rows, columns[paid].instants).compactMap { row, instant in
      starts[row].map { instant - $0 }
    }
    return ColumnScores.usualDays(of: gaps)
  }
}
