internal import Basics
internal import EventModel

/// Says what may make a number wrong though it looks right.
extension Proposer {
  mutating func warn() {
    warnOfTrials()
    warnOfUnknownTrials()
    warnOfPaymentsAtTrials()
    warnOfOutcomes()
    warnOfPlans()
    warnOfCents()
    warnOfThousands()
    warnOfFormats()
    warnOfDays()
    warnOfLostDigits()
    warnOfLetters()
    warnOfRefunds()
    warnOfCancellations()
    warnOfParts()
    warnOfLists()
    findRemoved()
    noteUnpaid()
  }

  /// Says which records of payments are left out, because they were not paid.
  private mutating func noteUnpaid() {
    for split in splits
    where split.kind == nil && !split.kinds.isDisjoint(with: Self.paid) && columns[split.column].path != "$table" {
      proposal.notes.append(
        "\(Self.records(split.rows.count)) left out: \(columns[split.column].path) says that nothing was paid")
    }
  }

  /// Amounts that may be of one of several, or before a discount.
  private mutating func warnOfParts() {
    guard moments.isEmpty, let price = chosen[.price]?.column, Self.totalWords.isDisjoint(with: words(price)) else {
      return
    }
    for (place, column) in columns.enumerated() where !isUsed(place) && column.signs.numbers == column.count {
      let isOfMany = words(place).last.map { ["quantity", "qty", "seats"].contains($0) } ?? false
      guard isOfMany || words(place).contains("discount") else { continue }
      let count = rows(place, of: Self.paid) { text in Double(text).map { $0 > (isOfMany ? 1 : 0) } ?? false }.count
      guard count > 0 else { continue }
      proposal.warnings.append(
        "\(column.path) is not used, though it has \(isOfMany ? "more than 1" : "an amount") in \(Self.records(count)) of "
          + "payments; if \(columns[price].path) is \(isOfMany ? "the price of one" : "the price before it"), name a column of what was "
          + "paid: `--set price=COLUMN`" + choices { columns[$0].signs.numbers == columns[$0].count })
      return
    }
  }

  /// Words of amounts that are those of a whole payment.
  private static let totalWords: Set<String> = ["total", "paid", "charged", "gross", "net", "final"]

  /// Lists that may hold the variants.
  private mutating func warnOfLists() {
    guard chosen[.variant] == nil else { return }
    for list in columns where list.type == .list {
      guard let example = list.values.first(where: { $0.text.hasPrefix("[\"") })?.text else { continue }
      proposal.warnings.append(
        "\(list.path) has lists, such as \(example.prefix(60)), which are not read; if they have the variant, the product or "
          + "the price, write each to a column of its own and run `tollgate init` again")
      return
    }
  }

  /// Leaves out the few records that a flag such as `is_bot` says are of no customers, and says which may be removed.
  private mutating func findRemoved() {
    for (place, column) in columns.enumerated() where !isUsed(place) && Self.isFlag(column) {
      let words = Set(words(place))
      guard let truth = column.values.first(where: { Self.truths.contains($0.text.lowercased()) }) else { continue }
      let condition = "{\(Self.quoted(column.path)): \(Self.quoted(truth.text))}"
      let rest = words.subtracting(["is", "user", "account", "customer", "traffic"])
      let isOfOthers = !rest.isEmpty && rest.isSubset(of: Self.otherUsers) || rest == ["test"] && words.count > 1
      if isOfOthers, truth.count * 2 < profile.recordCount {
        skips.append(condition)
        proposal.notes.append(
          "\(Self.records(truth.count)) left out, as \(column.path) says that they are of no customers: `skip` in the mapping"
        )
      } else if moments.isEmpty, !Self.removedWords.isDisjoint(with: words) {
        let value =
          "environment={path: \(Self.quoted(column.path)), values: {\(Self.quoted(truth.text)): sandbox, \"*\": production}}"
        let remedy =
          chosen[.environment] == nil ? "`--set \(value.shellWord)`" : "add `skip: \(condition)` to the mapping"
        proposal.warnings.append(
          "\(column.path): \(Self.records(truth.count)) with \(truth.text) count like all others; if they should not: \(remedy)"
        )
      }
    }
  }

  private static let otherUsers: Set<String> = ["bot", "internal", "employee", "staff", "demo", "fraud", "spam"]
  private static let removedWords = otherUsers.union(["deleted", "excluded", "test"])

  /// Flags of trials and payments in a table of views, which say nothing of their times.
  private mutating func warnOfOutcomes() {
    guard moments.isEmpty, isOfOneKind, proposal.names[0].kind == .paywallImpression else { return }
    let late: Set<EventKind> = [.trialStart, .conversion, .payment]
    let found = columns.indices.filter { place in
      let path = columns[place].path
      let isOfLate =
        momentKind(path).map(late.contains) ?? false || words(place).contains("trial")
      return !isUsed(place) && Self.isFlag(columns[place]) && columns[place].exactDistinct == 2 && isOfLate
    }
    guard !found.isEmpty else { return }
    let paths = found.map { columns[$0].path }.joined(separator: ", ")
    proposal.warnings.append(
      "\(paths) \(found.count == 1 ? "is" : "are") not used, because a trial or payment needs its time; add columns with "
        + "the times, or a file of trials and payments")
  }

  private func isUsed(_ place: Int) -> Bool {
    chosen.values.contains { $0.column == place } || splits.contains { $0.column == place }
      || moments.contains { $0.column == place }
  }

  /// Events of one day have an order only with the time of day. Trials and payments that are cut to days or hours count as
  /// before a paywall view of the same day or hour, if other times are finer.
  private mutating func warnOfDays() {
    let time = timeOfDay == nil ? chosen[.ts].map { [$0.column] } ?? [] : []
    let times = moments.isEmpty ? time : moments.map(\.column)
    guard let own = times.map({ columns[$0].step }).min() else { return }
    proposal.timeStep = own
    if moments.isEmpty, !isOfOneKind, columns[times[0]].hasDaysAlone,
      proposal.names.count(where: { $0.kind != nil }) > 1
    {
      proposal.warnings.append(
        "\(columns[times[0]].path) has days without the time of day, so events of one user on one day have no order, and "
          + "some cancellations and trials may be counted wrongly; if another column has the time: `--set ts=COLUMN`"
          + choices { scores.timeValues($0) == 1 && !columns[$0].hasDaysAlone })
      return
    }
    for time in times where isCut(time) {
      if isCutToMinutes(time) {
        proposal.notes.append(
          "\(columns[time].path) has minutes without seconds, and other times are finer, so its events are placed at the "
            + "end of their minute")
        continue
      }
      let (unit, lack) =
        columns[time].step == Instant.millisecondsPerDay
        ? ("day", "days without the time of day") : ("hour", "hours without minutes")
      let finer = columns.indices.first { place in
        !isUsed(place) && scores.timeValues(place) == 1 && columns[place].step < columns[time].step
      }
      proposal.warnings.append(
        "\(columns[time].path) has \(lack), and other times are finer, so a trial or payment in the same \(unit) as its "
          + "paywall view counts as before the view, and too few users count as payers; "
          + (finer.map { "`--set \("ts=\(columns[$0].path)".shellWord)` reads a finer column" }
            ?? (moments.isEmpty && timeOfDay == nil
              ? "export the file with full times, or read these as the end of their \(unit): "
                + "`--set \("ts={path: \(Self.quoted(columns[time].path)), cut: \(unit)}".shellWord)`"
              : "export the file with full times, if you can"))
      )
      return
    }
  }

  /// Returns whether a time of trials or payments is cut to a unit, and other times are finer.
  private func isCut(_ time: Int) -> Bool {
    let times = moments.isEmpty ? [chosen[.ts]?.column].compactMap(\.self) : moments.map(\.column)
    guard ownValue(.ts, time) == nil, timeOfDay == nil, times.contains(time),
      let own = times.map({ columns[$0].step }).min(),
      columns[time].step > min(own, answers.othersTimeStep ?? own)
    else { return false }
    let late = Self.paid.union([.trialStart])
    if !moments.isEmpty { return moments.contains { $0.column == time && late.contains($0.kind) } }
    return recordKinds().contains { $0.map(late.contains) ?? false }
  }

  /// Returns whether it is cut to minutes, so that it is read as the end of its minute.
  func isCutToMinutes(_ time: Int) -> Bool { columns[time].step == 60_000 && isCut(time) }

  /// Says which columns that are not used yet `COLUMN` in an option may stand for.
  func choices(_ isMeant: (Int) -> Bool) -> String {
    let found = columns.indices.filter { !isUsed($0) && isMeant($0) }.map { columns[$0].path }
    if found.isEmpty { return " (no column that is not used fits)" }
    return " (\(found.prefix(4).joined(separator: ", "))\(found.count > 4 ? " or \(found.count - 4) more" : ""))"
  }

  /// Ids of users that differ by capital letters alone.
  private mutating func warnOfLetters() {
    guard let user = chosen[.userID]?.column else { return }
    let ids = Dictionary(grouping: columns[user].values.map(\.text)) { $0.lowercased() }
    let alike = ids.values.filter { $0.count > 1 }
    guard let example = alike.map({ $0.sorted() }).min(by: { $0[0] < $1[0] }) else { return }
    proposal.warnings.append(
      "\(columns[user].path): \(counted(alike.count, "user")) \(alike.count == 1 ? "has" : "have") ids that differ by capital "
        + "letters alone, such as \(example[0]) and \(example[1]), and each id counts as a user; if they are the same, write "
        + "them alike in the file")
  }

  /// Refunds without an amount.
  private mutating func warnOfRefunds() {
    let kinds = recordKinds()
    let refunds = moments.isEmpty ? kinds.count { $0 == .refund } : moments.first { $0.kind == .refund }?.count ?? 0
    guard refunds > 0, let price = chosen[.price]?.column, refundedAmount == nil else { return }
    if moments.isEmpty, scores.coverage(price, of: .refund, kinds) ?? 0 > 0 { return }
    proposal.warnings.append(
      "\(counted(refunds, "refund")) \(refunds == 1 ? "has" : "have") no amount, so the whole payment counts as given back; "
        + "a column such as refunded_amount would say how much it was")
  }

  /// Names without a meaning that may be those of cancellations, where none is: their records have no amount, and come
  /// later than a trial or payment of their user, most of them once and an hour or more after it.
  private mutating func warnOfCancellations() {
    let kinds = recordKinds()
    guard moments.isEmpty, !isOfOneKind, !kinds.contains(.cancellation), let (user, time) = userAndTime else { return }
    let (names, users, times) = (recordNames(), scores.codes(user), columns[time].instantOfRow)
    let amounts = Set(chosen[.price].map { columns[$0.column].rows } ?? [])
    var first: [UInt64: Int64] = [:]
    for (row, ts) in times where kinds[Int(row)].map({ $0 == .trialStart || Self.paid.contains($0) }) ?? false {
      first[users[Int(row)]] = min(first[users[Int(row)]] ?? ts, ts)
    }
    for (place, name) in proposal.names.enumerated() where isOpen(name) && name.count >= 10 {
      let own = names.indices.filter { names[$0] == place && !amounts.contains(UInt32($0)) }
      let gaps = own.compactMap { row in times[UInt32(row)].flatMap { ts in first[users[row]].map { ts - $0 } } }
      guard gaps.count(where: { $0 >= 0 }) * 50 >= name.count * 49,
        gaps.count(where: { $0 >= 3_600_000 }) * 2 > name.count,
        Set(own.map { users[$0] }).count * 10 >= name.count * 9
      else { continue }
      proposal.warnings.append(
        "\(name.name) (\(Self.records(name.count))): left out, though only users with a trial or payment have it; if it is a "
          + "cancellation: `\("--event \("\(name.name)=cancellation".shellWord)")`")
    }
  }

  /// Purchases that may be trials.
  private mutating func warnOfTrials() {
    for split in splits where split.lacksLength {
      proposal.warnings.append(
        "\(Self.records(split.rows.count)) with \(text(of: split)) are trials and are left out, because no column says how "
          + "long they are; `--set trial_days=7` takes them, each with this length")
      proposal.options.append("--set trial_days=7")
    }
    let kinds = recordKinds()
    if let price = chosen[.price]?.column, !splits.contains(where: { $0.column == price && $0.kind == .trialStart }) {
      let free = columns[price].rows(with: columns[price].codes(where: Self.isZero))
      let count = free.count { [.conversion, .payment].contains(kinds[Int($0)]) }
      if count > 0 {
        proposal.warnings.append(
          "\(Self.records(count)) of purchases have the price 0 and count as purchases; if they are trials, give them a "
            + "`when` in the mapping (tollgate mapping --help)")
      }
    }
    let used = Set(chosen.values.map(\.column) + splits.map(\.column) + moments.map(\.column) + flags.map(\.column))
    if let paid = moments.first(where: { $0.kind == .conversion || $0.kind == .payment }),
      !moments.contains(where: { $0.kind == .trialStart }),
      let trial = columns.indices.first(where: { place in
        !used.contains(place) && words(place).contains("trial")
          && columns[place].signs.instants * 2 > columns[place].count
      })
    {
      let path = Self.quoted(columns[trial].path)
      proposal.warnings.append(
        "\(columns[trial].path) is not used, and no column says when a trial began; if this one does, add a rule of the kind "
          + "trial_start, with `time: \(path)`, beside that of \(paid.name) in the mapping (tollgate mapping --help)")
    }
    guard kinds.contains(where: { $0 == .conversion || $0 == .payment }), splits.allSatisfy({ $0.kind != .trialStart })
    else { return }
    for (place, column) in columns.enumerated() where !used.contains(place) {
      let words = NameWords.words(of: FieldSynonyms.lastStep(of: column.path))
      guard words.contains("trial"), column.count > 0, !kinds.contains(.trialStart) || Self.isFlag(column) else {
        continue
      }
      proposal.warnings.append(
        "\(column.path) is not used: if it says which purchases are trials, give these a `when` in the mapping (tollgate "
          + "mapping --help)")
    }
  }

  private func text(of split: RecordSplit) -> String {
    let text = String(split.condition.dropFirst().dropLast()).replacing("\"", with: "")
    // Several conditions.
    let parts = text.hasPrefix("all: [") ? text.dropFirst(6).filter { !"{}]".contains($0) } : text
    return parts.replacing(": ", with: " = ")
  }

  /// Prices that look like cents.
  private mutating func warnOfCents() {
    guard let price = chosen[.price]?.column, answers.values[EventField.price.name] == nil else { return }
    let column = columns[price]
    let words = NameWords.words(of: column.path)
    if words.contains("micros") { return }
    if !Self.minorWords.isDisjoint(with: words) {
      warnOfHundredths(price)
      return
    }
    let example = column.examples.first { !Self.isZero($0) } ?? ""
    if readsCents {
      proposal.warnings.append(
        "\(column.path) is read as cents (\(scaled(.price, price) ?? "÷ 100")), because most amounts are whole and end in 99, 95, "
          + "90 or 49; if \(example) is not in cents: `--set \("price={path: \(Self.quoted(column.path)), scale: 1}".shellWord)`"
      )
      return
    }
    guard looksLikeCents(price) else { return }
    proposal.warnings.append(
      "\(column.path): \(example) is read as \(example) and not as cents; if these are cents: "
        + "`--set \("price={path: \(Self.quoted(column.path)), scale: minor}".shellWord)`")
  }

  /// Signs that are followed by three digits each, in a currency with cents: points that may part thousands, as in
  /// 15.000 IDR, and commas that do, as in 1,199, where they may be decimal.
  private mutating func warnOfThousands() {
    guard let price = chosen[.price]?.column, answers.values[EventField.price.name] == nil else { return }
    let (path, signs) = (columns[price].path, columns[price].signs)
    let hasPoints = signs.decimalCommas == 0 && signs.points > 0 && signs.points == signs.pointGroups
    let hasCommas = signs.points == 0 && signs.decimalCommas > 0 && signs.decimalCommas == signs.commaGroups
    guard hasPoints || hasCommas else { return }
    let found = amounts(price) { $0 == 2 }.filter { text, _ in
      if hasPoints { return text.contains(".") && !Self.isZero(text) }
      let code = CurrencyTable.written.first { text.contains($0.sign) }?.code
      return text.contains(",") && code.flatMap(CurrencyTable.priceDecimals) ?? 2 == 2
    }
    guard let example = found.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
      !hasPoints || !found.keys.contains(where: { $0.hasPrefix("0") || $0.hasPrefix("-0") })
    else { return }
    let reading =
      hasPoints
      ? "with decimals and not as \(example.replacing(".", with: "")); if points part thousands"
      : "as \(example.replacing(",", with: "")); if commas are decimal"
    let value = "price={path: \(Self.quoted(path)), decimal: \",\"}"
    proposal.warnings.append("\(path): \(example) is read \(reading): `--set \(value.shellWord)`")
  }

  /// Amounts in yen and the like that may be in hundredths, too: beside those of currencies with cents they are too large.
  private mutating func warnOfHundredths(_ price: Int) {
    guard let currency = chosen[.currency]?.column else { return }
    let (codes, texts) = (columns[currency].textOfHash, columns[price].textOfHash)
    let ofRows = scores.codes(currency)
    var amounts: [Int: [Int]] = [:]
    var example: (amount: Int, code: String)?
    for (row, hash) in zip(columns[price].rows, columns[price].hashes) {
      guard let code = codes[ofRows[Int(row)]], let decimals = CurrencyTable.decimals(of: code),
        let amount = texts[hash].flatMap({ Int($0) }), amount > 0
      else { continue }
      amounts[decimals, default: []].append(amount)
      if decimals == 0, example == nil { example = (amount, code) }
    }
    guard let example, let whole = amounts[0]?.sorted(), let cents = amounts[2]?.sorted(),
      whole.allSatisfy({ $0 % 100 == 0 }), whole[whole.count / 2] > 20 * cents[cents.count / 2]
    else { return }
    let path = columns[price].path
    proposal.warnings.append(
      "\(path): \(example.amount) \(example.code) is read as \(example.amount), because \(example.code) has no cents; if the "
        + "column has hundredths of it, too: --set 'price={path: \(Self.quoted(path)), scale: 0.01}'")
  }
}
