internal import Basics
internal import EventModel

/// Reads the names of events in two columns, and the app.
extension Proposer {
  /// Each name of an event with its number of records.
  var nameCounts: [(name: String, count: Int)] {
    guard let column = chosen[.event]?.column else { return [] }
    guard namePrefix != nil else { return columns[column].values.map { ($0.text, $0.count) } }
    var counts: [String: Int] = [:]
    for (_, name) in joinedNames(column) { counts[name, default: 0] += 1 }
    return counts.map { ($0.key, $0.value) }
  }

  /// The hash of each record's name.
  var nameCodes: [(row: UInt32, hash: UInt64)] {
    guard let column = chosen[.event]?.column else { return [] }
    guard namePrefix != nil else { return Array(zip(columns[column].rows, columns[column].hashes)) }
    return joinedNames(column).map { ($0.row, Self.code(of: $0.name)) }
  }

  private func joinedNames(_ column: Int, after prefix: Int? = nil) -> [(row: UInt32, name: String)] {
    guard let prefix = prefix ?? namePrefix else { return [] }
    let before = Dictionary(columns[prefix].texts.map { ($0, $1) }) { first, _ in first }
    return columns[column].texts.compactMap { row, text in before[row].map { (row, "\($0) \(text)") } }
  }

  /// Names of columns that say what an action is done to.
  private static let objectWords: Set<String> = [
    "category", "object", "entity", "resource", "subject", "group", "module", "area", "topic", "type", "event",
  ]

  /// Returns the column whose text, before that of the names, makes the kinds of many more records known: of `paywall`
  /// and `viewed`, the first.
  func foundNamePrefix() -> Int? {
    guard let column = chosen[.event]?.column, answers.fields[EventField.event.name] == nil else { return nil }
    func known(_ names: [String: Int]) -> Int {
      names.reduce(0) { $0 + (KindWords.meaning(of: $1.key) == .none ? 0 : $1.value) }
    }
    let alone = known(Dictionary(columns[column].values.map { ($0.text, $0.count) }) { $0 + $1 })
    guard alone * 5 < columns[column].count * 4 else { return nil }
    let found = columns.indices.compactMap { place -> (column: Int, known: Int)? in
      let other = columns[place]
      guard place != column, other.type == .text, (2...100).contains(other.exactDistinct), scores.filled(place) >= 0.99,
        let word = NameWords.words(of: FieldSynonyms.lastStep(of: other.path)).last, Self.objectWords.contains(word)
      else { return nil }
      var counts: [String: Int] = [:]
      for (_, name) in joinedNames(column, after: place) { counts[name, default: 0] += 1 }
      return (place, known(counts))
    }
    guard let best = found.max(by: { $0.known < $1.known }), best.known > alone + columns[column].count / 5 else {
      return nil
    }
    return best.column
  }

  /// The kind that an answer gives all records; where other files are read as well, of records that nothing else names.
  var kindOfAll: EventKind? {
    guard case .some(.some(let kind)) = answers.events["*"] else { return nil }
    guard answers.isOneOfSeveral else { return kind }
    guard chosen[.event] == nil else { return nil }
    if let table = answers.tableKind { return Self.paid.contains(table) && Self.paid.contains(kind) ? kind : nil }
    let told = Set(foundMoments().map(\.kind))
    let isOfPayments = Self.paid.contains(kind) && told.isSubset(of: [.payment, .conversion, .refund])
    guard told.isEmpty || isOfPayments else { return nil }
    let isSeen = [.paywallImpression, .gateHit, .exposure, .activity].contains(kind)
    return isSeen ? (hasAmounts ? nil : kind) : isOfViews ? nil : kind
  }

  /// The kind of all records by the name of their file or their time.
  mutating func kindOfTable() -> EventKind? {
    let hasVariant = columns.contains { FieldSynonyms.score(of: $0.path, for: .variant) >= 0.6 }
    if let kind = answers.tableKind, kind != .exposure || hasVariant { return kind }
    guard isOfViews, let time = chosen[.ts]?.column else {
      return joinsUsers() ? .identify : answers.tableKind ?? kindOfUsers()
    }
    let isByTime = !Self.seenWords.isDisjoint(with: words(time))
    proposal.warnings.append(
      "all records are read as paywall views: \(isByTime ? columns[time].path : "the file's name") says so, and no column "
        + "has an event, a product or an amount; if something else was seen: `--event '*=activity'`")
    return .paywallImpression
  }

  /// Words of a file or a time that say that something was seen.
  private static let seenWords: Set<String> = [
    "view", "views", "viewed", "shown", "displayed", "seen", "impression", "impressions", "exposed", "exposure",
    "exposures", "paywall", "paywalls",
  ]
  /// Words that say that it was no paywall, or not each time.
  private static let otherSeenWords: Set<String> = [
    "page", "pages", "screen", "screens", "site", "web", "session", "sessions", "content", "product", "products",
    "item", "items", "article", "articles", "video", "videos", "ad", "ads", "first", "last",
  ]
  private static let offerWords: Set<String> = ["paywall", "paywalls", "pricing", "upgrade", "offer"]

  /// Whether the records are paywall views by the name of their file or time: each has a user, one time and a place or
  /// a variant, and nothing of a sale, a state or another event.
  private var isOfViews: Bool {
    guard chosen[.event] == nil, let user = chosen[.userID]?.column, let time = chosen[.ts]?.column, !hasAmounts else {
      return false
    }
    let names = Set(answers.fileWords + words(time))
    let isOfOffer = !names.isDisjoint(with: Self.offerWords)
    guard !names.isDisjoint(with: Self.seenWords), isOfOffer || names.isDisjoint(with: Self.otherSeenWords) else {
      return false
    }
    let others = columns.indices.filter { $0 != user && $0 != time }
    func has(_ fields: [EventField], _ least: Double) -> Bool {
      others.contains { place in fields.contains { FieldSynonyms.score(of: columns[place].path, for: $0) >= least } }
    }
    let hasOtherTime = others.contains {
      columns[$0].type == .instant && FieldSynonyms.score(of: columns[$0].path, for: .receivedAt) < 0.6
    }
    return !hasOtherTime && has([.entryPoint, .variant, .paywall], 0.6)
      && !has([.event, .productID, .plan, .subscriptionID, .transactionID], 0.9)
      && !others.contains { FieldSynonyms.isState(columns[$0].path) }
  }

  /// Whether a column has amounts by its name and its values.
  var hasAmounts: Bool {
    columns.contains { column in
      FieldSynonyms.score(of: column.path, for: .price) >= 0.9 && column.count > 0 && !Self.isFlag(column)
        && column.signs.numbers + column.signs.decimalCommas >= column.count
    }
  }

  /// Words of states that are not events.
  private static let states: Set<String> = [
    "active", "inactive", "trialing", "past_due", "paused", "in_trial", "on_trial",
  ]

  /// Returns whether a column says how a subscription is now, and not what happened: one of its values is not an event.
  func isStateAlone(_ column: Int) -> Bool {
    FieldSynonyms.isState(columns[column].path) && !columns.indices.contains(where: isFormerState)
      && !isHistory(column)
      && columns[column].values.contains { Self.states.contains(NameWords.words(of: $0.text).joined(separator: "_")) }
  }

  /// Returns whether a column has the states that subscriptions came into, one record each: most with several records have
  /// several states, and few come again as in a daily snapshot.
  private func isHistory(_ column: Int) -> Bool {
    let keys = columns.indices.filter { place in
      place != column && columns[place].count == profile.recordCount
        && FieldSynonyms.score(of: columns[place].path, for: .subscriptionID) >= 0.8
    }
    guard FieldSynonyms.isState(columns[column].path), columns[column].count == profile.recordCount,
      let key = keys.max(by: { columns[$0].exactDistinct > columns[$1].exactDistinct })
    else { return false }
    let (own, states) = (scores.codes(key), scores.codes(column))
    var found: [UInt64: [UInt64: Int]] = [:]
    for (subscription, state) in zip(own, states) { found[subscription, default: [:]][state, default: 0] += 1 }
    let several = found.values.filter { $0.values.reduce(0, +) > 1 }
    return several.count >= 5 && several.count { $0.count > 1 } * 2 >= several.count
      && profile.recordCount <= 3 * found.values.reduce(0) { $0 + $1.count }
  }

  /// Returns whether a column says how a subscription was before a change, beside one of how it is then.
  func isFormerState(_ column: Int) -> Bool {
    let words = words(column)
    return !Proposal.formerWords.isDisjoint(with: words) && words.contains { $0 == "status" || $0 == "state" }
  }

  /// Takes the change to `active` with a product and an amount for the first payment, in a history of states for any.
  mutating func findActivations() {
    let isOfHistory = !columns.indices.contains(where: isFormerState)
    guard moments.isEmpty, !isOfOneKind, !isOfHistory || chosen[.event].map({ isHistory($0.column) }) ?? false,
      let place = proposal.names.firstIndex(where: { $0.name.lowercased() == "active" && $0.kind == nil }),
      let price = chosen[.price]?.column, chosen[.productID] != nil, answers.events[proposal.names[place].name] == nil
    else { return }
    if nameCounts(of: columns[price].rows)[place] * 100 >= proposal.names[place].count * 95 {
      (proposal.names[place].kind, proposal.names[place].confidence) = (isOfHistory ? .payment : .conversion, 0.8)
    }
  }

  /// Returns whether a column is the id of what another table holds: in a table of refunds, `payment_id`.
  func isOfOtherTable(_ column: Int) -> Bool {
    let words = words(column)
    guard words.count == 2, words[1] == "id", let kind = KindWords.tableKind(words[0]) else { return false }
    return kind != answers.tableKind
  }

  /// Returns whether a column says when the trials of a table of trials end.
  func isEndOfTrial(_ column: Int) -> Bool {
    guard answers.tableKind == .trialStart, isOfOneKind else { return false }
    let words = words(column)
    return ["ends", "end", "expires"].contains(words.first ?? "")
      && words.dropFirst().allSatisfy { ["at", "date", "time", "on"].contains($0) }
  }

  /// Chooses the app by a column that names it: of several apps, the one that is asked for.
  mutating func chooseApp(_ column: Int) {
    let apps = columns[column].values.sorted { ($1.count, $0.text) < ($0.count, $1.text) }.map(\.text)
    proposal.appsOfRecords = Set(apps)
    guard let app = answers.app else {
      proposal.app = columns[column].values.first?.text
      return
    }
    if apps.contains(app) {
      readsAppColumn = true
    } else if apps.count > 1 {
      proposal.warnings.append(
        "\(columns[column].path) has \(apps.prefix(3).joined(separator: ", ")), which all count as \(app); if they are "
          + "different apps, use one of their names: `--app \(apps[0].shellWord)`")
    }
  }

  /// Notes the product of each amount that has one alone.
  private mutating func noteProducts() {
    guard let product = chosen[.productID]?.column, let price = chosen[.price]?.column,
      let currency = chosen[.currency]?.column, columns[product].exactDistinct <= 200
    else { return }
    let names = Dictionary(columns[product].texts.map { ($0, $1) }) { first, _ in first }
    var found: [String: Set<String>] = [:]
    for (row, amount) in joinedNames(currency, after: price) {
      if let name = names[row] { found[amount, default: []].insert(name) }
    }
    proposal.products = found.compactMapValues { $0.count == 1 ? $0.first : nil }
  }

  /// Notes the payments, and lists where records were expected.
  mutating func noteRecords() {
    proposal.isOfMoments = !moments.isEmpty
    let lists = columns.filter { $0.type == .list }
    proposal.lists = lists.filter { $0.values.contains { $0.text.hasPrefix("[{") } }.map(\.path)
    proposal.isByColumn = lists.count > proposal.lists.count
    noteProducts()
    noteViews()
    guard let user = chosen[.userID]?.column else { return }
    proposal.users = userCodes(user).union(anonymous.map(userCodes) ?? [])
    let users = scores.codes(user)
    let kinds = moments.isEmpty ? recordKinds() : []
    noteTrialsOfUsers([user, anonymous].compactMap(\.self).map { scores.codes($0) }, kinds)
    if chosen[.variant] == nil, answers.values[EventField.variant.name] == nil, moments.isEmpty {
      proposal.likelyVariants = columns.indices.filter {
        proposal.columns[$0].field == nil && mayBeVariant($0, users, kinds)
      }
      .map { columns[$0].path }
    }
    if let variant = chosen[.variant]?.column, kinds.contains(.exposure),
      scores.coverage(variant, of: .paywallImpression, kinds) ?? 0 == 0
    {
      proposal.experimentOfExposures =
        answers.values[EventField.experiment.name].flatMap(Onboarding.text) ?? experimentName
        ?? chosen[.experiment].flatMap { experiment in
          func rank(_ value: (text: String, count: Int)) -> (Int, Int) {
            (NameWords.words(of: value.text).contains("paywall") ? 1 : 0, value.count)
          }
          return columns[experiment.column].values.max { rank($0) < rank($1) }?.text
        }
    }
    let times =
      moments.isEmpty
      ? [chosen[.ts]?.column].compactMap { $0 } : moments.filter { Self.paid.contains($0.kind) }.map(\.column)
    for time in times where columns[time].hasInstantsAlone {
      for (row, instant) in zip(columns[time].rows, columns[time].instants) {
        guard kinds.isEmpty || kinds[Int(row)].map(Self.paid.contains) ?? false, users[Int(row)] != 0 else { continue }
        proposal.payments.add(user: users[Int(row)], at: instant)
      }
    }
  }

  /// Notes the times of each user's paywall views.
  private mutating func noteViews() {
    guard let user = chosen[.userID]?.column else { return }
    let view = moments.first { $0.kind == .paywallImpression }
    guard moments.isEmpty || view != nil, let time = view?.column ?? chosen[.ts]?.column,
      columns[time].hasInstantsAlone
    else { return }
    let (users, kinds) = (scores.codes(user), moments.isEmpty ? recordKinds() : [])
    for (row, ts) in zip(columns[time].rows, columns[time].instants)
    where kinds.isEmpty || kinds[Int(row)] == .paywallImpression {
      proposal.views[users[Int(row)], default: []].append(ts)
    }
  }

  /// Returns whether a column that is not used has two to six values, in most paywall views, and one for nearly each
  /// user.
  func mayBeVariant(_ place: Int, _ users: [UInt64], _ kinds: [EventKind?]) -> Bool {
    let column = columns[place]
    guard !splits.contains(where: { $0.column == place }),
      [.text, .whole, .flag].contains(column.type),
      (2...6).contains(column.exactDistinct),
      (moments.isEmpty
        ? scores.coverage(place, of: .paywallImpression, kinds) : momentCoverage(place, of: .paywallImpression))
        ?? 0 >= 0.5
    else { return false }
    var values: [UInt64: Set<UInt64>] = [:]
    for (row, hash) in zip(column.rows, column.hashes) where users[Int(row)] != 0 {
      values[users[Int(row)], default: []].insert(hash)
    }
    return values.values.count { $0.count > 1 } * 20 <= values.count
  }

  /// Whether an answer makes every record of one kind.
  var isOfOneKind: Bool { proposal.names.first?.name == "*" }

  /// Returns the place of each record's name in the proposal.
  func recordNames() -> [Int?] {
    if isOfOneKind { return [Int?](repeating: 0, count: profile.recordCount) }
    var names = [Int?](repeating: nil, count: profile.recordCount)
    if !moments.isEmpty { return names }
    var byHash: [UInt64: Int] = [:]
    for (place, name) in proposal.names.enumerated() { byHash[Self.code(of: name.name)] = place }
    for flag in flags {
      guard let place = byHash[Self.code(of: columns[flag.column].path)] else { continue }
      let truth = Self.code(of: flag.truth)
      for (row, hash) in zip(columns[flag.column].rows, columns[flag.column].hashes) where hash == truth {
        names[Int(row)] = place
      }
    }
    if let column = column("$table") {
      for (row, hash) in zip(columns[column].rows, columns[column].hashes) { names[Int(row)] = byHash[hash] }
    }
    for (row, hash) in nameCodes { names[Int(row)] = byHash[hash] }
    return names
  }

  /// Returns the kind of each record, by its name and the splits.
  func recordKinds() -> [EventKind?] {
    var kinds = recordNames().map { $0.flatMap { proposal.names[$0].kind } }
    for split in splits {
      for row in split.rows {
        if let kind = kinds[Int(row)], split.kinds.contains(kind) { kinds[Int(row)] = split.kind }
      }
    }
    return kinds
  }

  /// Returns the text that is true in a column of flags whose name means a kind; `nil` for another column.
  func flagTruth(_ column: ColumnProfile) -> String? {
    guard KindWords.meaning(of: FieldSynonyms.lastStep(of: column.path)) != .none, column.exactDistinct <= 2,
      Self.isFlag(column)
    else { return nil }
    return column.values.first { Self.truths.contains($0.text.lowercased()) }?.text
  }

  static let truths: Set<String> = ["true", "t", "1", "yes", "y"]
  private static let falsehoods: Set<String> = ["false", "f", "0", "no", "n"]

  static func isFlag(_ column: ColumnProfile) -> Bool {
    column.values.allSatisfy { truths.contains($0.text.lowercased()) || falsehoods.contains($0.text.lowercased()) }
  }
}

/// Recognizes events of Superwall's SDK in an app's analytics.
extension Proposer {
  /// Returns whether names and columns are those of Superwall's SDK.
  func isSuperwall(_ names: [String]) -> Bool {
    let parameters = ["is_superwall", "presented_by_event_name", "paywall_identifier"]
    return !Set(names).isDisjoint(with: SuperwallFragment.kinds(.server).keys)
      && columns.contains { column in parameters.contains { column.path.contains($0) } }
  }

  /// Returns whether the rules for Superwall's SDK tell an event well.
  func isIncluded(_ name: String, among names: [String]) -> Bool {
    // Purchases that lack the SDK's own columns are read as those of any app.
    if SuperwallFragment.payments.contains(name), answers.superwallMoney == .sdk,
      !columns.contains(where: { $0.path.contains("product_period") || $0.path.contains("product_raw_price") })
    {
      return false
    }
    if SuperwallFragment.kinds(answers.superwallMoney)[name] != nil { return true }
    // Without declines, the end of a paywall is all that is known of its dismissal; the use of the app is of any SDK.
    if name == "paywall_close", !names.contains("paywall_decline") { return false }
    return SuperwallFragment.ignores(name, answers.superwallMoney) && KindWords.meaning(of: name) != .kind(.activity)
  }

  mutating func noteSuperwall() {
    let payments = proposal.names.map(\.name).filter(SuperwallFragment.payments.contains)
    guard proposal.includesSuperwall, answers.superwallMoney == .server, !payments.isEmpty else { return }
    proposal.paymentsOfOthers = payments
    proposal.options.append("--superwall-money sdk")
    proposal.notes.append(
      "\(payments.joined(separator: ", ")): left out, because Superwall's webhooks have these payments, too; "
        + "`--superwall-money sdk` takes them")
  }
}
