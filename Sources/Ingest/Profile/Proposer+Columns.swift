internal import Basics
internal import EventModel

/// Reads what names of columns say besides their field: an experiment, a currency.
extension Proposer {
  /// Returns whether a column is named after something that is not an event: where each user has one record, the user;
  /// in a short file, where each record may have its own value, also a variant or a price.
  func isOfOthers(_ place: Int) -> Bool {
    let others: [EventField] = [.variant, .paywall, .entryPoint, .price, .country, .appVersion]
    let path = columns[place].path
    return FieldSynonyms.isUser(path) || others.contains { FieldSynonyms.score(of: path, for: $0) >= 0.9 }
  }

  /// Returns whether the values of a column tell a field though its name does not: amounts stand where a currency does.
  func isByValues(_ field: EventField, _ place: Int, _ kinds: [EventKind?], _ withCurrency: Set<UInt32>) -> Bool {
    switch field {
    case .currency, .country: return true
    case .productID: return scores.hasProducts(place, kinds)
    case .price:
      let column = columns[place]
      let hasDollars = columns.contains {
        FieldSynonyms.score(of: $0.path, for: .priceUSD) >= 0.9 && $0.count > 0 && $0.signs.numbers == $0.count
      }
      guard !hasDollars, !Self.isFlag(column), !FieldSynonyms.isID(column.path),
        FieldSynonyms.score(of: column.path, for: .trialDays) <= 0.5
      else { return false }
      return withCurrency.isEmpty || column.rows.count { withCurrency.contains($0) } * 2 >= column.count
    default: return false
    }
  }

  /// Kinds of events of something that is sold.
  private static let ofSales = paid.union([
    .trialStart, .cancellation, .reactivation, .billingIssue, .expiration, .refund, .planChange,
  ])

  /// Makes two columns of one such as Snowplow's `se_property`, whose name means no field and whose values in trials and
  /// payments are others than those in paywall views.
  mutating func partColumns() {
    guard moments.isEmpty, !isOfOneKind else { return }
    let kinds = recordKinds()
    let used = Set(chosen.values.map(\.column) + splits.map(\.column) + [namePrefix ?? -1, anonymous ?? -1])
    for place in columns.indices where !used.contains(place) {
      let column = columns[place]
      guard column.type == .text, (2...200).contains(column.exactDistinct), column.others.isEmpty,
        !column.path.hasPrefix("$"),
        Self.others.allSatisfy({ FieldSynonyms.score(of: column.path, for: $0) < 0.6 }),
        scores.coverage(place, of: .paywallImpression, kinds) ?? 0 >= 0.5,
        Self.paid.contains(where: { scores.coverage(place, of: $0, kinds) ?? 0 >= 0.5 })
      else { continue }
      func isSold(_ row: UInt32) -> Bool { kinds[Int(row)].map(Self.ofSales.contains) ?? false }
      let all = zip(column.rows, column.hashes)
      let (sold, others) = (Set(all.filter { isSold($0.0) }.map(\.1)), Set(all.filter { !isSold($0.0) }.map(\.1)))
      if !sold.isEmpty, !others.isEmpty, sold.isDisjoint(with: others) { scores.part(place) { !isSold($0) } }
    }
  }

  /// Takes the names of records without one from another column, as Segment's `type`, which says `identify` and `page`.
  mutating func fillNames() {
    guard let name = chosen[.event]?.column, scores.filled(name) < 0.999, column("$table") == nil,
      answers.fields[EventField.event.name] == nil
    else { return }
    let named = Set(columns[name].rows)
    let other = columns.indices.first { place in
      let column = columns[place]
      return place != name && column.type == .text && column.exactDistinct <= 50 && scores.filled(place) >= 0.999
        && words(place).last.map { ["type", "kind", "event", "action"].contains($0) } ?? false
        && Set(zip(column.rows, column.hashes).filter { !named.contains($0.0) }.map(\.1)).isDisjoint(
          with: zip(column.rows, column.hashes).filter { named.contains($0.0) }.map(\.1))
    }
    if let other { scores.fill(name, from: other) }
  }

  /// Returns whether each value has a currency, and no column is named after prices.
  func hasOnlyMoney(_ place: Int) -> Bool {
    columns[place].signs.currencies == columns[place].count && columns[place].count > 0
      && !columns.contains { FieldSynonyms.score(of: $0.path, for: .price) >= 0.5 }
  }

  // MARK: Experiments

  /// Chooses the column of variants whose name is that of its experiment, if no column is named after variants.
  ///
  /// - Returns: The columns that are named after an experiment.
  mutating func chooseNamedExperiment(except required: Set<Int>) -> [Int] {
    let isNamed = columns.contains { FieldSynonyms.score(of: $0.path, for: .variant) >= 0.9 }
    let found = columns.indices.compactMap { place -> (column: Int, name: String)? in
      guard !required.contains(place), let name = Self.experiment(of: columns[place].path),
        Self.hasVariants(columns[place])
          || Self.toolPrefixes.contains(where: { columns[place].path.contains($0) }) && Self.isOfFew(columns[place])
      else { return nil }
      return (place, name)
    }
    guard !found.isEmpty, answers.fields[EventField.experiment.name] == nil else { return [] }
    let given = answers.fields[EventField.variant.name].flatMap { column($0) }
    if given == nil, isNamed { return found.map(\.column) }
    guard
      let best = found.first(where: { $0.column == given })
        ?? (given == nil ? found.max { columns[$0.column].count < columns[$1.column].count } : nil)
    else { return [] }
    if given == nil { chosen[.variant] = (best.column, 0.8) }
    experimentName = best.name
    let others = found.filter { $0.column != best.column }.map { columns[$0.column].path }
    if !others.isEmpty, given == nil {
      proposal.warnings.append(
        "\(columns[best.column].path) is read as the variants of \(best.name); other experiments are left out: "
          + others.map { "`--set \("variant=\($0)".shellWord)`" }.joined(separator: ", ") + " reads another one instead"
      )
    }
    return found.map(\.column)
  }

  /// Objects whose members are named after experiments.
  private static let experimentObjects: Set<String> = [
    "flags", "feature_flags", "featureflags", "experiments", "ab_tests", "abtests", "tests",
  ]

  /// Returns the words of a column's name.
  func words(_ column: Int) -> [String] { NameWords.words(of: FieldSynonyms.lastStep(of: columns[column].path)) }

  /// Words before an experiment in the name of a column.
  private static let experimentPrefixes = ["exp_", "experiment_", "ab_", "abtest_", "ab_test_"]
  /// The words that PostHog, Amplitude and Firebase write before an experiment, whose variants may have any names.
  private static let toolPrefixes = ["$feature/", "[Experiment] ", "firebase_exp_"]

  /// Returns the experiment in the name of a column: of `flags.X`, `$feature/X`, `exp_X`, X.
  private static func experiment(of path: String) -> String? {
    let name = FieldSynonyms.lastStep(of: path)
    let steps = path.split(separator: ".").map { $0.lowercased() }
    var found: String?
    if steps.count > 1, !path.contains("["), experimentObjects.contains(steps[steps.count - 2]) { found = name }
    for prefix in experimentPrefixes where name.lowercased().hasPrefix(prefix) {
      found = String(name.dropFirst(prefix.count))
    }
    for prefix in toolPrefixes {
      guard let place = path.firstRange(of: prefix)?.upperBound else { continue }
      found = (prefix.hasSuffix("_") ? prefix : "") + path[place...].prefix { !"]'".contains($0) }
    }
    guard let found, found.count > 1 else { return nil }
    let words = NameWords.words(of: found)
    let isOther =
      words.allSatisfy { ["id", "name", "key", "type", "date", "version", "group", "value"].contains($0) }
      || FieldSynonyms.score(of: found, for: .variant) > 0
    return isOther ? nil : found
  }

  /// Takes a column such as `ab` for the variants where no other column has them; of two whose names say no more, the
  /// one with fewer values is the experiment.
  mutating func settleVariants() {
    takeVariantsAsPlans()
    preferStableVariants()
    guard let experiment = chosen[.experiment], answers.fields[EventField.experiment.name] == nil else { return }
    if let variant = chosen[.variant] {
      guard variant.confidence == experiment.confidence,
        columns[experiment.column].exactDistinct > columns[variant.column].exactDistinct
      else { return }
      (chosen[.experiment], chosen[.variant]) = (variant, experiment)
    } else if columns[experiment.column].exactDistinct > 1, Self.isOfFew(columns[experiment.column]) {
      (chosen[.experiment], chosen[.variant]) = (nil, experiment)
      if Self.hasVariants(columns[experiment.column]) { return }
      let path = columns[experiment.column].path
      proposal.notes.append(
        "\(path) is read as the variants, as no other column has them; if it names tests: "
          + "`--set \("experiment=\(path)".shellWord)`")
    }
  }

  /// Takes variants of products, such as Monthly, for the plans, where no record is a paywall view or an exposure.
  private mutating func takeVariantsAsPlans() {
    guard let variant = chosen[.variant]?.column, answers.fields[EventField.variant.name] == nil, chosen[.plan] == nil,
      columns[variant].values.allSatisfy({ ColumnScores.isPlan($0.text) && NameWords.words(of: $0.text).count == 1 }),
      chosen[.productID].map({ columns[$0.column].values.allSatisfy { ProductPlans.plan(name: $0.text) == nil } })
        ?? true
    else { return }
    let seen: Set<EventKind> = [.paywallImpression, .exposure]
    let kinds = moments.isEmpty ? recordKinds() : moments.map(\.kind)
    if kinds.contains(where: { $0.map(seen.contains) ?? false }) { return }
    (chosen[.plan], chosen[.variant]) = (chosen[.variant], nil)
  }

  /// Takes a column of variants that is the same in all records of a user in place of one that is not.
  private mutating func preferStableVariants() {
    guard let variant = chosen[.variant]?.column, answers.fields[EventField.variant.name] == nil,
      let user = chosen[.userID]?.column, changes(variant, of: user) > 0.7
    else { return }
    let taken = Set(chosen.values.map(\.column))
    let kinds = recordKinds()
    let other = columns.indices.first { place in
      !taken.contains(place) && FieldSynonyms.score(of: columns[place].path, for: .variant) >= 0.5
        && Self.isOfFew(columns[place]) && columns[place].exactDistinct > 1 && changes(place, of: user) < 0.05
        && scores.coverage(place, of: .paywallImpression, kinds) ?? 0 >= 0.5
    }
    guard let other else { return }
    chosen[.variant] = (other, 0.8)
    let path = columns[variant].path
    proposal.warnings.append(
      "\(columns[other].path) is read as the variants, because each user has one of them, and \(path) differs between the "
        + "records of a user; `--set \("variant=\(path)".shellWord)` reads that")
  }

  /// Returns the share of the users with several values in a column among those with several records that have one.
  private func changes(_ place: Int, of user: Int) -> Double {
    let users = scores.codes(user)
    var found: [UInt64: (records: Int, values: Set<UInt64>)] = [:]
    for (row, hash) in zip(columns[place].rows, columns[place].hashes) where users[Int(row)] != 0 {
      found[users[Int(row)], default: (0, [])].records += 1
      found[users[Int(row)], default: (0, [])].values.insert(hash)
    }
    let several = found.values.filter { $0.records > 1 }
    return several.count < 20 ? 0 : Double(several.count { $0.values.count > 1 }) / Double(several.count)
  }

  /// Returns the value of an experiment that an option names: of the records with a variant alone, if a column has it.
  func ofVariants(_ own: String) -> String {
    guard let variant = chosen[.variant], let name = Onboarding.text(ofValue: own) else { return own }
    return "{path: \(Self.quoted(columns[variant.column].path)), like: {\"*\": \(Self.quoted(name))}}"
  }

  /// Values that tell a column of variants.
  private static let variants: Set<String> = [
    "control", "treatment", "baseline", "original", "a", "b", "on", "off", "true", "false", "variant", "test",
  ]

  /// Values that only variants have.
  private static let sureVariants: Set<String> = ["control", "treatment", "holdout", "baseline"]

  /// Takes the only column that may be the variant for it, whatever its name, where one of its values is such as
  /// `control`.
  mutating func chooseVariantByValues() {
    guard chosen[.variant] == nil, chosen[.experiment] == nil, answers.values[EventField.variant.name] == nil,
      let user = chosen[.userID]?.column
    else { return }
    let (users, kinds) = (scores.codes(user), recordKinds())
    let paywall = chosen[.paywall]?.column
    let taken = Set(chosen.values.map(\.column))
    var found = columns.indices.filter { place in
      (!taken.contains(place) || place == paywall) && mayBeVariant(place, users, kinds)
        && columns[place].values.contains { value in
          NameWords.words(of: value.text).contains(where: Self.sureVariants.contains)
        }
    }
    if found.count > 1 { found.removeAll { $0 == paywall } }
    if found.count == 1 {
      chosen[.variant] = (found[0], Self.leastConfidence)
      if found[0] == paywall { chosen[.paywall] = nil }
    }
    if found.isEmpty { chooseVariantFlag(excluding: taken, users, kinds) }
  }

  /// Kinds of events that happen where a user is, so that they may have the place of their paywall view.
  private static let placed = paid.subtracting([.renewal]).union([
    .paywallImpression, .paywallDismissal, .purchaseStarted, .trialStart, .gateHit,
  ])

  /// Takes the only column that may be the entry point for it, whatever its name: a text that all paywall views and no
  /// events without a place have, and that differs between the views of a user.
  mutating func chooseEntryPointByValues() {
    guard moments.isEmpty, chosen[.entryPoint] == nil, answers.values[EventField.entryPoint.name] == nil,
      let user = chosen[.userID]?.column
    else { return }
    let (kinds, taken) = (recordKinds(), Set(chosen.values.map(\.column) + splits.map(\.column)))
    let found = columns.indices.filter { place in
      let column = columns[place]
      return !taken.contains(place) && column.type == .text && (2...200).contains(column.exactDistinct)
        && column.exactDistinct * 5 <= column.count
        && scores.coverage(place, of: .paywallImpression, kinds) ?? 0 >= 0.95
        && column.rows.allSatisfy { kinds[Int($0)].map(Self.placed.contains) ?? false }
        && changes(place, of: user) >= 0.2 && !FieldSynonyms.isNoPlace(columns[place].path)
    }
    guard found.count == 1 else { return }
    chosen[.entryPoint] = (found[0], Self.leastConfidence)
    proposal.warnings.append(
      "\(columns[found[0]].path) is read as the entry point, as only paywall views and what follows them have it; if it is "
        + "something else: `--set 'entry_point={value: unknown}'`")
  }

  /// Words of a flag that says which of two paywalls a user sees.
  private static let flagWords: Set<String> = [
    "paywall", "pw", "treatment", "treated", "variant", "experiment", "redesign", "upsell", "pricing",
  ]

  /// Takes the only flag that is named after a paywall or a treatment, and no event, for the variant.
  private mutating func chooseVariantFlag(excluding taken: Set<Int>, _ users: [UInt64], _ kinds: [EventKind?]) {
    let found = columns.indices.filter { place in
      let column = columns[place]
      return !taken.contains(place) && Self.isFlag(column) && mayBeVariant(place, users, kinds)
        && !Self.flagWords.isDisjoint(with: words(place))
        && KindWords.meaning(of: words(place).joined(separator: "_")) == .none
        && (!moments.isEmpty || scores.changes(place, among: .paywallImpression, kinds))
    }
    guard found.count == 1 else { return }
    chosen[.variant] = (found[0], Self.leastConfidence)
    let path = columns[found[0]].path
    proposal.notes.append(
      "\(path) is read as the variants, as no other column has them; if it is something else: `--set variant=COLUMN`")
  }

  private static func isOfFew(_ column: ColumnProfile) -> Bool { (1...20).contains(column.exactDistinct) }

  static func hasVariants(_ column: ColumnProfile) -> Bool {
    isOfFew(column)
      && column.values.contains { value in
        variants.contains(value.text.lowercased())
          || NameWords.words(of: value.text).contains { ["control", "variant", "treatment"].contains($0) }
      }
  }

  // MARK: Currency

  /// Takes the amounts in a column such as `priceUsd` as the prices where there are no others, and the currency that
  /// the name of the column of prices says where no column has it.
  mutating func choosePriceCurrency() {
    choosePlan()
    if chosen[.price] == nil, let dollars = chosen[.priceUSD] {
      chosen[.price] = dollars
      chosen[.priceUSD] = nil
    }
    chooseLocalPrice()
    chooseCustomerPrice()
    guard let price = chosen[.price]?.column, answers.currency == nil else { return }
    let words = words(price)
    let named = words.last.map { $0.uppercased() }.flatMap { CurrencyTable.isCode($0) ? $0 : nil }
    if let named { leaveOutCurrency(besides: named, price) }
    guard chosen[.currency] == nil else { return }
    priceCurrency = named
    if priceCurrency == nil, columns[price].path.contains("€") { priceCurrency = "EUR" }
    if priceCurrency == nil { priceCurrency = currencyOfCountry(price) }
  }

  /// Returns the currency of the only country, where its prices have no cents and those of the column have none.
  private mutating func currencyOfCountry(_ price: Int) -> String? {
    let currencies = [
      "JP": "JPY", "KR": "KRW", "VN": "VND", "ID": "IDR", "CL": "CLP", "CO": "COP", "PY": "PYG", "HU": "HUF",
    ]
    guard let country = chosen[.country]?.column, columns[country].exactDistinct == 1,
      let text = columns[country].values.first?.text,
      let currency = CountryNames.alpha2(text).flatMap({ currencies[$0] }),
      columns[price].signs.currencies == 0,
      columns[price].values.allSatisfy({ value in
        Self.isZero(value.text)
          || Self.wholeAmount(value.text).map { abs($0) >= 100 } ?? false
      })
    else { return nil }
    proposal.warnings.append(
      "\(columns[price].path) is read as \(currency), because no column is a currency and all records are of \(text); "
        + "`--currency CODE` changes it")
    return currency
  }

  /// Returns an amount without a fraction, such as 12900 or 12,900; `nil` for another text.
  static func wholeAmount(_ text: String) -> Int64? {
    let plain = ExactDecimal.withoutGroups(text)
    let digits =
      ExactDecimal.isGrouped(plain.replacing(".", with: ",")) ? plain.filter { $0 != "," && $0 != "." } : plain
    return digits.contains(".") ? nil : ExactDecimal(digits)?.integer
  }

  /// Leaves out the buyers' currencies where the name of the prices says another one.
  private mutating func leaveOutCurrency(besides named: String, _ price: Int) {
    guard let currency = chosen[.currency]?.column, answers.fields[EventField.currency.name] == nil,
      columns[currency].values.contains(where: { $0.text.uppercased() != named })
    else { return }
    chosen[.currency] = nil
    proposal.warnings.append(
      "\(columns[price].path) is read as \(named), as its name says, and \(columns[currency].path) is not used; if the "
        + "amounts are in that currency: `--set \("currency=\(columns[currency].path)".shellWord)`")
  }

  /// Words of amounts in the currency in which a user paid, beside those in another.
  private static let localWords: Set<String> = ["purchased", "local", "presentment"]

  /// Takes the amounts in the currency in which users paid, as `price_in_purchased_currency`, where the currency is
  /// that of the payment. The others are US dollars if they are equal where the currency is USD.
  private mutating func chooseLocalPrice() {
    guard let price = chosen[.price]?.column, let currency = chosen[.currency]?.column,
      answers.fields[EventField.price.name] == nil
    else { return }
    let own = Set(NameWords.words(of: columns[price].path))
    let local = columns.indices.first { place in
      let words = Set(words(place))
      return place != price && !words.isDisjoint(with: Self.localWords)
        && !words.isDisjoint(with: ["price", "amount", "revenue"])
        && own.isDisjoint(with: Self.localWords) && columns[place].count == columns[price].count
        && columns[place].signs.numbers == columns[place].count
    }
    guard let local else { return }
    let dollars = Self.code(of: "USD")
    let inDollars = Set(zip(columns[currency].rows, columns[currency].hashes).filter { $0.1 == dollars }.map(\.0))
    let (prices, locals) = (scores.codes(price), scores.codes(local))
    let equal = inDollars.count { prices[Int($0)] == locals[Int($0)] }
    chosen[.price] = (local, 0.8)
    if chosen[.priceUSD] == nil, !inDollars.isEmpty, equal * 100 >= inDollars.count * 95 {
      chosen[.priceUSD] = (price, 0.8)
    }
  }
}
