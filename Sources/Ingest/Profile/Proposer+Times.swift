internal import Basics
internal import EventModel

/// Chooses between several times, measures trials, and makes ids without the times of loading.
extension Proposer {
  // MARK: The event's own time

  /// Names of the time at which an event happened.
  private static let ownTimes: Set<String> = [
    "occurred_at", "occurred", "happened_at", "happened", "event_time", "event_ts", "event_timestamp", "event_at",
    "client_timestamp", "client_time", "client_ts", "client_event_time", "device_time", "device_timestamp",
  ]
  /// Names of times that may be those of the event, or of its arrival.
  private static let plainTimes: Set<String> = ["timestamp", "ts", "time", "at", "datetime", "created", "created_at"]
  /// Words of the time at which a record was written.
  private static let recordWords: Set<String> = ["server", "inserted", "logged", "written", "arrival", "created"]

  /// Takes the time at which an event happened, as `occurred_at`, in place of one that may be that of its record, as
  /// `created_at`; warns where two may be meant.
  mutating func chooseOwnTime() {
    guard let time = chosen[.ts]?.column, answers.fields["ts"] == nil else { return }
    let zoneless = columns.indices.first { isInUTC($0) && !isInUTC(time) && isInAnotherZone(time, than: $0) }
    if let zoneless {
      chosen[.ts] = (zoneless, 0.95)
      return
    }
    if columns[time].hasDaysAlone, let finer = columns.indices.first(where: { isFiner($0, than: time) }) {
      chosen[.ts] = (finer, 0.95)
      return
    }
    func isOwn(_ place: Int) -> Bool { Self.ownTimes.contains(words(place).joined(separator: "_")) }
    func isPlain(_ place: Int) -> Bool { Self.plainTimes.contains(words(place).joined(separator: "_")) }
    func isOfRecord(_ place: Int) -> Bool { words(place).contains(where: Self.recordWords.contains) }
    guard !isOwn(time), isPlain(time) || isOfRecord(time) else { return }
    let taken = Set(chosen.values.map(\.column))
    let others = columns.indices.filter { place in
      !taken.contains(place) && scores.timeValues(place) == 1 && !columns[place].hasDaysAlone
    }
    if let own = others.first(where: isOwn) {
      chosen[.ts] = (own, 0.95)
      return
    }
    guard let other = others.first(where: { isPlain($0) && isApart($0, from: time) }) else { return }
    var (chosenTime, rest) = (time, other)
    if isOfRecord(time), !isOfRecord(other) { (chosenTime, rest) = (other, time) }
    if chosenTime != time { chosen[.ts] = (chosenTime, 0.95) }
    proposal.warnings.append(
      "\(columns[chosenTime].path) is read as the time of the events, but \(columns[rest].path) may be it as well; "
        + "`--set \("ts=\(columns[rest].path)".shellWord)` reads that")
  }

  /// Returns whether a time has the time of day on the days of another, and is not that of a load.
  private func isFiner(_ place: Int, than day: Int) -> Bool {
    guard !columns[place].hasDaysAlone, scores.timeValues(place) == 1,
      FieldSynonyms.score(of: columns[place].path, for: .receivedAt) < 0.6,
      columns[place].instants.count == columns[day].instants.count, columns[place].count == columns[day].count
    else { return false }
    return zip(columns[place].instants, columns[day].instants).allSatisfy {
      (0..<Instant.millisecondsPerDay).contains($0 - $1)
    }
  }

  /// Finds the column of zones or of offsets from UTC of times that are written without; takes it if the name of the
  /// times says that they are local, else warns.
  mutating func chooseZones() {
    guard let time = chosen[.ts]?.column, answers.zone == nil, answers.values["ts"] == nil, !isInUTC(time),
      columns[time].signs.withoutOffset == columns[time].count, columns[time].signs.numbers == 0
    else { return }
    let found = columns.indices.first { place in
      let (column, words) = (columns[place], words(place))
      guard scores.filled(place) >= 0.99, column.values.contains(where: { !Self.isUTC($0.text) }),
        !chosen.values.contains(where: { $0.column == place })
      else { return false }
      let isOffset = words.contains("offset")
      return (isOffset || !Self.zoneWords.isDisjoint(with: words))
        && column.values.allSatisfy {
          DateForm.instant(ofOneReading: "2026-01-01 00:00:00 \($0.text)")?.hasOffset == true
        }
    }
    guard let found else { return }
    if words(time).contains("local") || timeOfDay.map({ words($0).contains("local") }) == true {
      zones = found
      return
    }
    let value = "ts={all: [\(Self.quoted(columns[time].path)), \(Self.quoted(columns[found].path))], separator: \" \"}"
    proposal.warnings.append(
      "\(columns[time].path) is read as UTC, though \(columns[found].path) has zones; if the times are local: "
        + "`--set \(value.shellWord)`")
  }

  private static let zoneWords: Set<String> = ["zone", "timezone", "tz", "tzid"]

  /// Whether a zone has the time of UTC in winter and in summer.
  private static func isUTC(_ zone: String) -> Bool {
    ["2026-01-01 00:00:00", "2026-07-01 00:00:00"].allSatisfy {
      DateForm.instant(ofOneReading: "\($0) \(zone)")?.milliseconds
        == DateForm.instant(ofOneReading: "\($0) Z")?.milliseconds
    }
  }

  private func isInUTC(_ place: Int) -> Bool { words(place).contains { $0 == "utc" || $0 == "gmt" } }

  /// Returns whether two times are the same in different zones: quarters of an hour apart, and 14 hours at most.
  private func isInAnotherZone(_ time: Int, than other: Int) -> Bool {
    guard columns[other].hasInstantsAlone, columns[time].hasInstantsAlone, columns[other].count == columns[time].count
    else { return false }
    return zip(columns[time].instants, columns[other].instants).allSatisfy { own, other in
      abs(own - other) % 900_000 == 0 && abs(own - other) <= 14 * 3_600_000
    }
  }

  /// Returns whether two times lie an hour apart or more in a hundredth of the records that have both.
  private func isApart(_ place: Int, from time: Int) -> Bool {
    guard columns[place].hasInstantsAlone, columns[time].hasInstantsAlone else { return false }
    let times = columns[time].instantOfRow
    let apart = zip(columns[place].rows, columns[place].instants).count { row, instant in
      times[row].map { abs($0 - instant) >= 3_600_000 } ?? false
    }
    return apart * 100 >= columns[place].count
  }

  /// Columns of times whose form is not known.
  mutating func warnOfFormats() {
    guard chosen[.ts] == nil else { return }
    let found = columns.indices.max {
      FieldSynonyms.score(of: columns[$0].path, for: .ts) < FieldSynonyms.score(of: columns[$1].path, for: .ts)
    }
    guard let found, FieldSynonyms.score(of: columns[found].path, for: .ts) >= 0.5,
      columns[found].signs.instants * 2 < columns[found].count, let example = columns[found].examples.first
    else { return }
    if columns[found].signs.timesOfDay * 100 >= columns[found].count * 99 {
      proposal.unread = "\(columns[found].path) has the time of day, but no column has the day"
      return
    }
    let texts = columns[found].values.map(\.text)
    if texts.allSatisfy({ $0.count == 7 && $0.dropFirst(2).first == ":" && $0.dropFirst(5).first == "." }) {
      proposal.unread =
        "\(columns[found].path) has minutes and seconds alone, such as \(example), as Excel shows times; export the file "
        + "again, or give the column the format yyyy-mm-dd hh:mm:ss in Excel and save it again"
      return
    }
    proposal.formOfTimes = Self.formsOfTimes.first { form in
      DateForm(form).map { form in texts.count { form.instant($0) != nil } * 100 >= texts.count * 99 } ?? false
    }
    let shown = example.count > 60 ? example.prefix(60) + "…" : example
    proposal.unread =
      "\(columns[found].path) looks like the time, but the form of \(shown) is not known: give its pattern, such as "
      + "`--dates 'yyyy/MM/dd HH:mm:ss'`"
  }

  /// Forms of times that are tried where no other is known.
  private static let formsOfTimes = ["spreadsheet", "yyyyMMddHHmmss", "yyyyMMddHHmm", "yyyyMMdd"]

  // MARK: Lengths of trials

  /// Takes a column for no length of trials in days where nearly all payments after trials say another, as of `168` hours
  /// or `1` week.
  mutating func checkTrialDays(_ kinds: [EventKind?]) {
    guard moments.isEmpty, let days = chosen[.trialDays]?.column, chosen[.trialEndsAt] == nil,
      answers.fields[EventField.trialDays.name] == nil, let user = chosen[.userID]?.column,
      let time = chosen[.ts]?.column
    else { return }
    let (texts, codes) = (columns[days].textOfHash, scores.codes(days))
    let gaps = scores.trialGaps(user: user, time: time, kinds)
    guard let usual = ColumnScores.usualDays(of: gaps.map(\.gap)), !hasUnknownPayments else { return }
    var (all, others): (Int, [String: Int]) = (0, [:])
    for (row, gap) in gaps {
      guard let text = texts[codes[row]], let length = Int64(text) ?? MappedRecords.days(text) else { continue }
      all += 1
      // Users may pay before a trial ends, and within the days of grace behind it.
      let isOver = gap > (length + 3) * Instant.millisecondsPerDay
      if isOver || length == Int64(24 * usual) { others[text, default: 0] += 1 }
    }
    guard let most = others.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
      others.values.reduce(0, +) * 5 >= all * 4
    else { return }
    let path = columns[days].path
    chosen[.trialDays] = nil
    proposal.warnings.append(
      "\(path) is not read as days, because trials with \(most) are paid after \(usual) days; "
        + "`--set \("trial_days=\(path)".shellWord)` reads it as days")
  }

  /// Takes a name without a meaning for that of trials, where none has it and the lengths of trials stand in its records
  /// alone.
  mutating func findTrials() {
    guard moments.isEmpty, !isOfOneKind, !recordKinds().contains(.trialStart), let days = chosen[.trialDays]?.column
    else { return }
    let counts = nameCounts(of: columns[days].rows)
    guard let most = counts.indices.max(by: { counts[$0] < counts[$1] }), counts[most] > 0 else { return }
    let name = proposal.names[most]
    guard isOpen(name), !KindWords.isIntent(name.name),
      counts[most] * 100 >= name.count * 95, counts[most] * 100 >= columns[days].count * 95
    else { return }
    (proposal.names[most].kind, proposal.names[most].confidence) = (.trialStart, 0.8)
  }

  /// Takes a name without a meaning for that of trials, where none has it: its records have a product, if a column has
  /// those, and no amount, come once for each user, and most first payments after them come after the same number of days.
  mutating func findTrialsByPayments() {
    guard moments.isEmpty, !isOfOneKind, !recordKinds().contains(.trialStart), let user = chosen[.userID]?.column,
      let time = chosen[.ts]?.column
    else { return }
    let (kinds, names, users) = (recordKinds(), recordNames(), scores.codes(user))
    let sold = (chosen[.productID] ?? chosen[.plan]).map { Set(columns[$0.column].rows) }
    let amounts = Set(chosen[.price].map { columns[$0.column].rows } ?? [])
    for (place, name) in proposal.names.enumerated()
    where isOpen(name) && !KindWords.isFailure(name.name)
      && (!KindWords.isOffer(name.name) || KindWords.isStart(name.name))
    {
      let own = names.indices.filter { names[$0] == place }
      guard own.count >= 10, own.count(where: { sold?.contains(UInt32($0)) ?? true }) * 20 >= own.count * 19,
        !own.contains(where: { amounts.contains(UInt32($0)) }),
        Set(own.map { users[$0] }).count * 50 >= own.count * 49
      else { continue }
      var tried = kinds
      for row in own { tried[row] = .trialStart }
      let gaps = scores.trialGaps(user: user, time: time, tried).map(\.gap)
      guard let days = ColumnScores.usualDays(of: gaps), days >= 2 else { continue }
      let usual = gaps.count { abs($0 - Int64(days) * Instant.millisecondsPerDay) < Instant.millisecondsPerDay / 4 }
      guard usual * 4 >= gaps.count * 3 else { continue }
      (proposal.names[place].kind, proposal.names[place].confidence) = (.trialStart, 0.7)
      proposal.warnings.append(
        "\(name.name) (\(Self.records(name.count))): read as the start of trials, because most first payments after it come "
          + "\(days) days later; if it is something else: `\("--event \("\(name.name)=ignore".shellWord)")`")
      return
    }
  }

  /// Returns whether the end of what was bought tells the end of trials that nothing else does.
  func endsTrials(_ kinds: [EventKind?]) -> Bool {
    guard moments.isEmpty, let ends = chosen[.expiresAt]?.column, let time = chosen[.ts]?.column,
      scores.coverage(ends, of: .trialStart, kinds) ?? 0 >= 0.95, let user = chosen[.userID]?.column,
      columns[ends].hasInstantsAlone, columns[time].hasInstantsAlone
    else { return false }
    let starts = columns[time].instantOfRow
    let lengths = zip(columns[ends].rows, columns[ends].instants).compactMap { row, end in
      kinds[Int(row)] == .trialStart ? starts[row].map { end - $0 } : nil
    }
    guard let length = ColumnScores.usualDays(of: lengths) else { return false }
    let paid = ColumnScores.usualDays(of: scores.trialGaps(user: user, time: time, kinds).map(\.gap))
    return paid.map { abs($0 - length) <= 3 } ?? true
  }

  /// Measures how long trials last, where no column says it: by product, if products differ.
  mutating func measureTrials(_ kinds: [EventKind?]) -> Int? {
    if !moments.isEmpty { return momentTrialDays() }
    guard let user = chosen[.userID]?.column, let time = chosen[.ts]?.column else { return nil }
    let products = chosen[.productID].map { scores.codes($0.column) } ?? []
    var gaps = scores.trialGaps(user: user, time: time, kinds)
    if gaps.isEmpty { gaps = gapsToOthers(kinds) }
    let all = gaps.map(\.gap)
    let usual = ColumnScores.usualDays(of: all)
    if let product = chosen[.productID]?.column, answers.fields["trial_days"] == nil {
      let texts = columns[product].textOfHash
      let byProduct = Dictionary(grouping: gaps) { products[$0.row] }
      let found = byProduct.compactMap { code, gaps -> (product: String, days: Int)? in
        guard let text = texts[code], let days = ColumnScores.usualDays(of: gaps.map(\.gap)) else { return nil }
        return (text, days)
      }.sorted { $0.product < $1.product }
      if Set(found.map(\.days)).count > 1, let most = found.map(\.days).max() {
        trialDaysByProduct = found
        let list = found.map { "\($0.product) \($0.days)" }.joined(separator: ", ")
        proposal.warnings.append(
          "no column says how long trials are, so the usual time to their payment is taken, in days: \(list), "
            + "others \(most); `--set trial_days=7` takes 7 for all")
        return most
      }
    }
    guard let usual, let longer = ColumnScores.longerDays(than: usual, of: all) else { return usual }
    proposal.warnings.append(
      "no column says how long trials are; many are paid after \(usual) days and many after \(longer), so all are taken to "
        + "last \(longer); `--set trial_days=\(usual)` changes it")
    return longer
  }

  /// Returns the times between trials and the first payment of their users in other files, each with the trial's record.
  func gapsToOthers(_ kinds: [EventKind?]) -> [(row: Int, gap: Int64)] {
    guard !answers.othersPayments.isEmpty, let user = chosen[.userID]?.column else { return [] }
    let users = scores.codes(user)
    return trialStarts(kinds).compactMap { row, ts in
      answers.othersPayments[users[row]].flatMap { $0 > ts ? (row, $0 - ts) : nil }
    }
  }

  /// Returns the length of trials as a value of a mapping.
  func trialDaysValue(_ days: Int) -> String {
    guard !trialDaysByProduct.isEmpty, let product = chosen[.productID]?.column else { return "{value: \"\(days)\"}" }
    let values = trialDaysByProduct.map { "\(Self.quoted($0.product)): \"\($0.days)\"" } + ["\"*\": \"\(days)\""]
    return "{path: \(Self.quoted(columns[product].path)), values: {\(values.joined(separator: ", "))}}"
  }

  // MARK: Values

  /// Returns the value that an answer gives a field; `nil` if it is of a column that another file of the call has.
  func ownValue(_ field: EventField, _ column: Int) -> String? {
    guard let own = answers.values[field.name] else { return nil }
    if let path = answers.fields[field.name], self.column(path) != column { return nil }
    return own
  }

  /// Returns the value of a mapping that reads a time.
  func timeValue(_ column: Int) -> String {
    if column == chosen[.ts]?.column, let own = ownValue(.ts, column) { return own }
    let path = Self.quoted(columns[column].path)
    let parts =
      column == chosen[.ts]?.column ? [timeOfDay, zones].compactMap(\.self).map { Self.quoted(columns[$0].path) } : []
    if !parts.isEmpty { return "{all: [\(([path] + parts).joined(separator: ", "))], separator: \" \"}" }
    let signs = columns[column].signs
    let epoch = signs.numbers > 0 ? answers.epoch : nil
    let steps = [
      (epoch ?? signs.epochs.max { $0.value < $1.value }?.key.rawValue).map { "epoch: \($0)" },
      isCutToMinutes(column) ? "cut: minute" : nil,
    ].compactMap(\.self)
    return steps.isEmpty ? path : "{path: \(path), \(steps.joined(separator: ", "))}"
  }

  // MARK: Made ids

  /// Words of the time at which a loader got or wrote a record.
  private static let loadWords: Set<String> = [
    "received", "loaded", "extracted", "ingested", "synced", "inserted", "imported", "uploaded", "exported",
  ]

  /// Names of columns that number the rows of a file; `column1` and the like stand for none.
  private static let rowNames: Set<String> = ["", "column", "unnamed", "index", "row", "rownumber", "rownum"]

  /// Returns whether a column numbers the rows of its file.
  func isRowNumber(_ place: Int) -> Bool {
    Self.rowNames.contains(columns[place].path.lowercased().filter(\.isLetter)) && columns[place].type == .whole
      && columns[place].count == profile.recordCount
  }

  /// Returns the column of ids whose records come again with the same user, time and name, whatever else differs.
  private func repeatedID() -> Int? {
    let parts = [EventField.userID, .ts, .event].compactMap { chosen[$0]?.column }
    guard parts.count == 3 else { return nil }
    let codes = parts.map { scores.codes($0) }
    return columns.indices.first { place in
      let column = columns[place]
      guard !chosen.values.contains(where: { $0.column == place }), [.text, .whole].contains(column.type),
        column.count == profile.recordCount, column.exactDistinct > codes[2].count / 20,
        FieldSynonyms.score(of: column.path, for: .eventID) >= 0.9, !isOfOthers(place), !isRowNumber(place)
      else { return false }
      let whole = zip(column.rows, column.hashes).map { row, hash in [hash] + codes.map { $0[Int(row)] } }
      return Set(whole).count == column.exactDistinct
    }
  }

  /// Makes an id of columns where records come again that differ in columns of their loading alone.
  mutating func chooseIDColumns() {
    guard moments.isEmpty, flags.isEmpty, answers.fields[EventField.eventID.name] == nil else { return }
    // Each delivery of an event may have an id of its own.
    let name = chosen[.eventID].map { FieldSynonyms.score(of: columns[$0.column].path, for: .eventID) } ?? 0
    if name < 0.9, let id = repeatedID() {
      chosen[.eventID] = (id, 0.8)
      hasNoProperties = true
      proposal.notes.append(
        "\(columns[id].path) comes again with the same user, time and event, so these records count once")
      return
    }
    if chosen[.eventID] != nil { return }
    let loading = columns.indices.filter { place in
      let step = FieldSynonyms.lastStep(of: columns[place].path)
      let isMeant =
        step.hasPrefix("_") || isRowNumber(place)
        || columns[place].isOfTimes && NameWords.words(of: step).contains(where: Self.loadWords.contains)
      return isMeant && ![EventField.ts, .userID, .event].contains { chosen[$0]?.column == place }
    }
    guard !loading.isEmpty else { return }
    let others = columns.indices.filter { !loading.contains($0) }
    let full = others.filter { columns[$0].count == profile.recordCount }
    func distinct(_ places: [Int]) -> Int {
      var hashes = [UInt64](repeating: 0, count: profile.recordCount)
      for place in places {
        let codes = scores.codes(place)
        for row in hashes.indices { hashes[row] = (hashes[row] &* 0x100_0000_01B3) ^ (codes[row] &+ UInt64(place)) }
      }
      return Set(hashes).count
    }
    let byOthers = distinct(others)
    // Row numbers of one record differ between files.
    let isTold = byOthers < distinct(Array(columns.indices)) || loading.contains(where: isRowNumber)
    guard full.contains(where: { $0 == chosen[.userID]?.column }), isTold, distinct(full) == byOthers else { return }
    idColumns = full
    // A property that differs would make another event of it.
    if chosen[.receivedAt] == nil, let time = loading.first(where: { columns[$0].isOfTimes }) {
      chosen[.receivedAt] = (time, 0.8)
    }
    hasNoProperties = loading.contains { $0 != chosen[.receivedAt]?.column }
  }
}
