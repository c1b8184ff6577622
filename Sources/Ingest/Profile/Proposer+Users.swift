internal import Basics
internal import EventModel

/// Chooses the column of users.
extension Proposer {
  /// Takes an address for the user where no other column tells users apart.
  mutating func chooseAddress(excluding taken: Set<Int>) {
    chooseUsersOfOthers(excluding: taken)
    preferMembers(excluding: taken)
    chooseIDOfUsers()
    if chosen[.userID] != nil { return }
    let addresses = columns.indices.filter { place in
      let words = words(place)
      return !taken.contains(place) && (words.contains("email") || words.contains("mail"))
        && scores.userValues(place) > 0
    }
    if addresses.count == 1 { chosen[.userID] = (addresses[0], Self.leastConfidence) }
  }

  /// Takes the only id of a table with the time of each user's paywall view for the user.
  private mutating func chooseIDOfUsers() {
    guard chosen[.userID] == nil, answers.tableKind == nil, let id = chosen[.eventID]?.column,
      answers.fields[EventField.eventID.name] == nil, ForeignWords.english(words(id)) == ["id"],
      columns.contains(where: { $0.isOfTimes && momentKind($0.path) == .paywallImpression })
    else { return }
    (chosen[.userID], chosen[.eventID]) = ((id, Self.leastConfidence), nil)
  }

  /// Words of what several users belong to.
  private static let groupWords: Set<String> = [
    "account", "org", "organization", "organisation", "company", "team", "workspace", "tenant", "household",
  ]
  /// Words of ids of somebody who is not known.
  private static let unknownWords: Set<String> = ["visitor", "device", "client", "session", "guest", "anonymous"]

  /// Takes the members of accounts for the users where accounts have several.
  private mutating func preferMembers(excluding taken: Set<Int>) {
    guard let account = chosen[.userID]?.column, answers.fields[EventField.userID.name] == nil,
      !Self.groupWords.isDisjoint(with: words(account))
    else { return }
    let accounts = scores.codes(account)
    let member = columns.indices.first { place in
      let words = words(place)
      return !taken.contains(place) && FieldSynonyms.score(of: columns[place].path, for: .userID) >= 0.8
        && Self.groupWords.union(Self.unknownWords).isDisjoint(with: words) && !isAnonymous(place)
        && scores.userValues(place) >= 0.75 && scores.filled(place) >= 0.9 * scores.filled(account)
        && columns[place].exactDistinct * 10 >= columns[account].exactDistinct * 12
        && scores.ownerShare(place, accounts) >= 0.98
    }
    guard let member else { return }
    chosen[.userID] = (member, 0.8)
    let path = columns[account].path
    proposal.warnings.append(
      "\(columns[member].path) is read as the user, because \(path) has several of them; "
        + "`--set \("user_id=\(path)".shellWord)` counts these")
  }

  /// The values of a column of users; numbers such as `17.0` without their fraction.
  func userCodes(_ place: Int) -> Set<UInt64> {
    let column = columns[place]
    if hasFractions(place) { return Set(column.values.map { Self.code(of: String($0.text.dropLast(2))) }) }
    return Set(column.hashes).subtracting(column.codes { JSONNode.string($0).isPlaceholderID })
  }

  /// Returns whether all values are whole numbers that end in `.0`, as ids that a data frame had as numbers.
  func hasFractions(_ place: Int) -> Bool {
    let values = columns[place].values
    return !values.isEmpty
      && values.allSatisfy { $0.text.hasSuffix(".0") && $0.text.dropLast(2).allSatisfy(\.isNumber) }
  }

  /// Returns the value of a mapping that reads the user.
  func userValue(_ place: Int) -> String {
    let path = Self.quoted(columns[place].path)
    return hasFractions(place) ? "{path: \(path), split: \".\", at: 0}" : path
  }

  /// Takes a column whose values are the users of the other files, where those of the user's column are not.
  private mutating func chooseUsersOfOthers(excluding taken: Set<Int>) {
    let others = answers.othersUsers
    guard others.count >= 5, answers.fields[EventField.userID.name] == nil else { return }
    func common(_ place: Int) -> Double {
      let own = userCodes(place)
      return own.count < 5 ? 0 : Double(own.count { others.contains($0) }) / Double(own.count)
    }
    if let user = chosen[.userID]?.column, common(user) >= 0.05 { return }
    // A table with one record for each user may have their ids as its own.
    let isIDFree = chosen[.userID] == nil && answers.fields[EventField.eventID.name] == nil
    let id = isIDFree ? chosen[.eventID]?.column : nil
    let free = columns.indices.filter { !taken.contains($0) && $0 != chosen[.userID]?.column || $0 == id }
    let found = free.map { (column: $0, share: common($0)) }.max { $0.share < $1.share }
    guard let found, found.share >= 0.5 else { return }
    let path = chosen[.userID].map { columns[$0.column].path }
    chosen[.userID] = (found.column, 0.8)
    if found.column == id { chosen[.eventID] = nil }
    if let path {
      proposal.notes.append(
        "\(columns[found.column].path) is read as the user, and not \(path), because the other files have its values")
    }
  }

  /// Ids and times in scientific notation, as spreadsheets write long numbers: those that differ in later digits are the same.
  mutating func warnOfLostDigits() {
    for (place, column) in columns.enumerated()
    where FieldSynonyms.isID(column.path) || place == chosen[.ts]?.column {
      guard let example = column.values.first?.text,
        column.values.allSatisfy({ Double($0.text) != nil && $0.text.uppercased().contains("E+") })
      else { continue }
      let text =
        "\(column.path) has lost digits in a spreadsheet, such as \(example), so different ids or times may be the same; export "
        + "the file again, or give the column a number format without decimals before you save it as CSV"
      if chosen.values.contains(where: { $0.column == place }) {
        proposal.warnings.append(text)
      } else if chosen[.userID] == nil {
        proposal.unread = text
      }
    }
  }

  /// Returns whether a column is the id of a device or of somebody without a name.
  func isAnonymous(_ column: Int) -> Bool {
    let words = words(column)
    return words.contains { ["anonymous", "anon", "pseudo", "device"].contains($0) }
      && words.contains { ["id", "uuid", "user"].contains($0) }
  }

  /// Returns the fullest column with ids of devices.
  func fullestDevice(excluding taken: Set<Int> = []) -> Int? {
    columns.indices.filter { !taken.contains($0) && isAnonymous($0) && scores.userValues($0) > 0 }
      .max { scores.filled($0) < scores.filled($1) }
  }

  /// Returns whether each value of a column stands for ten devices or more, as a segment of users does.
  func isOfManyDevices(_ place: Int, _ device: Int) -> Bool {
    columns[place].exactDistinct * 10 <= deviceCount(place, device)
  }

  private func deviceCount(_ place: Int, _ device: Int) -> Int {
    let devices = scores.codes(device)
    return Set(columns[place].rows.map { devices[Int($0)] }).subtracting([0]).count
  }

  /// Returns whether a column has ids of users who log in later, about one for each device in its records.
  private func hasLogins(_ place: Int, _ device: Int) -> Bool {
    let column = columns[place]
    guard FieldSynonyms.isUser(column.path), !isAnonymous(place), [.text, .whole].contains(column.type),
      column.exactDistinct >= 5
    else { return false }
    let devices = deviceCount(place, device)
    return column.exactDistinct * 3 >= devices && column.exactDistinct <= devices * 3
  }

  /// Chooses the id of users who have not logged in yet: beside a device alone, the user's own id though few records have
  /// it.
  mutating func chooseAnonymous(excluding taken: Set<Int>) {
    guard let user = chosen[.userID]?.column else { return }
    if isAnonymous(user), answers.fields[EventField.userID.name] == nil {
      let logins = columns.indices.filter { !taken.contains($0) && hasLogins($0, user) }
      if let login = logins.max(by: { columns[$0].count < columns[$1].count }) {
        chosen[.userID] = (login, 0.8)
        anonymous = user
        return
      }
    }
    anonymous = fullestDevice(excluding: taken) ?? secondID(of: user)
  }

  /// Notes when the trials of each user began, and what payments belong to them by.
  mutating func noteTrialsOfUsers(_ users: [[UInt64]], _ kinds: [EventKind?]) {
    let starts = trialStarts(kinds)
    for (row, ts) in starts {
      for codes in users where codes[row] != 0 { proposal.trials.merge([codes[row]: ts], uniquingKeysWith: min) }
    }
    let rows = Set(starts.map(\.row))
    for column in [EventField.productID, .subscriptionID].compactMap({ chosen[$0]?.column }) {
      let own = zip(columns[column].rows, columns[column].hashes).filter { rows.contains(Int($0.0)) }
      proposal.trialKeys.formUnion(own.map(\.1))
    }
  }

  /// Returns the records of trials and when these began.
  func trialStarts(_ kinds: [EventKind?]) -> [(row: Int, ts: Int64)] {
    let trial = moments.first { $0.kind == .trialStart }
    guard trial != nil || moments.isEmpty, let time = trial?.column ?? chosen[.ts]?.column,
      columns[time].hasInstantsAlone
    else { return [] }
    // Trials with a column of their end are those that have one.
    let ended = trial?.condition == nil ? nil : chosen[.trialEndsAt].map { Set(columns[$0.column].rows) }
    return zip(columns[time].rows, columns[time].instants).compactMap { row, ts in
      let isTrial = trial == nil ? kinds[Int(row)] == .trialStart : ended?.contains(row) ?? true
      return isTrial ? (Int(row), ts) : nil
    }
  }

  /// The first time that a record has, where it joins two ids and not all records have the time of the same event.
  var timeOfRecord: String? {
    if moments.isEmpty || anonymous == nil { return nil }
    let full = columns.indices.filter { columns[$0].instants.count == profile.recordCount }
    let paths = (moments.map(\.column) + full).map { Self.quoted(columns[$0].path) }
    let first = paths.inGroups(by: \.self).map(\.key)
    return first.count == 1 ? nil : "[\(first.joined(separator: ", "))]"
  }

  /// Returns whether a table joins two ids of users and tells nothing else.
  mutating func joinsUsers() -> Bool {
    let others: [EventField] = [.event, .entryPoint, .variant, .paywall, .productID, .plan, .price, .subscriptionID]
    guard let user = chosen[.userID]?.column, let anonymous, chosen[.event] == nil, chosen[.ts] != nil,
      !answers.othersUsers.isEmpty,
      !columns.contains(where: { column in others.contains { FieldSynonyms.score(of: column.path, for: $0) >= 0.6 } })
    else { return false }
    if chosen[.eventID]?.column == anonymous { chosen[.eventID] = nil }
    proposal.notes.append(
      "\(columns[anonymous].path) and \(columns[user].path) of a record are ids of one user, as the other files have both"
    )
    return true
  }

  /// Returns the kind of a table with one record for each user of the other files: with a variant, the start of a test.
  mutating func kindOfUsers() -> EventKind? {
    guard !answers.othersViews.isEmpty, chosen[.event] == nil, let user = chosen[.userID]?.column,
      let time = chosen[.ts]?.column, !hasAmounts, columns[user].exactDistinct == profile.recordCount,
      userCodes(user).count(where: { answers.othersUsers.contains($0) }) * 3 >= profile.recordCount
    else { return nil }
    let variant = columns.first { column in
      FieldSynonyms.score(of: column.path, for: .variant) >= 0.5 && (2...20).contains(column.exactDistinct)
        && Self.hasVariants(column)
    }
    guard let variant else {
      proposal.notes.append(
        "each record is a different user, so the records are read as activity at \(columns[time].path)")
      return .activity
    }
    proposal.warnings.append(
      "each record is a different user, so \(variant.path) is read as the variant of a test that the user entered at "
        + "\(columns[time].path); if not: `--event '*=activity'`")
    return .exposure
  }

  /// Returns a column with another id of each user, where the other files of the call have the values of both.
  private func secondID(of user: Int) -> Int? {
    guard answers.othersUsers.count >= 5, answers.fields[EventField.userID.name] == nil else { return nil }
    let (own, users) = (userCodes(user), scores.codes(user))
    func isOfOthers(_ codes: Set<UInt64>) -> Bool {
      codes.count >= 5 && codes.count { answers.othersUsers.contains($0) } * 5 >= codes.count
    }
    guard isOfOthers(own) else { return nil }
    return columns.indices.first { place in
      guard place != user, [.text, .whole].contains(columns[place].type) else { return false }
      let codes = userCodes(place)
      // The id of another user, such as one who invited him, is among those of users.
      return isOfOthers(codes) && own.isDisjoint(with: codes) && scores.ownerShare(place, users) >= 0.95
        && scores.ownerShare(user, scores.codes(place)) >= 0.95
    }
  }
}
