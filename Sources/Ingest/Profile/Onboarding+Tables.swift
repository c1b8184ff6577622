internal import Basics
internal import EventModel

/// Several files of one call: tables of one kind each, and payments that two files may tell.
extension Onboarding {
  /// The name of a file to its first dot.
  static func stem(of file: InputFile) -> String {
    String((file.path.split(separator: "/").last ?? "").prefix { $0 != "." })
  }

  static func isZip(_ file: InputFile) throws(FileFailure) -> Bool {
    // The bytes live as long as their source.
    let source = try ByteSource(file, blockByteCount: 64 << 10)
    defer { withExtendedLifetime(source) {} }
    return try source.nextBlock().starts(with: [0x50, 0x4B, 3, 4])
  }

  /// Returns the kind that the names of all files of a group mean; `nil` if they differ or mean none.
  static func tableKind(of group: FileGroup) -> EventKind? {
    let kinds = Set(group.files.map { KindWords.tableKind(stem(of: $0)) })
    return kinds.count == 1 ? kinds.first ?? nil : nil
  }

  /// The largest number of files that are looked at one by one.
  private static let mostParted = 100

  /// Parts groups whose files have no column of times or names in common, so that each file is a group of its own.
  public static func parted(_ groups: [FileGroup], _ answers: ProposalAnswers) throws(Failure) -> [FileGroup] {
    var parted: [FileGroup] = []
    for group in groups {
      if case .known = group.shape {
        parted.append(group)
        continue
      }
      guard (2...mostParted).contains(group.files.count),
        try hasNoCommonTime(group, answers)
      else {
        parted.append(group)
        continue
      }
      for file in group.files {
        do throws(FileFailure) {
          parted.append(try self.group(of: file))
        } catch {
          throw Failure(path: file.path, reason: error.reason)
        }
      }
    }
    return parted
  }

  /// Returns whether the records of a group's files lack a time, a user or a name that all of them have.
  private static func hasNoCommonTime(_ group: FileGroup, _ answers: ProposalAnswers) throws(Failure) -> Bool {
    func time(_ proposal: Proposal) -> String? { proposal.fields.first { $0.name == EventField.ts.name }?.path }
    let proposal = try proposal(of: group, answers, appName: nil)
    if !proposal.missing.isEmpty { return true }
    let filled = proposal.columns.first { $0.path == time(proposal) }?.filled ?? 1
    if filled >= 0.95 {
      // Names that one table has alone would be lost.
      func hasNames(_ proposal: Proposal) -> Bool { proposal.fields.contains { $0.name == EventField.event.name } }
      guard group.isOfTables, !hasNames(proposal) else { return false }
      for file in group.files {
        var own = group
        (own.files, own.isOfTables) = ([file], false)
        // A table without records has no names.
        if let found = try? self.proposal(of: own, answers, appName: nil), hasNames(found) { return true }
      }
      return false
    }
    if group.isOfTables || group.shape != .json { return group.isOfTables }
    // The records of one file may have no time of the others, as each has a list of its own.
    var times: Set<String?> = []
    for file in group.files {
      var own = group
      own.files = [file]
      times.insert(time(try self.proposal(of: own, answers, appName: nil)))
    }
    return times.count > 1
  }

  /// Returns the answers for each group that know of the payments of the others.
  public static func answers(
    for groups: [FileGroup], _ answers: ProposalAnswers
  ) throws(Failure) -> [ProposalAnswers] {
    if groups.count == 1 { return [answers] }
    var answers = answers
    answers.isOneOfSeveral = true
    var proposals: [Proposal?] = []
    for group in groups {
      if case .known = group.shape {
        proposals.append(nil)
      } else {
        proposals.append(try proposal(of: group, answers, appName: nil))
      }
    }
    let known = told(by: proposals, of: groups, answers)
    // The users of the other files may show which column has those of a file.
    for place in groups.indices where proposals[place]?.missing.contains("user") ?? false {
      proposals[place] = try proposal(of: groups[place], known[place], appName: nil)
    }
    var all = told(by: proposals, of: groups, answers)
    for place in groups.indices { all[place].preparation = Preparation(joining: place, of: groups, proposals) }
    return all
  }

  /// Returns the answers for each group with what the proposals of the others tell.
  private static func told(
    by proposals: [Proposal?], of groups: [FileGroup], _ answers: ProposalAnswers
  ) -> [ProposalAnswers] {
    func kinds(_ proposal: Proposal) -> [EventKind] {
      proposal.names.filter { $0.confidence >= Proposer.leastConfidence }.compactMap(\.kind)
    }
    return groups.indices.map { place in
      var own = answers
      own.products = proposals.reduce(into: [:]) { all, proposal in
        all.merge(proposal?.products ?? [:]) { first, _ in first }
      }
      var apps: Set<String> = []
      for other in groups.indices where other != place {
        let proposal = proposals[other] ?? Proposal()
        if let app = proposal.app, answers.app == nil { apps.insert(proposal.hasOneApp ? app : "") }
        own.plans.merge(proposal.plans) { own, _ in own }
        own.othersUsers.formUnion(proposal.users)
        own.othersTrials.merge(proposal.trials, uniquingKeysWith: min)
        own.othersTrialKeys.formUnion(proposal.trialKeys)
        own.othersPayments.merge(proposal.payments.first, uniquingKeysWith: min)
        own.othersViews.merge(proposal.views) { $0 + $1 }
        own.othersHaveRenewals = own.othersHaveRenewals || kinds(proposal).contains(.renewal)
        own.othersTimeStep = min(own.othersTimeStep ?? .max, proposal.timeStep)
        let hasPayments =
          proposals[other] == nil
          ? groups[other].hasPayments
          : !proposal.isOfMoments && !Set(kinds(proposal)).isDisjoint(with: Proposer.paid)
        if hasPayments, own.paymentsFile == nil { own.paymentsFile = groups[other].files.first?.path }
      }
      if apps.count == 1, apps != [""] { own.othersApp = apps.first }
      return own
    }
  }
}

/// A query of DuckDB that makes a file that can be read of files that cannot.
public struct Preparation: Sendable {
  /// What the file is and what the query does, after the file's name.
  public internal(set) var reason: String
  public internal(set) var query: String
  /// The name of the file that it makes.
  public internal(set) var result: String
  /// The files that the new one stands for.
  public internal(set) var files: [String]

  /// Joins a file whose records name no user with one whose records do, by an id that both have.
  ///
  /// - Returns: `nil` if the file has users, or no other file has its ids.
  init?(joining place: Int, of groups: [FileGroup], _ proposals: [Proposal?]) {
    guard let own = proposals[place], let source = Self.source(groups[place]),
      own.attributes == nil ? own.missing.contains("user") && !own.hasNothing : !own.missing.isEmpty
    else { return nil }
    let found = groups.indices.lazy.compactMap { other -> (other: Int, link: Link)? in
      guard other != place, let users = proposals[other],
        !users.missing.contains("user"), !users.missing.contains("time")
      else { return nil }
      return Link(own, users, groups[other]).map { (other, $0) }
    }.first
    guard let (other, link) = found, let users = proposals[other], let usersSource = Self.source(groups[other]) else {
      return nil
    }
    files = groups[place].files.map(\.path)
    let (column, key) = (Self.name(link.column), Self.name(link.key))
    reason =
      "its records name no user, but \(link.column) is \(link.key) of \(groups[other].files[0].path), whose records do. "
      + "Join them"
    if let (name, value) = own.attributes {
      query =
        "SELECT a.*, b.* EXCLUDE (\(column)) FROM \(usersSource) a LEFT JOIN (PIVOT \(source) ON \(Self.name(name)) USING "
        + "first(\(Self.name(value)))) b ON a.\(key) = b.\(column)"
      result = "\(Onboarding.stem(of: groups[other].files[0]))-all.csv"
      files += groups[other].files.map(\.path)
      return
    }
    // The file with the users is read as well: it has events of its own, such as trials.
    let names = own.columns.map(\.path)
    let wanted: [EventField] = [.userID, .productID, .plan, .tier]
    let fields = wanted.compactMap { field in users.fields.first { $0.name == field.name }?.path }
    let added = Set(fields).subtracting(names).sorted().map { "b.\(Self.name($0))" }.joined(separator: ", ")
    query = "SELECT a.*, \(added) FROM \(source) a JOIN \(usersSource) b ON a.\(column) = b.\(key)"
    result = "\(Onboarding.stem(of: groups[place].files[0]))-all.csv"
  }

  /// Makes one record of those that each hold one attribute of an event.
  init?(attributes: (name: String, value: String), of group: FileGroup) {
    guard let source = Self.source(group) else { return nil }
    reason =
      "has a record for each attribute of an event: its name in \(attributes.name), its value in \(attributes.value). Make one "
      + "record of them"
    query = "PIVOT \(source) ON \(Self.name(attributes.name)) USING first(\(Self.name(attributes.value)))"
    result = "\(Onboarding.stem(of: group.files[0]))-wide.csv"
    files = group.files.map(\.path)
  }

  /// Takes the records in which the state of a subscription is another than in the one before; of states of days, those
  /// after the first day, at the end of their day.
  init?(changesOf states: StateColumns, of group: FileGroup) {
    guard let source = Self.source(group) else { return nil }
    let root = states.state.split(separator: ".").dropLast().joined(separator: ".")
    let (state, key, time) = (Self.name(states.state), Self.name(states.key), Self.name(states.time))
    reason = "repeats each subscription's state in \(states.state). Take the records in which it changes"
    var select = root.isEmpty ? "*" : "\(Self.name(root)).*"
    if !root.isEmpty, !states.time.hasPrefix("\(root).") { select += ", \(time) AS changed_at" }
    var first = states.isChangeLog ? " AND op <> 'r'" : ""
    if states.isOfDays {
      select += " REPLACE (\(time) + INTERVAL 1 DAY - INTERVAL 1 SECOND AS \(time))"
      first = " AND \(time) > min(\(time)) OVER ()"
      reason += ", without those of the first day, which may have been so before"
    }
    query =
      "SELECT \(select), lag(\(state)) OVER (PARTITION BY \(key) ORDER BY \(time)) AS previous_status FROM \(source) QUALIFY "
      + "\(state) IS DISTINCT FROM previous_status AND \(state) IS NOT NULL\(first)"
    result = "\(Onboarding.stem(of: group.files[0]))-changes.csv"
    files = group.files.map(\.path)
  }

  /// Columns of two files that have the same ids.
  private struct Link {
    var column: String
    var key: String

    /// - Parameter other: The file in which an id has one record.
    init?(_ own: Proposal, _ other: Proposal, _ group: FileGroup) {
      let stem = Onboarding.stem(of: group.files[0]).lowercased()
      for column in own.keys where !column.values.isEmpty {
        let words = NameWords.words(of: column.path)
        for key in other.keys where key.isUnique {
          let common = column.values.count { key.values.contains($0) }
          // Numbers of two files may be alike by chance.
          let isNamed = words == NameWords.words(of: key.path) || stem.hasPrefix(words.first ?? " ")
          if common * 10 >= column.values.count * 9, isNamed || !column.areNumbers {
            (self.column, self.key) = (column.path, key.path)
            return
          }
        }
      }
      return nil
    }
  }

  /// Returns the files of a group as DuckDB reads them; `nil` for standard input.
  private static func source(_ group: FileGroup) -> String? {
    let paths = group.files.map { "'\($0.path.replacing("'", with: "''"))'" }
    guard !group.files.contains(where: \.isStandardInput) else { return nil }
    let known = [".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet"]
    if paths.count == 1, known.contains(where: { paths[0].contains("\($0)'") || paths[0].contains("\($0).gz'") }) {
      return paths[0]
    }
    let function = if case .table = group.shape { "read_csv" } else { group.isParquet ? "read_parquet" : "read_json" }
    return "\(function)([\(paths.joined(separator: ", "))])"
  }

  /// Returns a path as an expression of SQL.
  private static func name(_ path: String) -> String {
    path.split(separator: ".").map { step in
      let isPlain = step.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 == 0x5F || $0 &- 0x30 < 10 }
      let isWord = reserved.contains(step.lowercased()) || step.first?.isNumber == true
      return isPlain && !isWord ? String(step) : "\"\(step.replacing("\"", with: "\"\""))\""
    }.joined(separator: ".")
  }

  /// Words of SQL that are likely names of columns.
  private static let reserved: Set<String> = [
    "user", "order", "group", "default", "end", "to", "from", "when", "references", "table", "column", "offset",
    "limit", "all", "case", "check", "unique", "desc", "primary", "select", "where",
  ]
}

/// The columns of records that repeat how subscriptions are.
struct StateColumns {
  var state: String
  /// Whose state it is.
  var key: String
  var time: String
  /// Whether the time has days alone.
  var isOfDays: Bool
  /// Whether a column `op` says how the record was changed, `r` if it was only read.
  var isChangeLog: Bool
}

/// Finds what must be put together before it can be read.
extension Proposer {
  /// Notes ids and what must be put together before it can be read.
  mutating func notePreparation() {
    proposal.attributes = attributes.map { (columns[$0].path, columns[$1].path) }
    proposal.states = states
    guard answers.isOneOfSeveral else { return }
    if proposal.hasNothing { proposal.plans = plansOfIDs }
    proposal.keys = columns.indices.filter { isID($0) }.map { place in
      Proposal.Key(
        path: columns[place].path, values: Set(columns[place].hashes),
        isUnique: columns[place].exactDistinct == profile.recordCount, areNumbers: columns[place].type == .whole)
    }
  }

  private func isID(_ place: Int) -> Bool {
    [.text, .whole].contains(columns[place].type) && !columns[place].path.contains("[")
      && (FieldSynonyms.isID(columns[place].path)
        || FieldSynonyms.score(of: columns[place].path, for: .subscriptionID) >= 0.8)
  }

  /// The plans of the ids in a table of products.
  private var plansOfIDs: [String: String] {
    let full = columns.indices.filter { columns[$0].count == profile.recordCount }
    func plan(_ text: String) -> Plan? {
      Plan(name: text) ?? ProductPlans.plan(duration: text) ?? ProductPlans.plan(name: text)
    }
    guard let key = full.first(where: { isID($0) && columns[$0].exactDistinct == profile.recordCount }),
      !columns.indices.contains(where: { words($0).contains("count") && columns[$0].values.contains { $0.text != "1" } }
      ),
      let plans = full.first(where: { $0 != key && columns[$0].values.allSatisfy { plan($0.text) != nil } })
    else { return [:] }
    return zip(columns[key].texts, columns[plans].texts).reduce(into: [:]) { all, pair in
      all[pair.0.text] = plan(pair.1.text)?.name
    }
  }

  private static let attributeWords: Set<String> = [
    "attribute", "attr", "property", "prop", "param", "parameter", "key", "field", "trait",
  ]

  /// The columns of the names and the values of attributes, where an event has a record for each of them.
  private var attributes: (Int, Int)? {
    let full = columns.indices.filter { scores.filled($0) >= 0.98 && !columns[$0].path.contains("[") }
    guard let value = full.first(where: { ["value", "val"].contains(words($0).last) }) else { return nil }
    let name = full.first { place in
      place != value && place != chosen[.event]?.column && columns[place].type == .text
        && (2...500).contains(columns[place].exactDistinct) && !Self.attributeWords.isDisjoint(with: words(place))
    }
    guard let name else { return nil }
    let names = scores.codes(name)
    let isRepeated = full.contains { id in
      id != name && id != value && isID(id) && columns[id].exactDistinct * 10 <= profile.recordCount * 9
        && Set(zip(scores.codes(id), names).map { [$0, $1] }).count * 100 >= profile.recordCount * 99
    }
    return isRepeated ? (name, value) : nil
  }

  /// The columns that repeat how subscriptions are, where no other says what happened.
  private var states: StateColumns? {
    guard let state = proposal.repeatedState, [nil, state].contains(proposal.likeliest("event name")),
      let user = chosen[.userID]?.column, let time = chosen[.ts]?.column,
      columns[time].hasInstantsAlone, !columns[time].signs.isOfNumericDates
    else { return nil }
    let users = scores.codes(user)
    let key = columns.indices.first { place in
      place != user && isID(place) && columns[place].count == profile.recordCount
        && columns[place].exactDistinct < profile.recordCount && scores.ownerShare(place, users) == 1
    }
    return StateColumns(
      state: state, key: columns[key ?? user].path, time: columns[time].path, isOfDays: columns[time].hasDaysAlone,
      isChangeLog: column("op") != nil)
  }
}

/// The users who paid on each day, to find out whether two files tell the same payments.
struct PaymentDays: Sendable {
  private struct Payment: Hashable {
    /// A hash of the user's id.
    var user: UInt64
    /// Days since 1970.
    var day: Int64
  }

  private var payments: Set<Payment> = []
  /// The time of each user's first payment, in milliseconds since 1970.
  private(set) var first: [UInt64: Int64] = [:]

  /// - Parameter instant: In milliseconds since 1970.
  mutating func add(user: UInt64, at instant: Int64) {
    first[user] = min(first[user] ?? instant, instant)
    payments.insert(Payment(user: user, day: instant / Instant.millisecondsPerDay))
  }

  /// Returns the share of the payments of the one with fewer that the other may tell too: of the same user, a day apart
  /// at most.
  ///
  /// - Returns: `nil` if they have too few users in common to say so.
  func shared(with other: PaymentDays) -> Double? {
    if payments.count < other.payments.count { return other.shared(with: self) }
    let common = other.first.keys.count { first[$0] != nil }
    guard common >= 5, common * 10 >= other.first.count else { return nil }
    let shared = other.payments.count { payment in
      (-1...1).contains { payments.contains(Payment(user: payment.user, day: payment.day + $0)) }
    }
    return Double(shared) / Double(other.payments.count)
  }
}
