internal import Basics
internal import EventModel

/// A column that says when an event of one kind was, where a record has all events of a user or a subscription.
struct Moment {
  var column: Int
  var kind: EventKind
  /// The name of the events in the proposal, which tells two moments of one column apart.
  var name: String
  /// A further condition of the mapping.
  var condition: String?
  var count: Int
}

/// Proposes events of records that have the times of all events of a user.
extension Proposer {
  /// Returns the columns of times whose names mean a kind, if they are of two kinds or more.
  func foundMoments() -> [Moment] {
    let table = answers.tableKind
    var found = columns.indices.compactMap { place -> Moment? in
      let column = columns[place]
      guard column.isOfTimes, let kind = momentKind(column.path) else { return nil }
      return Moment(column: place, kind: kind, name: column.path, count: column.count)
    }
    // The time of the table's own events may have any name.
    if let table, !found.isEmpty, !found.contains(where: { $0.kind == table }), let time = chosen[.ts]?.column,
      !found.contains(where: { $0.column == time }), scores.filled(time) >= 0.99
    {
      found.insert(
        Moment(column: time, kind: table, name: columns[time].path, count: columns[time].count), at: 0)
    }
    found = withoutEndsOfTrials(found)
    if let paid = activation(after: found) { found.append(paid) }
    if let start = creation(beside: found) {
      found = found.filter { FieldSynonyms.score(of: $0.name, for: .trialEndsAt) < 0.8 } + [start]
    }
    let kinds = Set(found.map(\.kind))
    let first: Set<EventKind> = [.paywallImpression, .conversion, .payment, .trialStart]
    // Beside another file with the payments, the start of a trial alone says enough.
    let isOfTrials = kinds == [.trialStart] && table == nil && answers.isOneOfSeveral
    guard kinds.count == found.count, kinds.count > 1 || isOfTrials, !kinds.isDisjoint(with: first) else { return [] }
    return withRefunds(withTrials(found))
  }

  /// Returns the time at which subscriptions were created, where no other says when they or their trials began: the
  /// trials of some end later, and others were cancelled or ended.
  private func creation(beside found: [Moment]) -> Moment? {
    let known = Set(found.map(\.kind))
    guard let time = chosen[.ts]?.column, words(time).contains("created"), let end = endOfTrials,
      known.isSubset(of: [.cancellation, .expiration, .refund]), found.contains(where: { $0.column != end }),
      columns[time].instants.count == profile.recordCount, columns[end].hasInstantsAlone
    else { return nil }
    let starts = columns[time].instants
    guard zip(columns[end].rows, columns[end].instants).allSatisfy({ starts[Int($0)] < $1 }) else { return nil }
    return Moment(column: time, kind: .conversion, name: columns[time].path, count: columns[time].count)
  }

  /// The column of the ends of trials.
  private var endOfTrials: Int? {
    columns.indices.first { place in
      FieldSynonyms.score(of: columns[place].path, for: .trialEndsAt) >= 0.8 && columns[place].isOfTimes
    }
  }

  /// Leaves out ends of trials, where another time is that of the end, or the trials have their start.
  private func withoutEndsOfTrials(_ moments: [Moment]) -> [Moment] {
    let hasStart = moments.contains { $0.kind == .trialStart }
    return moments.filter { moment in
      guard moment.kind == .expiration, FieldSynonyms.score(of: moment.name, for: .trialEndsAt) >= 0.8 else {
        return true
      }
      return !hasStart && !moments.contains { $0.kind == .expiration && $0.column != moment.column }
    }
  }

  /// Returns the time at which subscriptions became active, where no other says when they were paid: that of most lies
  /// behind the start of their trial.
  private func activation(after found: [Moment]) -> Moment? {
    guard let trial = found.first(where: { $0.kind == .trialStart }),
      !found.contains(where: { Self.paid.contains($0.kind) }),
      columns.contains(where: { FieldSynonyms.score(of: $0.path, for: .price) >= 0.5 })
    else { return nil }
    let starts = columns[trial.column].instantOfRow
    for place in columns.indices {
      let words = ForeignWords.english(words(place)).filter { !Self.timeWords.contains($0) }
      guard Self.activeWords.contains(words.joined(separator: " ")),
        columns[place].count > 0, columns[place].hasInstantsAlone
      else { continue }
      let gaps = zip(columns[place].rows, columns[place].instants).compactMap { row, ts in starts[row].map { ts - $0 } }
      guard gaps.count >= 5, gaps.count(where: { $0 >= Instant.millisecondsPerDay }) * 10 >= gaps.count * 9 else {
        continue
      }
      return Moment(column: place, kind: .conversion, name: columns[place].path, count: columns[place].count)
    }
    return nil
  }

  /// Names of times at which subscriptions became active.
  private static let activeWords: Set<String> = [
    "activated", "active since", "active from", "subscription since", "subscription from",
  ]

  /// Returns the kind that the name of a column of times means: of `trial.started_at`, the start of a trial.
  func momentKind(_ path: String) -> EventKind? {
    let all = ForeignWords.english(NameWords.words(of: FieldSynonyms.lastStep(of: path)))
    var words = all.filter { !Self.timeWords.contains($0) }
    if words.count == 1, Self.startWords.contains(words[0]) { words = FieldSynonyms.parent(of: path) + words }
    guard !words.isEmpty, Self.futureWords.isDisjoint(with: words) else { return nil }
    if words == ["trial", "from"] || words == ["trial", "since"] { return .trialStart }
    var kind: EventKind?
    if words.count == 1 { kind = Self.momentKinds[words[0]] }
    if words.count == 1, Self.startWords.contains(words[0]) { kind = answers.tableKind ?? kind }
    if kind == nil {
      guard case .kind(let meant) = KindWords.meaning(of: words.joined(separator: "_")), meant != .identify else {
        return nil
      }
      kind = meant == .payment ? .conversion : meant
    }
    return kind == .conversion && answers.tableKind == .payment ? .payment : kind
  }

  /// Takes the start of a subscription as that of its trial, where a column of the trial's end has a value.
  private func withTrials(_ moments: [Moment]) -> [Moment] {
    guard let start = moments.firstIndex(where: { $0.kind == .conversion }),
      Self.startWords.union(["created"]).contains(where: NameWords.words(of: moments[start].name).contains),
      !moments.contains(where: { $0.kind == .trialStart }), let end = endOfTrials
    else { return moments }
    let paid = moments[start]
    let ends = Self.quoted(columns[end].path)
    let trials = Set(columns[end].rows).intersection(columns[paid.column].rows).count
    var parted = moments
    parted[start].condition = "{\(ends): {exists: false}}"
    parted[start].count -= trials
    parted.insert(
      Moment(
        column: paid.column, kind: .trialStart, name: "\(paid.name), with \(columns[end].path)",
        condition: "{\(ends): {exists: true}}", count: trials), at: start)
    return parted
  }

  /// Takes a payment for one that was given back where a state says so and no column has the time.
  private func withRefunds(_ moments: [Moment]) -> [Moment] {
    guard !Set(moments.map(\.kind)).isSubset(of: [.payment, .conversion]),
      !moments.contains(where: { $0.kind == .refund }),
      let place = moments.firstIndex(where: { [.payment, .conversion].contains($0.kind) && $0.condition == nil })
    else { return moments }
    let paid = moments[place]
    for column in columns where FieldSynonyms.isState(column.path) {
      let texts = column.values.map(\.text).filter {
        Self.refundStates.contains(NameWords.words(of: $0).joined(separator: "_"))
      }.sorted()
      let count = column.rows(with: Set(texts.map(Self.code))).intersection(columns[paid.column].rows).count
      guard count > 0 else { continue }
      var parted = moments
      let name = "\(paid.name), with \(column.path) \(texts.joined(separator: ", "))"
      parted.insert(
        Moment(
          column: paid.column, kind: .refund, name: name,
          condition: "{\(Self.quoted(column.path)): [\(texts.map(Self.quoted).joined(separator: ", "))]}", count: count),
        at: place)
      return parted
    }
    return moments
  }

  /// Reads a table of payments as such, and their refunds besides, where it has no other times.
  mutating func findRefunds() {
    guard answers.tableKind == .payment || answers.tableKind == .conversion,
      Set(moments.map(\.kind)).isSubset(of: [.payment, .conversion, .refund])
    else { return }
    refunds = moments.first { $0.kind == .refund }?.column
    moments = []
  }

  /// The rule of refunds in a table of payments.
  var refundRule: String? {
    guard let refunds else { return nil }
    let path = Self.quoted(columns[refunds].path)
    let price = refundedAmount.flatMap { fieldValue(.price, $0) }.map { ", fields: {price: \($0)}" } ?? ""
    return "{kind: refund, when: {\(path): {exists: true}}, time: \(timeValue(refunds))\(price)}"
  }

  /// Leaves out the payments of a table of subscriptions where another file has them one by one, and warns where nothing
  /// tells which trials were paid.
  mutating func checkMoments() {
    let payments: Set<EventKind> = [.conversion, .payment]
    if let view = moments.first(where: { $0.kind == .paywallImpression }),
      Self.viewWords.isDisjoint(with: NameWords.words(of: view.name))
    {
      proposal.notes.append(
        "\(view.name) is taken as the user's first paywall view; if it is another moment, "
          + "`--event \(view.name)=ignore` leaves it out")
    }
    if answers.isOneOfSeveral, !moments.isEmpty, case .some(.some(let kind)) = answers.events["*"] {
      proposal.notes.append("`--event '*=\(kind.name)'` is not for this file, whose times say what its records are")
    }
    if let other = answers.paymentsFile, moments.contains(where: { payments.contains($0.kind) }),
      moments.contains(where: { !payments.contains($0.kind) })
    {
      moments.removeAll { payments.contains($0.kind) || $0.kind == .refund && $0.condition != nil }
      proposal.notes.append("payments are taken from \(other) alone")
    }
    if moments.contains(where: { $0.kind == .refund && $0.condition != nil }) {
      proposal.notes.append("refunds count at the time of their payment, as no column has their own")
    }
    if let trial = moments.first(where: { $0.kind == .trialStart && $0.condition != nil }), answers.paymentsFile == nil
    {
      proposal.warnings.append(
        "\(Self.records(trial.count)) begin with a trial, and no column says when a trial was paid, so these payments are "
          + "missing; if another file has the payments, read both: `tollgate init FILE PAYMENTS`")
    }
  }

  /// Returns whether a column is of the latest paid period, where the moments are of other kinds.
  func isOfPayments(_ place: Int) -> Bool {
    !moments.isEmpty && words(place).contains("period") && !moments.contains { Self.paid.contains($0.kind) }
  }

  /// The column of the amounts that were given back.
  var refundedAmount: Int? {
    columns.indices.first { place in
      let words = Set(words(place))
      return !words.isDisjoint(with: ["refunded", "refund"]) && !words.isDisjoint(with: ["amount", "total", "price"])
        && words.isDisjoint(with: ["converted", "usd"]) && columns[place].signs.numbers == columns[place].count
        && columns[place].count > 0
    }
  }

  /// Words of a time that say nothing of its event.
  private static let timeWords: Set<String> = [
    "at", "date", "time", "on", "am", "em", "le", "ab", "ts", "timestamp", "datetime", "first", "utc",
  ]
  /// Words of times that are yet to come.
  private static let futureWords: Set<String> = [
    "expires", "expiry", "until", "to", "ends", "end", "renews", "next", "due", "current", "updated",
  ]
  /// Words of the start of what a table holds.
  private static let startWords: Set<String> = ["started", "start", "began", "begun"]
  /// Words that say that a moment is a paywall view; `first_seen` may be the install.
  private static let viewWords: Set<String> = ["paywall", "view", "viewed", "impression", "exposed", "shown", "offer"]
  /// Single words that mean a kind beside other times of a user.
  private static let momentKinds: [String: EventKind] = [
    "viewed": .paywallImpression, "exposed": .paywallImpression, "seen": .paywallImpression,
    "shown": .paywallImpression, "paywall": .paywallImpression, "trial": .trialStart, "paid": .conversion,
    "purchased": .conversion, "converted": .conversion, "subscribed": .conversion, "started": .conversion,
    "cancelled": .cancellation, "canceled": .cancellation, "renewed": .renewal, "refunded": .refund,
    "ended": .expiration, "expired": .expiration,
  ]

  /// Returns the share of the records with the time of a kind that have a value in a column.
  func momentCoverage(_ column: Int, of kind: EventKind) -> Double? {
    guard let moment = moments.first(where: { $0.kind == kind }), columns[moment.column].count > 0 else { return nil }
    // Trials with a column of their end are those that have one.
    if moment.condition != nil, kind == .trialStart, chosen[.trialEndsAt]?.column == column { return 1 }
    let filled = Set(columns[column].rows)
    return Double(columns[moment.column].rows.count { filled.contains($0) }) / Double(columns[moment.column].count)
  }

  /// Leaves out amounts of subscriptions without payments, which need no currency.
  mutating func leaveOutUnpaidAmounts() {
    let needed = Self.paid.union([.refund])
    if !moments.isEmpty, !moments.contains(where: { needed.contains($0.kind) }), refunds == nil { chosen[.price] = nil }
  }

  /// Returns the days that lie between most trials and the payment in the same record; `nil` if they differ.
  func momentTrialDays() -> Int? {
    guard let trial = moments.first(where: { $0.kind == .trialStart })?.column else { return nil }
    guard let paid = moments.first(where: { $0.kind == .conversion })?.column else {
      return ColumnScores.usualDays(of: gapsToOthers([]).map(\.gap))
    }
    let starts = columns[trial].instantOfRow
    let gaps = zip(columns[paid].rows, columns[paid].instants).compactMap { row, instant in
      starts[row].map { instant - $0 }
    }
    return ColumnScores.usualDays(of: gaps)
  }
}
