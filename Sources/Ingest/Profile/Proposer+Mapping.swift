internal import Basics
internal import EventModel

/// Writes the proposed mapping as YAML.
extension Proposer {
  /// Returns the mapping as YAML with remarks; adds the questions that its defaults leave open.
  mutating func yaml() -> String {
    var lines = ["version: 1"]
    if answers.app == nil || readsAppColumn, let app = chosen[.app] {
      lines.append("app: \(Self.quoted(columns[app.column].path))" + remark(app))
    } else if let app = proposal.app {
      lines.append("app: {value: \(Self.quoted(app))}")
    }
    if isGA4, chosen[.eventID] == nil || answers.fields["event_id"] == nil {
      let parts = ["user_pseudo_id", "event_timestamp", "event_name", "event_bundle_sequence_id"]
      lines.append("id: {all: [\(parts.filter { column($0) != nil }.joined(separator: ", "))]}")
    } else if let places = idColumns {
      let paths = places.map { Self.quoted(columns[$0].path) }
      lines.append(
        "id: {all: [\(paths.joined(separator: ", "))]}  # without row numbers and times of loading, in which repeated records differ"
      )
    } else if let id = chosen[.eventID] {
      lines.append("id: \(Self.quoted(columns[id.column].path))" + remark(id))
    }
    var names = chosen[.event].map { ([columns[$0.column].path] + columns[$0.column].others).map(Self.quoted) } ?? []
    if let namePrefix, let name = names.first {
      lines.append(
        "name: {all: [\(Self.quoted(columns[namePrefix].path)), \(name)], separator: \" \"}" + remark(chosen[.event]))
    } else {
      if column("$table") != nil, !isOfOneKind { names.append("$table") }
      if !names.isEmpty {
        lines.append(
          "name: \(names.count == 1 ? names[0] : "[\(names.joined(separator: ", "))]")" + remark(chosen[.event]))
      }
    }
    if let user = chosen[.userID] {
      let path = Self.quoted(columns[user.column].path)
      if let anonymous {
        let other = Self.quoted(columns[anonymous].path)
        lines.append("user: [\(path), \(other)]" + remark(user))
        lines.append("joins: [[\(path), \(other)]]")
      } else {
        lines.append("user: \(userValue(user.column))" + remark(user))
      }
    }
    if !skips.isEmpty {
      lines.append("skip: \(skips.count == 1 ? skips[0] : "{any: [\(skips.joined(separator: ", "))]}")")
    }
    lines += defaults()
    if let time = chosen[.ts] { lines.append("time: \(timeOfRecord ?? timeValue(time.column))" + remark(time)) }
    if let properties = properties() { lines.append("properties: \(properties)") }
    let fields = fieldLines()
    if !fields.isEmpty { lines += ["fields:"] + fields }
    if proposal.includesSuperwall { lines.append("include: \(SuperwallFragment.name)") }
    let own = proposal.names.filter { !$0.isIncluded }
    let hasOwn = own.contains { $0.kind != nil && $0.confidence >= Self.leastConfidence }
    if hasOwn || !proposal.includesSuperwall { lines.append("events:") }
    var ignored: [Proposal.Name] = []
    let hasKinds = proposal.names.contains { $0.kind != nil && $0.confidence >= Self.leastConfidence }
    let isOfAll = !(flags.isEmpty && moments.isEmpty)
    if isOfAll, hasKinds { lines.append("  \"*\":") }
    for name in own {
      if name.kind == nil || name.confidence < Self.leastConfidence { ignored.append(name) }
      lines += ruleLines(name)
    }
    if !hasKinds {
      lines.append("  \"*\": activity  # guess: no event name is known")
    }
    if !ignored.isEmpty, !isOfAll {
      lines.append("ignore:")
      for name in ignored { lines.append("  - \(Self.quoted(name.name))  # \(name.count) records") }
    }
    lines += layoutLines()
    let used = Set(proposal.columns.filter { $0.field != nil }.map(\.path))
    let unused = columns.filter { !used.contains($0.path) && $0.path != "$table" }
    if !unused.isEmpty {
      lines.append("# unused columns:")
      for column in unused {
        lines.append("#   \(Self.line(column.path)): \(column.type.name), \(share(column)), \(examples(column))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Events

  /// Returns the lines of a name's rules: one, or more where a column parts its records.
  private func ruleLines(_ name: Proposal.Name) -> [String] {
    guard let kind = name.kind else { return [] }
    let isGuess = name.confidence < Self.leastConfidence
    let guess = isGuess ? "# guess " : ""
    let count = Self.records(name.count)
    var conditions: [String] = []
    var time: String?
    if let flag = flags.first(where: { columns[$0.column].path == name.name }) {
      conditions.append("{\(Self.quoted(name.name)): \(Self.quoted(flag.truth))}")
    } else if let moment = moments.first(where: { $0.name == name.name }) {
      conditions.append("{\(Self.quoted(columns[moment.column].path)): {exists: true}}")
      if let condition = moment.condition { conditions.append(condition) }
      time = timeValue(moment.column)
    }
    let isOfAll = !conditions.isEmpty
    let (place, names) = (proposal.names.firstIndex { $0.name == name.name }, splits.isEmpty ? [] : recordNames())
    let parts = splits.filter { split in
      split.kinds.contains(kind) && split.rows.contains { names[Int($0)] == place }
    }
    var lines: [String] = []
    for (place, part) in parts.enumerated() {
      guard let kind = part.kind else { continue }
      let others = parts[..<place].map { "{not: \($0.condition)}" }
      let value = rule(kind, conditions + [part.condition] + others, trialDays: part.trialDays)
      lines.append("    \(guess.isEmpty && part.lacksLength ? "# guess " : guess)- \(value)")
    }
    let rest = conditions + parts.map { "{not: \($0.condition)}" }
    var values: [String] = []
    if let plan = name.trialPlan, kind == .trialStart {
      // Those with a plan keep theirs.
      let column = (chosen[.plan] ?? chosen[.productID]).map { Self.quoted(columns[$0.column].path) }
      if let column {
        values.append(rule(kind, rest + ["{\(column): {exists: true}}"], time: time, trialDays: name.trialDays))
      }
      let isWithout = column.map { ["{\($0): {exists: false}}"] } ?? []
      values.append(
        rule(
          kind, rest + isWithout, time: time, trialDays: name.trialDays, trialPlan: plan,
          trialProduct: name.trialProduct))
    } else {
      values.append(rule(kind, rest, time: time, trialDays: name.trialDays))
    }
    let own = values.map { "    \(guess)- \($0)" }
    if isOfAll { return lines + own.map { "\($0)  # \(count)" } }
    let word = name.confidence >= Self.sureConfidence ? "sure" : isGuess ? "guess" : "likely"
    let key = "  \(guess)\(Self.quoted(name.name)):"
    let isPaid = Self.paid.contains(kind)
    let failed = parts.filter { $0.kind == nil }.map(\.condition)
    let refundOf = isOfOneKind ? refundRule ?? ownRefundRule(failed) : isPaid ? ownRefundRule(failed) : nil
    let refund = refundOf.map { ["    \(guess)- \($0)"] } ?? []
    if parts.isEmpty, refund.isEmpty, values.count == 1 { return ["\(key) \(values[0])  # \(word), \(count)"] }
    return ["\(key)  # \(word), \(count)"] + lines + own + refund
  }

  /// Returns a rule: its kind alone, or a mapping with what it needs besides.
  private func rule(
    _ kind: EventKind, _ conditions: [String] = [], time: String? = nil, trialDays: Int? = nil, trialPlan: Plan? = nil,
    trialProduct: String? = nil
  ) -> String {
    var parts = ["kind: \(kind.name)"]
    if !conditions.isEmpty {
      parts.append("when: \(conditions.count == 1 ? conditions[0] : "{all: [\(conditions.joined(separator: ", "))]}")")
    }
    if let time { parts.append("time: \(time)") }
    if kind == .trialStart {
      let own = [
        trialDays.map { "trial_days: \(trialDaysValue($0))" }, trialPlan.map { "plan: {value: \($0.name)}" },
        trialProduct.map { "product_id: {value: \(Self.quoted($0))}" },
        trialsEndAsPaid ? chosen[.expiresAt].map { "trial_ends_at: \(timeValue($0.column))" } : nil,
      ]
      let fields = own.compactMap(\.self).joined(separator: ", ")
      if !fields.isEmpty { parts.append("fields: {\(fields)}") }
    }
    if kind == .identify, let anonymous {
      parts.append("fields: {previous_user_id: \(Self.quoted(columns[anonymous].path))}")
    }
    if kind == .refund, !moments.isEmpty, let price = refundedAmount.flatMap({ fieldValue(.price, $0) }) {
      parts.append("fields: {price: \(price)}")
    }
    // An amount given back may be another than the price; without a product it is of the last payment.
    if kind == .refund, moments.isEmpty, !productsByAmount.isEmpty {
      parts.append("fields: {product_id: {value: \"\"}}")
    }
    if chosen[.entryPoint] == nil, kind == .paywallImpression || kind == .gateHit {
      parts.append("fields: {entry_point: {value: unknown}}")
    }
    return parts.count == 1 ? kind.name : "{\(parts.joined(separator: ", "))}"
  }

  // MARK: Values

  /// Sign of fractions, order of days, zone and currency, for all values.
  private mutating func defaults() -> [String] {
    var lines: [String] = []
    let numbers = [EventField.price, .priceUSD].compactMap { chosen[$0]?.column }.map { columns[$0].signs }
    // Where commas are decimal, points part thousands. Three digits behind each comma are thousands.
    let hasCommas = numbers.contains { $0.decimalCommas > $0.commaGroups }
    if hasCommas, numbers.allSatisfy({ $0.points == $0.pointGroups }) {
      lines.append("decimal: \",\"")
    } else if hasPointsInWholeAmounts() {
      lines.append("decimal: \",\"  # points part thousands, as the currencies have no cents")
    } else if hasCommas {
      lines.append("decimal: any  # commas in some amounts, points in others")
    } else if numbers.contains(where: { $0.decimalCommas + $0.grouped + $0.currencies > 0 }) {
      lines.append("decimal: \".\"")
    }
    let timeColumns = [EventField.ts, .expiresAt, .receivedAt, .trialEndsAt].compactMap { chosen[$0]?.column }
    let times = timeColumns.map { columns[$0].signs }
    let (day, month) = (times.map(\.dayFirst).reduce(0, +), times.map(\.monthFirst).reduce(0, +))
    if let dates = answers.dates {
      lines.append("dates: \(Self.quoted(dates))")
    } else if day + month > 0 {
      let dated = timeColumns.first { columns[$0].signs.dayFirst + columns[$0].signs.monthFirst > 0 }
      let example = dated.flatMap { columns[$0].examples.first }
      let byOrder = day == month ? scores.isMonthFirstByOrder : nil
      if day == month, byOrder == nil { proposal.questions.append(.dayOrder(example: example ?? "")) }
      let order = byOrder ?? (day < month) ? "month-first" : "day-first"
      lines.append("dates: \(order)")
      if day != month || byOrder != nil, let example {
        let reason = byOrder == nil ? "" : ", which puts the records in order of time"
        proposal.notes.append("dates such as \(example) are read \(order)\(reason); `--dates` changes it")
      }
    }
    if let zone = answers.zone { lines.append("zone: \(zone)") }
    if let currency = answers.currency {
      lines.append("currency: \(currency)")
    } else if let priceCurrency {
      lines.append("currency: \(priceCurrency)  # from the name of the column or the only country")
    } else if let price = chosen[.price], chosen[.currency] == nil, currencyValue(price.column) == nil {
      proposal.questions.append(.currency)
      noteAmountsWithoutCents(price.column)
      lines.append("currency: USD  # guess: no column has one; --currency changes it")
    }
    if answers.hasCompleteHistory || provesFirstPayments { lines.append("history: complete") }
    return lines
  }

  private func fieldLines() -> [String] {
    var lines: [String] = []
    for field in Self.others where field != .app {
      if let found = chosen[field] {
        guard let value = fieldValue(field, found.column) else { continue }
        lines.append("  \(field.name): \(value)" + remark(found))
      } else if let own = answers.values[field.name] {
        lines.append("  \(field.name): \(field == .experiment ? ofVariants(own) : own)")
      } else if let guess = guesses[field], !chosen.values.contains(where: { $0.column == guess.column }) {
        lines.append("  # guess \(field.name): \(Self.quoted(columns[guess.column].path))" + remark(guess))
      }
      if field == .productID, let line = planInNameLine { lines.append(line) }
      if field == .productID, !productsByAmount.isEmpty { lines += amountLines() }
      if field == .productID, let line = measuredPlanLine { lines.append(line) }
      if field == .currency, chosen[.currency] == nil, answers.currency == nil, let price = chosen[.price],
        let value = currencyValue(price.column)
      {
        lines.append("  currency: \(value)  # from the amounts")
      }
      if field == .experiment, chosen[.experiment] == nil, answers.values[field.name] == nil, let experimentName,
        let variant = chosen[.variant]
      {
        let path = Self.quoted(columns[variant.column].path)
        lines.append("  experiment: {path: \(path), like: {\"*\": \(Self.quoted(experimentName))}}")
      }
      if field == .tier, chosen[.tier] == nil, let product = chosen[.productID],
        columns[product.column].values.contains(where: { $0.text.lowercased().contains("family") })
      {
        let path = Self.quoted(columns[product.column].path)
        lines.append("  tier: {path: \(path), like: {\"*family*\": family, \"*\": individual}}  # from the product")
      }
    }
    return lines
  }

  func fieldValue(_ field: EventField, _ column: Int) -> String? {
    if let own = ownValue(field, column) { return own }
    let profile = columns[column]
    let paths = ([profile.path] + profile.others).map(Self.quoted)
    let path = paths.count == 1 ? paths[0] : "[\(paths.joined(separator: ", "))]"
    let texts = profile.values.map(\.text)
    switch MappingValue.Form(field) {
    case .time: return timeValue(column)
    case .money:
      let words = NameWords.words(of: profile.path)
      if profile.signs.points > 0 { return path }
      if words.contains("micros") { return "{path: \(path), scale: 0.000001}" }
      return Self.minorWords.isDisjoint(with: words) && !readsCents ? path : "{path: \(path), scale: minor}"
    case .days: return texts.allSatisfy { Int($0) != nil } ? path : "{path: \(path), unit: duration}"
    case .number: return path
    case .text: break
    }
    func replacing(_ texts: [String], _ meant: (String) -> String?) -> String {
      let values = texts.compactMap { text in meant(text).map { "\(Self.quoted(text)): \($0)" } }
      return "{path: \(path), values: {\(values.joined(separator: ", "))}}"
    }
    if !profile.excluded.isEmpty { return replacing(profile.excluded) { _ in "null" } }
    switch field {
    case .plan where profile.type == .whole:
      let known = texts.filter { ProductPlans.plan(count: $0, of: profile.path) != nil }.sorted()
      return known.isEmpty ? path : replacing(known) { ProductPlans.plan(count: $0, of: profile.path)?.name }
    // JSON's flags are no texts.
    case .variant where texts.allSatisfy({ ["true", "false"].contains($0) }):
      return "{path: \(path), values: {true: \"true\", false: \"false\"}}"
    case .currency:
      return texts.allSatisfy(CurrencyTable.isCode) ? path : replacing(texts.sorted(), CurrencyTable.code)
    case .platform:
      let values = texts.filter { $0 != $0.lowercased() }.sorted().prefix(20)
      return values.isEmpty ? path : replacing(Array(values)) { $0.lowercased().filter { $0 != " " } }
    case .reason:
      let known: Set<String> = ["voluntary", "billing", "price_increase", "product_unavailable", "other"]
      if texts.allSatisfy(known.contains) { return path }
      let meant = texts.sorted().compactMap { text in
        known.contains(text) ? nil : KindWords.reason(of: text).map { "\(Self.quoted(text)): \($0)" }
      }
      let values = known.sorted().map { "\($0): \($0)" } + meant + ["\"*\": other"]
      return "{path: \(path), values: {\(values.joined(separator: ", "))}}"
    case .tier:
      if texts.allSatisfy({ $0 == "individual" || $0 == "family" }) { return path }
      return "{path: \(path), like: {\"*family*\": family, \"*\": individual}}"
    case .environment:
      let isFlag = Self.isFlag(profile)
      let isLive = !NameWords.words(of: profile.path).allSatisfy { !["live", "livemode", "production"].contains($0) }
      if isFlag || texts.contains(where: { !["production", "sandbox"].contains($0.lowercased()) }) {
        return replacing(texts.sorted()) { text in
          isFlag
            ? (Self.truths.contains(text.lowercased()) == isLive ? "production" : "sandbox")
            : ColumnScores.environments[text.lowercased()]
        }
      }
      return texts.allSatisfy { $0 == $0.lowercased() }
        ? path : "{path: \(path), like: {\"sandbox\": sandbox, \"*\": production}}"
    default: return path
    }
  }

  /// Objects whose members become properties, if records have such.
  private func properties() -> String? {
    if hasNoProperties { return "none" }
    let nested = columns.filter { $0.path.contains(".") || $0.path.contains("[") }
    if nested.isEmpty { return nil }
    var roots: [String] = []
    for column in nested where !column.path.contains("[") {
      guard let root = column.path.split(separator: ".").first.map(String.init), !roots.contains(root) else { continue }
      let words = NameWords.words(of: root)
      if words.contains(where: {
        ["properties", "props", "traits", "attributes", "params", "data", "payload"].contains($0)
      }) {
        roots.append(root)
      }
    }
    return roots.isEmpty ? "none" : "[\(roots.map(Self.quoted).joined(separator: ", "))]"
  }

  private func layoutLines() -> [String] {
    var lines: [String] = []
    if !profile.layout.list.isEmpty { lines.append("records: \(profile.layout.list.joined(separator: "."))") }
    if !profile.layout.each.isEmpty { lines.append("each: \(profile.layout.each.joined(separator: "."))") }
    var parts: [String] = []
    let table = profile.layout.table
    if let delimiter = table.delimiter {
      parts.append("delimiter: \"\(delimiter == 9 ? "\\t" : String(UnicodeScalar(delimiter)))\"")
    }
    if table.isWindows1252 { parts.append("encoding: windows-1252") }
    if table.hasNoHeader { parts.append("header: false") }
    if !parts.isEmpty { lines.append("csv: {\(parts.joined(separator: ", "))}") }
    return lines
  }

  private func remark(_ found: (column: Int, confidence: Double)?) -> String {
    guard let found else { return "" }
    let word =
      found.confidence >= Self.sureConfidence ? "sure" : found.confidence >= Self.leastConfidence ? "likely" : "guess"
    let column = columns[found.column]
    return "  # \(word), \(share(column)), \(examples(column))"
  }

  private func share(_ column: ColumnProfile) -> String {
    let percent = profile.recordCount == 0 ? 0 : column.count * 100 / profile.recordCount
    return percent == 100 ? "always filled" : percent == 0 ? "filled in under 1%" : "filled in \(percent)%"
  }

  private func examples(_ column: ColumnProfile) -> String {
    column.examples.map { Self.line($0.count > 40 ? $0.prefix(40) + "..." : $0) }.joined(separator: ", ")
  }

  /// The text without line ends and other control characters, for a comment.
  private static func line(_ text: some StringProtocol) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map {
          $0.value < 0x20 || $0.value == 0x7F || $0.value == 0x85 || $0.value == 0x2028 || $0.value == 0x2029 ? " " : $0
        }))
  }

  /// The text as a YAML scalar.
  static func quoted(_ text: String) -> String {
    let first = text.utf8.first ?? 0
    let isPlain =
      (first | 0x20) &- UInt8(ascii: "a") < 26 || first == UInt8(ascii: "$") || first == UInt8(ascii: "_")
    let rest = text.utf8.allSatisfy { byte in
      (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- 0x30 < 10 || "._$-".utf8.contains(byte)
    }
    let isWord = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    if isPlain, rest, !isWord { return text }
    var quoted: [UInt8] = []
    JSONText.append(quoted: text, to: &quoted)
    return String(decoding: quoted, as: UTF8.self)
  }
}
