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
    for var group in groups {
      if case .known = group.shape {
        parted.append(group)
        continue
      }
      // The profiles of several groups at once would take too much memory.
      if groups.count == 1 { group.profile = try profile(of: group, answers) }
      guard (2...mostParted).contains(group.files.count), try hasNoCommonTime(group, answers) else {
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
        (own.files, own.isOfTables, own.profile) = ([file], false, nil)
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
      (own.files, own.profile) = ([file], nil)
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
    var apps: Set<String> = []
    for group in groups {
      if case .known(let source) = group.shape {
        proposals.append(nil)
        if source == .native, let found = try? proposal(of: group, ProposalAnswers(), appName: nil) {
          apps.formUnion(found.appsOfRecords)
        }
      } else {
        proposals.append(try proposal(of: group, answers, appName: nil))
      }
    }
    let known = told(by: proposals, of: groups, answers, apps)
    // The users of the other files may show which column has those of a file.
    for place in groups.indices where proposals[place]?.missing.contains("user") ?? false {
      proposals[place] = try proposal(of: groups[place], known[place], appName: nil)
    }
    return told(by: proposals, of: groups, answers, apps)
  }

  /// Returns the answers for each group with what the proposals of the others tell.
  ///
  /// - Parameter apps: The apps of native files.
  private static func told(
    by proposals: [Proposal?], of groups: [FileGroup], _ answers: ProposalAnswers, _ apps: Set<String>
  ) -> [ProposalAnswers] {
    func kinds(_ proposal: Proposal) -> [EventKind] {
      proposal.names.filter { $0.confidence >= Proposer.leastConfidence }.compactMap(\.kind)
    }
    return groups.indices.map { place in
      var own = answers
      own.products = proposals.reduce(into: [:]) { all, proposal in
        all.merge(proposal?.products ?? [:]) { first, _ in first }
      }
      let all = apps.union(proposals.flatMap { $0?.appsOfRecords ?? [] })
      own.othersApp = all.count == 1 ? all.first : nil
      for other in groups.indices where other != place {
        let proposal = proposals[other] ?? Proposal()
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
      return own
    }
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
