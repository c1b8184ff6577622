internal import Basics
internal import EventModel

/// The columns of a profile with what their records say together.
struct ColumnScores {
  private(set) var columns: [ColumnProfile]
  let recordCount: Int
  private let recordHashes: [UInt64]
  private let distinctRecords: Int
  /// Whether the month comes first in dates whose values allow both, by the order of the records; `nil` if it is not told.
  let isMonthFirstByOrder: Bool?

  /// - Parameter dates: The order of days and months in dates, if an answer gives one.
  init(_ profile: ProfileCollector, dates: String? = nil) {
    var columns = Self.merged(profile.fullest)
    for place in columns.indices { columns[place].leaveOutOthers() }
    // A column that has instants of other forms, too, keeps its reading.
    let dated = columns.indices.filter { columns[$0].signs.isOfNumericDates }
    let month = dated.reduce(0) { $0 + columns[$1].signs.monthFirst - columns[$1].signs.dayFirst }
    isMonthFirstByOrder = month == 0 ? dated.lazy.compactMap { columns[$0].isMonthFirstByOrder }.first : nil
    if dates == "month-first" || dates == nil && (month > 0 || isMonthFirstByOrder == true) {
      for place in dated { columns[place].readMonthFirst() }
    }
    self.columns = columns
    recordCount = profile.recordCount
    recordHashes = profile.recordHashes
    distinctRecords = Set(recordHashes).count
  }

  /// Makes one column of those that each kind of event has in an object of its own: of `paywall_viewed.variant` and
  /// `paywall_closed.variant`, where no record has two such objects.
  private static func merged(_ columns: [ColumnProfile]) -> [ColumnProfile] {
    var owners: [String: [Int]] = [:]
    for (place, column) in columns.enumerated() where !column.path.contains("[") && !column.path.contains("'") {
      let steps = column.path.split(separator: ".")
      if steps.count == 2 { owners[String(steps[0]), default: []].append(place) }
    }
    owners = owners.filter { KindWords.meaning(of: $0.key) != .none }
    let rows = owners.values.map { Set($0.flatMap { columns[$0].rows }) }
    let count = rows.reduce(0) { $0 + $1.count }
    if owners.count < 3 || count > rows.reduce(into: Set<UInt32>(), { $0.formUnion($1) }).count { return columns }
    let groups = Dictionary(grouping: owners.values.joined().sorted()) { FieldSynonyms.lastStep(of: columns[$0].path) }
    var merged = columns
    var others: Set<Int> = []
    for (name, places) in groups where places.count > 1 && places.allSatisfy({ columns[$0].exactDistinct <= 1_000 }) {
      // Ids of each object are of different things.
      if NameWords.words(of: name).allSatisfy(FieldSynonyms.generic.contains) { continue }
      merged[places[0]] = ColumnProfile(
        path: columns[places[0]].path, others: places.dropFirst().map { columns[$0].path },
        places.flatMap { columns[$0].texts })
      others.formUnion(places.dropFirst())
    }
    return merged.indices.filter { !others.contains($0) }.map { merged[$0] }
  }

  /// Makes two columns of one: that of some records stays in its place, and that of the others is the last.
  mutating func part(_ column: Int, by isMeant: (UInt32) -> Bool) {
    let (meant, rest) = columns[column].parted(by: isMeant)
    columns[column] = meant
    columns.append(rest)
  }

  /// Gives the records without a value in a column that of another one.
  mutating func fill(_ column: Int, from other: Int) {
    let own = Set(columns[column].rows)
    columns[column] = ColumnProfile(
      path: columns[column].path, others: columns[column].others + [columns[other].path],
      columns[column].texts + columns[other].texts.filter { !own.contains($0.row) })
  }

  func filled(_ column: Int) -> Double { recordCount == 0 ? 0 : Double(columns[column].count) / Double(recordCount) }

  /// Returns the hash of the column's value per record; 0 where it is absent.
  func codes(_ column: Int) -> [UInt64] {
    var codes = [UInt64](repeating: 0, count: recordCount)
    for (row, hash) in zip(columns[column].rows, columns[column].hashes) { codes[Int(row)] = hash }
    return codes
  }

  // MARK: The parts of every event

  /// Users repeat: each has 1.5 to 500 records on average.
  func userValues(_ column: Int) -> Double {
    let profile = columns[column]
    let isNumber = profile.signs.numbers == profile.count && FieldSynonyms.isUser(profile.path)
    guard profile.count > 0, [.text, .whole, .decimal].contains(profile.type) || isNumber,
      !FieldSynonyms.isTrait(profile.path)
    else { return 0 }
    // Ids such as 0 stand for none.
    let nobody = profile.values.filter { JSONNode.string($0.text).isPlaceholderID }
    let count = profile.count - nobody.reduce(0) { $0 + $1.count }
    let distinct = profile.exactDistinct - nobody.count
    let filled = Double(count) / Double(recordCount)
    guard count > 0, filled >= 0.2 else { return 0 }
    // A country comes again as users do.
    if nobody.isEmpty, profile.exactDistinct <= 250, profile.values.allSatisfy({ CountryNames.isKnown($0.text) }) {
      return 0
    }
    // An id such as 1298356190.1770000000 looks like a number; a price is none.
    if profile.type == .decimal, FieldSynonyms.score(of: profile.path, for: .userID) < 0.8 { return 0 }
    // Small numbers that no name makes ids count something.
    if profile.type == .whole, FieldSynonyms.score(of: profile.path, for: .userID) == 0,
      profile.values.count(where: { $0.text.utf8.count >= 5 }) * 20 < profile.values.count * 19
    {
      return 0
    }
    let each = Double(count) / Double(distinct)
    if recordCount < 20 { return 0.8 }
    // Customers with one record each, as in an export of first payments.
    if (1..<1.05).contains(each), filled > 0.9, FieldSynonyms.isUser(profile.path) {
      return 0.5
    }
    guard (1.05...500).contains(each) else { return 0 }
    var score = (1.5...500).contains(each) ? 1 : 0.75
    if distinct < max(5, recordCount / 200) {
      // Few values that no name makes ids are a trait of users.
      guard FieldSynonyms.isID(profile.path) else { return 0 }
      score *= 0.6
    }
    return score * min(1, filled + 0.3)
  }

  /// Ids are distinct but for whole repeated records.
  func idValues(_ column: Int) -> Double {
    let profile = columns[column]
    guard [.text, .whole].contains(profile.type), profile.count * 1_000 >= recordCount * 999,
      profile.signs.decimalCommas == 0
    else { return 0 }
    return profile.exactDistinct * 1_000 >= distinctRecords * 999 && profile.exactDistinct <= distinctRecords ? 1 : 0
  }

  func timeValues(_ column: Int) -> Double {
    let profile = columns[column]
    guard profile.count > 0, profile.signs.instants * 100 >= profile.count * 99 else { return 0 }
    // The time of an export is the same in all records, and those of the events are not.
    let isOfExport = columns.contains { other in
      other.exactDistinct > 1 && other.count >= profile.count && other.signs.instants * 100 >= other.count * 99
    }
    if profile.exactDistinct == 1, profile.count >= 20, isOfExport { return 0 }
    return filled(column) >= 0.99 ? 1 : 0.5 * filled(column)
  }

  /// Names of events are few, and the words of one at least mean a kind.
  func nameValues(_ column: Int) -> Double {
    let profile = columns[column]
    guard profile.type == .text, profile.exactDistinct <= 500, filled(column) >= 0.5 else { return 0 }
    let known = profile.values.filter { KindWords.meaning(of: $0.text) != .none }
    // `viewed` is a name in a column such as `event`, where no other has names.
    if known.isEmpty { return profile.values.contains { KindWords.isViewAlone($0.text) } ? 0.4 : 0 }
    let share = Double(known.reduce(0) { $0 + $1.count }) / Double(profile.count)
    return (profile.exactDistinct >= 2 ? 0.7 : 0.5) + 0.3 * min(1, 2 * share)
  }

  // MARK: Other fields

  /// The columns that are known when the other fields are scored.
  struct Known {
    var user: [UInt64]
    var time: Int?
    /// Per record, the kind of its name.
    var kinds: [EventKind?]
    /// Per record, whether a column of products has a value.
    var hasProduct: [Bool]
    /// Whether every record may be a payment, so that all have a product.
    var areAllAlike = false
  }

  /// Returns how well a column's values fit a field, 0–1; 0 rules it out.
  func values(_ column: Int, _ field: EventField, _ known: Known) -> Double {
    let profile = columns[column]
    guard profile.count > 0, profile.type != .list, profile.type != .object else { return 0 }
    let isText = profile.type == .text
    let numbers = profile.signs.numbers + profile.signs.decimalCommas
    switch field {
    case .productID where isOfNoSales(column, known.kinds), .plan where isOfNoSales(column, known.kinds): return 0
    case .currency: return isText && profile.areMostly(0.95) { CurrencyTable.code(of: $0) != nil } ? 1 : 0
    case .country:
      return isText
        && profile.areMostly(0.95) { CountryNames.isKnown($0) && ($0.utf8.count != 2 || $0 == $0.uppercased()) } ? 1 : 0
    case .price, .priceUSD:
      guard numbers * 100 >= profile.count * 98, profile.signs.instants * 2 < profile.count || profile.signs.points > 0
      else { return 0 }
      let rows = profile.rows.filter { known.hasProduct.isEmpty || known.hasProduct[Int($0)] }.count
      return Double(rows) >= 0.8 * Double(profile.count) ? 1 : 0.6
    case .expiresAt, .trialEndsAt, .graceEndsAt:
      guard profile.isOfTimes, let time = known.time, time != column else { return 0 }
      return filled(column) < 0.98 ? 1 : 0.6
    case .receivedAt: return timeValues(column) > 0 ? 1 : 0
    case .trialDays:
      let areDays = profile.areMostly(0.99) { text in
        Int(text).map { (1...366).contains($0) } ?? (MappedRecords.days(text) != nil)
      }
      return areDays && (filled(column) < 0.9 || known.kinds.allSatisfy { $0 == .trialStart }) ? 1 : 0
    case .subscriptionID:
      guard filled(column) < 0.98, isText || profile.type == .whole else { return 0 }
      return ownerShare(column, known.user) >= 0.98 && profile.exactDistinct >= 2 ? 1 : 0
    case .transactionID:
      guard isText || profile.type == .whole, profile.exactDistinct >= 2 else { return 0 }
      return Double(profile.exactDistinct) >= 0.7 * Double(profile.count) ? 1 : 0
    case .productID:
      return (isText || profile.type == .whole) && profile.exactDistinct <= 1_000
        && (filled(column) < 0.95 || known.areAllAlike || hasProducts(column, known.kinds)) ? 1 : 0.5
    case .plan: return isText && profile.areMostly(0.95, Self.isPlan) || Self.hasLengths(profile) ? 1 : 0
    case .tier:
      return isText && profile.exactDistinct <= 20
        ? (profile.areMostly(0.99) { ["individual", "family"].contains($0) } ? 1 : 0.5) : 0
    case .entryPoint:
      // A place comes again.
      guard isText, profile.exactDistinct <= 500, profile.count < 20 || profile.exactDistinct * 2 <= profile.count
      else {
        return 0
      }
      // Places differ.
      if profile.exactDistinct == 1, recordCount >= 20 { return 0.5 }
      return coverage(column, of: .paywallImpression, known.kinds).map { $0 >= 0.95 ? 1 : 0.5 * $0 } ?? 0.8
    case .variant where isPlanOfPayments(column, known.kinds), .paywall where Proposer.isFlag(profile): return 0
    // Users have variants when they see a paywall or an experiment begins, and not in their payments alone.
    case .variant
    where coverage(column, of: .paywallImpression, known.kinds) == 0
      && coverage(column, of: .exposure, known.kinds) ?? 0 == 0:
      return 0
    case .offering where hasProducts(column, known.kinds): return 0
    // Variants differ.
    case .variant where profile.exactDistinct == 1 && recordCount >= 20: return 0.5
    case .experiment, .variant, .paywall, .offering, .limitName:
      return (isText || profile.type == .flag || profile.type == .whole) && profile.exactDistinct <= 200 ? 1 : 0
    case .platform:
      let names: Set<String> = [
        "ios", "android", "web", "macos", "ipados", "windows", "linux", "mac os x", "tvos", "visionos",
      ]
      return isText && profile.areMostly(0.9) { names.contains($0.lowercased()) } ? 1 : 0
    case .appVersion:
      let areVersions = profile.areMostly(0.95) {
        $0.contains(".") && $0.utf8.allSatisfy { $0 == 0x2E || $0 &- 0x30 < 10 } || Int($0) != nil
      }
      // A version such as 2026.3.1 may look like a day.
      return areVersions && (profile.signs.instants == 0 || profile.signs.numbers == 0) ? 1 : 0
    case .environment:
      if Proposer.isFlag(profile) { return 1 }
      return isText && profile.areMostly(0.99) { Self.environments[$0.lowercased()] != nil } ? 1 : 0
    case .reason:
      // Users' own answers, such as `too_expensive`, do not say how a subscription ended.
      let isMeant = profile.values.contains { Self.reasons.contains($0.text) || KindWords.reason(of: $0.text) != nil }
      return isText && isMeant && profile.exactDistinct <= 1_000 ? 1 : 0
    case .offerType: return isText && profile.areMostly(0.99, Keywords.offerTypeNames.contains) ? 1 : 0
    case .store, .offerCode: return isText && profile.exactDistinct <= 1_000 ? 1 : 0
    case .taxPercentage, .commissionPercentage:
      return numbers == profile.count && profile.areMostly(0.99) { (Double($0) ?? 2) <= 1 } ? 1 : 0
    default: return 0
    }
  }

  /// Returns whether trials and payments never have a value in a column, as a trait that only logins have.
  private func isOfNoSales(_ column: Int, _ kinds: [EventKind?]) -> Bool {
    return inPayments(column, kinds) { $0 == 0 } && coverage(column, of: .trialStart, kinds) ?? 0 == 0
  }

  /// Returns whether the share of each kind of payments that have a value is meant; not without payments.
  private func inPayments(_ column: Int, _ kinds: [EventKind?], _ isMeant: (Double) -> Bool) -> Bool {
    let shares = Proposer.paid.compactMap { coverage(column, of: $0, kinds) }
    return !shares.isEmpty && shares.allSatisfy(isMeant)
  }

  /// The reasons of events, except `other`, which may be a user's answer.
  private static let reasons = Set(Keywords.reasonNames).subtracting(["other"])

  /// The environment that a text means.
  static let environments = [
    "production": "production", "prod": "production", "live": "production", "sandbox": "sandbox", "test": "sandbox",
    "testing": "sandbox", "staging": "sandbox", "development": "sandbox", "dev": "sandbox", "xcode": "sandbox",
    "debug": "sandbox", "internal": "sandbox", "staff": "sandbox", "employee": "sandbox", "release": "production",
    "customer": "production", "external": "production",
  ]

  /// Returns whether a column whatever its name has the products of payments: names that show a plan, in nearly all of
  /// these records.
  func hasProducts(_ column: Int, _ kinds: [EventKind?]) -> Bool {
    let profile = columns[column]
    return profile.type == .text && profile.exactDistinct <= 200 && profile.count > 0
      && inPayments(column, kinds) { $0 >= 0.95 } && profile.areMostly(0.95) { ProductPlans.plan(name: $0) != nil }
  }

  /// Returns whether a column has the plans of payments and nothing else, and no paywall view has one.
  func isPlanOfPayments(_ column: Int, _ kinds: [EventKind?]) -> Bool {
    let profile = columns[column]
    return profile.type == .text && profile.count > 0 && profile.values.allSatisfy { Self.isPlan($0.text) }
      && inPayments(column, kinds) { $0 >= 0.95 } && coverage(column, of: .paywallImpression, kinds) ?? 0 == 0
  }

  /// Returns whether a text is a plan's length and not a product's name.
  static func isPlan(_ text: String) -> Bool {
    if Plan(name: text) != nil || ProductPlans.plan(duration: text) != nil { return true }
    return NameWords.words(of: text).count <= 2 && ProductPlans.plan(name: text) != nil && !text.contains(".")
  }

  /// Returns whether a column has the lengths of plans as numbers of the unit that its name ends with: 30 in
  /// `duration_days`.
  private static func hasLengths(_ profile: ColumnProfile) -> Bool {
    profile.type == .whole && profile.values.allSatisfy { ProductPlans.plan(count: $0.text, of: profile.path) != nil }
  }

  /// Returns the share of a column's values that belong to one user each.
  func ownerShare(_ column: Int, _ user: [UInt64]) -> Double {
    guard !user.isEmpty else { return 1 }
    var owner: [UInt64: UInt64] = [:]
    var shared: Set<UInt64> = []
    for (row, hash) in zip(columns[column].rows, columns[column].hashes) where user[Int(row)] != 0 {
      if let known = owner[hash], known != user[Int(row)] { shared.insert(hash) }
      owner[hash] = user[Int(row)]
    }
    return owner.isEmpty ? 0 : 1 - Double(shared.count) / Double(owner.count)
  }

  /// Returns the share of the records of a kind that have a value; `nil` if there are none of the kind.
  func coverage(_ column: Int, of kind: EventKind, _ kinds: [EventKind?]) -> Double? {
    let all = kinds.lazy.filter { $0 == kind }.count
    if all == 0 { return nil }
    return Double(columns[column].rows.lazy.filter { kinds[Int($0)] == kind }.count) / Double(all)
  }

  /// Returns whether the records of a kind have several values.
  func changes(_ column: Int, among kind: EventKind, _ kinds: [EventKind?]) -> Bool {
    let own = zip(columns[column].rows, columns[column].hashes).filter { kinds[Int($0.0)] == kind }
    return Set(own.map(\.1)).count > 1
  }

  /// Returns the times between trials and the next payment of their users, each with the trial's record.
  func trialGaps(user: Int, time: Int, _ kinds: [EventKind?]) -> [(row: Int, gap: Int64)] {
    guard columns[time].hasInstantsAlone else { return [] }
    let users = codes(user)
    var events: [UInt64: [(ts: Int64, isTrial: Bool, row: Int)]] = [:]
    for (row, ts) in zip(columns[time].rows, columns[time].instants) where users[Int(row)] != 0 {
      switch kinds[Int(row)] {
      case .trialStart: events[users[Int(row)], default: []].append((ts, true, Int(row)))
      case .conversion, .payment: events[users[Int(row)], default: []].append((ts, false, Int(row)))
      default: break
      }
    }
    return events.values.flatMap { own in
      let own = own.sorted { $0.ts < $1.ts }
      return zip(own, own.dropFirst()).filter { $0.isTrial && !$1.isTrial }.map { ($0.row, $1.ts - $0.ts) }
    }
  }

  /// Returns a longer time in whole days that a seventh of these times or more have; `nil` if there is none.
  static func longerDays(than usual: Int, of gaps: [Int64]) -> Int? {
    guard usual < 365 else { return nil }
    return mostDays(of: gaps, in: usual + 2...366).flatMap {
      $0.count >= 5 && $0.count * 7 >= gaps.count ? $0.days : nil
    }
  }

  /// Returns the whole days of most of these times in milliseconds; `nil` if they differ.
  static func usualDays(of gaps: [Int64]) -> Int? {
    mostDays(of: gaps, in: 1...366).flatMap { $0.count >= 5 && $0.count * 2 > gaps.count ? $0.days : nil }
  }

  /// Returns the whole days in a range that most of these times have, and their number.
  private static func mostDays(of gaps: [Int64], in range: ClosedRange<Int>) -> (days: Int, count: Int)? {
    var counts: [Int: Int] = [:]
    for gap in gaps {
      let days = Int((gap + Instant.millisecondsPerDay / 2) / Instant.millisecondsPerDay)
      if range.contains(days) { counts[days, default: 0] += 1 }
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
  }
}
