internal import EventModel

/// Records of payments that are of another kind than the others, or no event, by the value of a column.
struct RecordSplit {
  /// The kinds of names whose records it parts.
  var kinds: Set<EventKind>
  /// `nil` if they are not an event.
  var kind: EventKind?
  var column: Int
  /// As a condition of a mapping.
  var condition: String
  var rows: Set<UInt32>
  /// The length of trials that no column tells.
  var trialDays: Int?
  /// Whether nothing tells the length of its trials, so that they are left out.
  var lacksLength = false
}

/// Finds the records of payments that are trials, refunds or failed.
extension Proposer {
  private static let purchases: Set<EventKind> = [.conversion, .payment]
  /// Kinds of events with an amount that a user paid.
  static let paid: Set<EventKind> = [.conversion, .renewal, .payment]

  /// Leaves out the records of Segment's table `tracks` whose event has a table of its own, which has its properties.
  mutating func findRepeatedTable() {
    guard let table = column("$table"), let event = chosen[.event]?.column else { return }
    let names = answers.tables.filter { $0 != "tracks" }
    let repeated = columns[table].rows(with: [Self.code(of: "tracks")])
      .intersection(columns[event].rows(with: Set(names.map(Self.code))))
    guard !repeated.isEmpty else { return }
    let list = names.sorted().map(Self.quoted).joined(separator: ", ")
    splits.append(
      RecordSplit(
        kinds: Set(EventKind.inOrder), kind: nil, column: table,
        condition: "{$table: tracks, \(Self.quoted(columns[event].path)): [\(list)]}", rows: repeated))
    for (place, count) in nameCounts(of: repeated).enumerated() { proposal.names[place].count -= count }
    proposal.notes.append(
      "tracks: \(Self.records(repeated.count)) left out, because they repeat events that have a file of their own")
  }

  /// Finds the splits by columns that say what a record is.
  mutating func findSplits() {
    guard moments.isEmpty else { return }
    let others = columns.indices.filter { $0 != chosen[.event]?.column }
    // A failed payment is no trial, so these come first.
    for place in others {
      let words = words(place)
      guard let last = words.last, Self.statusNames.contains(last), !words.contains("subscription") else { continue }
      findFailures(place)
    }
    for place in others { findFailureColumn(place, words(place)) }
    findKindsOfPayments(others)
    for place in others { findNumberedPayments(place) }
    // Beside trials that have a name of their own, a flag on a purchase may say that it followed one.
    let hasTrials = recordKinds().contains(.trialStart)
    for place in others {
      let column = columns[place]
      let words = words(place)
      if words.contains("trial"), Self.isFlag(column), !Self.conversionWords.isDisjoint(with: words) {
        add([.renewal, .payment], .conversion, place) { Self.truths.contains($0.lowercased()) }
      } else if hasTrials {
        continue
      } else if words.contains("trial"), Self.isFlag(column), Self.notTrialWords.isDisjoint(with: words) {
        add(Self.purchases, .trialStart, place) { Self.truths.contains($0.lowercased()) }
      } else if let last = words.last, ["type", "kind", "phase", "period"].contains(last), column.exactDistinct <= 20 {
        add(Self.purchases, .trialStart, place) { value in
          let words = NameWords.words(of: value)
          return words.contains("trial") && Self.conversionWords.isDisjoint(with: words)
        }
      } else if let last = words.last, ["status", "state"].contains(last) {
        // A subscription that is created `in_trial` is not paid yet.
        add(Self.purchases, .trialStart, place) { Self.trialStates.contains($0.lowercased()) }
      }
    }
  }

  /// Finds the splits of payments by a column that says whether they are the first, a renewal or a refund. Where it
  /// says so of all renewals, the other payments are the first ones.
  private mutating func findKindsOfPayments(_ others: [Int]) {
    for place in others {
      let column = columns[place]
      let words = words(place)
      guard let last = words.last else { continue }
      if Self.isFlag(column) {
        guard let kind = KindWords.paymentKind(of: column.path),
          kind != .refund || !words.contains("amount") && !saysPaymentWasRefunded(place), isOfPaymentsAlone(place)
        else {
          continue
        }
        let before = splits.count
        add(kind == .refund ? Self.paid : [.payment], kind, place) { Self.truths.contains($0.lowercased()) }
        guard splits.count > before, kind != .refund, covers(place) else { continue }
        turnPayments(into: kind == .conversion ? .renewal : kind == .renewal ? .conversion : .payment)
      } else if (2...50).contains(column.exactDistinct), column.type == .text {
        let isOfRenewals = tellsRenewals(place)
        guard Self.kindNames.contains(last) || isOfRenewals else { continue }
        for kind in [EventKind.refund, .renewal, .conversion] {
          add(kind == .refund ? Self.paid : [.payment], kind, place) { KindWords.paymentKind(of: $0) == kind }
        }
        if isOfRenewals { turnPayments(into: .conversion) }
      }
    }
  }

  /// Returns whether a column says of nearly all payments that come after one of the same user that they are renewals,
  /// and not of most of those that come first.
  private func tellsRenewals(_ place: Int) -> Bool {
    let column = columns[place]
    let meant = column.codes { KindWords.paymentKind(of: $0) == .renewal }
    guard let (user, time) = userAndTime, covers(place), !meant.isEmpty else { return false }
    let (kinds, users, times) = (recordKinds(), scores.codes(user), columns[time].instantOfRow)
    var own: [UInt64: [(ts: Int64, isRenewal: Bool)]] = [:]
    for (row, hash) in zip(column.rows, column.hashes) where kinds[Int(row)] == .payment {
      own[users[Int(row)], default: []].append((times[row] ?? 0, meant.contains(hash)))
    }
    let several = own.values.filter { $0.count > 1 }.map { $0.sorted { $0.ts < $1.ts } }
    let later = several.flatMap { $0.dropFirst() }
    return later.count >= 10 && later.count { !$0.isRenewal } * 50 <= later.count
      && several.count { !$0[0].isRenewal } * 2 >= several.count
  }

  private static let trialStates: Set<String> = ["trial", "in_trial", "on_trial", "trialing", "trialling", "in trial"]

  /// Words of a column that numbers payments, and of what it numbers.
  private static let numberWords: Set<String> = [
    "no", "nr", "num", "number", "index", "seq", "sequence", "cycle", "count",
  ]
  private static let numbered: Set<String> = ["payment", "billing", "charge", "renewal", "period", "cycle", "invoice"]

  /// Takes the payments with the lowest number, 0 or 1, for first ones where a column such as `payment_no` counts those
  /// of each user.
  private mutating func findNumberedPayments(_ place: Int) {
    let words = words(place)
    guard !Self.numberWords.isDisjoint(with: words), !Self.numbered.isDisjoint(with: words),
      columns[place].type == .whole, let (user, time) = userAndTime
    else { return }
    let (kinds, users, times) = (recordKinds(), scores.codes(user), columns[time].instantOfRow)
    let numbers = columns[place].textOfHash.mapValues { Int($0) ?? -1 }
    var own: [UInt64: [(ts: Int64, number: Int)]] = [:]
    for (row, hash) in zip(columns[place].rows, columns[place].hashes) where kinds[Int(row)] == .payment {
      own[users[Int(row)], default: []].append((times[row] ?? 0, numbers[hash] ?? -1))
    }
    let sorted = own.values.map { $0.sorted { ($0.ts, $0.number) < ($1.ts, $1.number) }.map(\.number) }
    guard let least = sorted.joined().min(), least == 0 || least == 1, covers(place),
      sorted.allSatisfy({ zip($0, $0.dropFirst()).allSatisfy { $0 <= $1 } }),
      sorted.count(where: { $0[0] == least }) * 2 >= sorted.count
    else { return }
    let before = splits.count
    add([.payment], .conversion, place) { Int($0) == least }
    if splits.count > before { turnPayments(into: .renewal) }
  }

  private static let kindNames: Set<String> = ["type", "kind", "reason", "description", "category", "phase"]

  /// Returns whether a flag is hardly true of records that are not part of a subscription, as a flag of a new screen
  /// is.
  private func isOfPaymentsAlone(_ place: Int) -> Bool {
    let others: Set<EventKind> = [
      .paywallImpression, .paywallDismissal, .purchaseStarted, .activity, .exposure, .gateHit,
    ]
    let truths = columns[place].codes { Self.truths.contains($0.lowercased()) }
    // Failed payments are payments here.
    let kinds = recordNames().map { $0.flatMap { proposal.names[$0].kind } }
    let rows = zip(columns[place].rows, columns[place].hashes).filter { truths.contains($0.1) }
    return rows.count { row, _ in kinds[Int(row)].map(others.contains) ?? true } * 20 <= rows.count
  }

  /// Returns whether all payments have a value in a column.
  private func covers(_ column: Int) -> Bool {
    scores.coverage(column, of: .payment, recordKinds()).map { $0 > 0.98 } ?? true
  }

  /// Gives another kind to the names of payments that are not known to be the first.
  private mutating func turnPayments(into kind: EventKind) {
    for place in proposal.names.indices
    where proposal.names[place].kind == .payment && answers.events[proposal.names[place].name] == nil {
      for split in splits.indices where splits[split].kinds.contains(.payment) { splits[split].kinds.insert(kind) }
      proposal.names[place].kind = kind
    }
  }

  /// Finds the splits by amounts: negative ones are refunds, and those of 0 among others are trials where nothing else
  /// tells of trials.
  mutating func findPriceSplits() {
    guard moments.isEmpty, let price = chosen[.price]?.column else { return }
    if columns[price].signs.negatives > 0 {
      // RevenueCat sends a refund as a cancellation with a negative amount.
      let kinds = Self.paid.union([.cancellation])
      let isBracketed = columns[price].values.contains { $0.text.hasPrefix("(") }
      let rows = rows(price, of: kinds) { $0.hasPrefix(isBracketed ? "(" : "-") }
      if !rows.isEmpty {
        splits.append(
          RecordSplit(
            kinds: kinds, kind: .refund, column: price,
            condition: condition(price, "{like: \(isBracketed ? "\"(*\"" : "\"-*\"")}"), rows: rows))
      }
    }
    if recordKinds().contains(.trialStart) { return }
    let before = splits.count
    add(Self.purchases, .trialStart, price, Self.isZero)
    // Where a column says which payments are first ones, trials are those of them that cost 0.
    guard splits.count > before, let first = splits.firstIndex(where: { $0.kind == .conversion }) else { return }
    var trials = splits[before]
    trials.rows.formIntersection(splits[first].rows)
    guard !trials.rows.isEmpty else { return }
    splits.removeLast()
    trials.kinds.formUnion(splits[first].kinds)
    trials.condition = "{all: [\(trials.condition), \(splits[first].condition)]}"
    splits.insert(trials, at: first)
  }

  static func isZero(_ amount: String) -> Bool {
    amount.contains("0") && amount.allSatisfy { !$0.isNumber || $0 == "0" }
  }

  /// Parts off the records of these kinds with one of the texts, if others of the kinds have another text or none.
  private mutating func add(
    _ kinds: Set<EventKind>, _ kind: EventKind?, _ column: Int, _ isMeant: (String) -> Bool
  ) {
    let rows = rows(column, of: kinds, isMeant)
    let count = recordKinds().count { $0.map(kinds.contains) ?? false }
    guard !rows.isEmpty, rows.count < count else { return }
    let texts = columns[column].values.map(\.text).filter(isMeant).map(Self.quoted)
    let value = texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
    splits.append(
      RecordSplit(
        kinds: kinds, kind: kind, column: column, condition: condition(column, value), rows: rows))
  }

  /// Returns the condition that a column has a value, as a mapping writes it.
  private func condition(_ column: Int, _ value: String) -> String {
    let parts = ([columns[column].path] + columns[column].others).map { "{\(Self.quoted($0)): \(value)}" }
    return parts.count == 1 ? parts[0] : "{any: [\(parts.joined(separator: ", "))]}"
  }

  /// Returns the records of these kinds whose value in a column is meant.
  func rows(_ column: Int, of kinds: Set<EventKind>, _ isMeant: (String) -> Bool) -> Set<UInt32> {
    let meant = columns[column].codes(where: isMeant)
    if meant.isEmpty { return [] }
    let known = recordKinds()
    let names = recordNames()
    // A `trial_converted` is a payment whatever its columns say.
    let ofTrials = Set(
      proposal.names.indices.filter { place in
        kinds == Self.purchases && NameWords.words(of: proposal.names[place].name).contains("trial")
      })
    var rows: Set<UInt32> = []
    for (row, hash) in zip(columns[column].rows, columns[column].hashes) where meant.contains(hash) {
      guard let kind = known[Int(row)], kinds.contains(kind), names[Int(row)].map(ofTrials.contains) != true else {
        continue
      }
      rows.insert(row)
    }
    return rows
  }

  // MARK: Status

  private static let statusNames: Set<String> = ["status", "state", "result", "outcome"]
  private static let succeeded: Set<String> = [
    "succeeded", "success", "successful", "paid", "complete", "completed", "settled", "captured", "approved", "ok",
    "refunded", "partial_refund", "partially_refunded", "disputed",
  ]
  private static let failed: Set<String> = [
    "failed", "failure", "declined", "refused", "rejected", "pending", "canceled", "cancelled", "error", "void",
    "voided", "unpaid", "incomplete", "uncollectible", "processing", "requires_action", "requires_payment_method",
    "abandoned",
    "expired", "past_due", "not_paid", "open", "draft", "on_hold", "denied", "blocked", "uncaptured",
    "requires_capture", "awaiting_payment", "pending_payment",
  ]

  /// Parts off failed payments by a column of their status, which has words of success as well; else warns.
  private mutating func findFailures(_ place: Int) {
    let known = recordKinds()
    var counts: [String: Int] = [:]
    let texts = columns[place].textOfHash
    for (row, hash) in zip(columns[place].rows, columns[place].hashes) {
      guard let kind = known[Int(row)], Self.paid.contains(kind), let text = texts[hash] else { continue }
      counts[text, default: 0] += 1
    }
    func word(_ text: String) -> String {
      ForeignWords.english(NameWords.words(of: text)).joined(separator: "_")
    }
    let failing = counts.filter { Self.failed.contains(word($0.key)) }
    let others = counts.filter { !failing.keys.contains($0.key) && !Self.succeeded.contains(word($0.key)) }
    func warnOfOthers() {
      let shown = others.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5).map(\.key)
      proposal.warnings.append(
        "\(columns[place].path): \(shown.joined(separator: ", ")) of \(Self.records(others.values.reduce(0, +))) is not "
          + "known and counts as paid; if it is not, add a `when` in the mapping")
    }
    guard !failing.isEmpty else {
      let areNumbers = counts.keys.allSatisfy { Int($0) != nil }
      // Without a word of success, several may say how a subscription is.
      let isOfSuccess = others.count < counts.count || others.keys.contains { KindWords.isFailure(word($0)) }
      if counts.count > 1, !others.isEmpty, isOfSuccess, !areNumbers { warnOfOthers() }
      if counts.count > 1, areNumbers, !Self.isFlag(columns[place]) {
        let codes = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        proposal.warnings.append(
          "\(columns[place].path): \(codes.joined(separator: ", ")) in records of payments, which all count as paid, because "
            + "nothing says what these numbers mean; if only \(codes[0]) is paid, add "
            + "`when: {\(Self.quoted(columns[place].path)): \(codes[0])}` to their rule in the mapping")
      }
      return
    }
    if counts.keys.contains(where: { Self.succeeded.contains(word($0)) }) {
      add(Self.paid, nil, place) { Self.failed.contains(word($0)) }
      if !others.isEmpty { warnOfOthers() }
    } else {
      proposal.warnings.append(
        "\(columns[place].path): \(failing.keys.sorted().joined(separator: ", ")) in "
          + "\(Self.records(failing.values.reduce(0, +))) of payments, which all count; if these were not paid, add "
          + "`when: {\(Self.quoted(columns[place].path)): {not: \(Self.quoted(failing.keys.sorted()[0]))}}` in the "
          + "mapping")
    }
  }

  /// Words of a column's name that say what it is of, and not whether it succeeded.
  private static let neutralWords: Set<String> = [
    "is", "was", "has", "payment", "charge", "transaction", "order", "invoice", "purchase",
  ]
  private static let successWords: Set<String> = [
    "success", "successful", "succeeded", "paid", "captured", "approved", "settled", "status", "state", "result",
  ]
  private static let failureWords: Set<String> = [
    "failed", "failure", "declined", "error", "unsuccessful", "rejected", "refused",
  ]

  /// Parts off failed payments by a flag such as `success` or `failed`, or by a text such as `failure_code` that only
  /// they have.
  private mutating func findFailureColumn(_ place: Int, _ words: [String]) {
    let own = words.filter { !Self.neutralWords.contains($0) }
    guard let first = own.first, columns[place].count > 0 else { return }
    func failing(_ isMeant: (String) -> Bool) -> Bool {
      let count = rows(place, of: Self.paid, isMeant).count
      return count > 0 && count * 2 < recordKinds().count { $0.map(Self.paid.contains) ?? false }
    }
    if Self.isFlag(columns[place]) {
      guard own.count == 1, Self.successWords.contains(first) || Self.failureWords.contains(first) else { return }
      let isFailed: (String) -> Bool = { [isSuccess = Self.successWords.contains(first)] text in
        Self.truths.contains(text.lowercased()) != isSuccess
      }
      if failing(isFailed) { add(Self.paid, nil, place, isFailed) }
    } else if ["failure", "decline", "error"].contains(first),
      own.dropFirst().allSatisfy({ ["code", "reason", "message"].contains($0) }), failing({ _ in true })
    {
      let rows = rows(place, of: Self.paid) { _ in true }
      splits.append(
        RecordSplit(
          kinds: Self.paid, kind: nil, column: place,
          condition: "{\(Self.quoted(columns[place].path)): {exists: true}}", rows: rows))
    }
  }

  // MARK: Words

  private static let conversionWords: Set<String> = ["conversion", "converted", "convert", "paid"]
  private static let notTrialWords: Set<String> = conversionWords.union([
    "days", "length", "end", "ends", "ended", "expired", "used", "eligible", "available", "offered", "shown", "had",
    "was", "has", "before", "cancelled", "canceled",
  ])
}
