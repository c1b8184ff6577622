internal import Basics
internal import EventModel

/// Weighs kinds by the fields that their records have.
extension Proposer {
  /// Kinds whose required field is empty in 5% of their records or more are not proposed.
  mutating func checkKinds() {
    let kinds = recordKinds()
    noteAmounts()
    checkTrialDays(kinds)
    let names = recordNames()
    /// - Parameter name: The place of a name whose records alone count; `nil` for all of the kind.
    func share(_ field: EventField, _ kind: EventKind, of name: Int? = nil) -> Double? {
      guard let column = chosen[field]?.column else { return 0 }
      if !moments.isEmpty { return momentCoverage(column, of: kind) }
      guard let name else { return scores.coverage(column, of: kind, kinds) }
      let own = zip(kinds, names).map { $0 == kind && $1 == name ? kind : nil }
      return scores.coverage(column, of: kind, own)
    }
    func isEmpty(_ field: EventField, _ kind: EventKind, of name: Int? = nil) -> Bool {
      if field == .productID, !plansInNames.isEmpty {
        let own = name.map { [proposal.names[$0]] } ?? proposal.names.filter { $0.kind == kind }
        return own.contains { own in !plansInNames.contains { $0.name == own.name } }
      }
      if field == .productID, !productsByAmount.isEmpty { return isEmpty(.price, kind, of: name) }
      return share(field, kind, of: name).map { $0 <= 0.95 } ?? false
    }
    var lacksLength = isEmpty(.trialDays, .trialStart) && isEmpty(.trialEndsAt, .trialStart)
    if lacksLength, answers.fields["trial_days"] == nil, endsTrials(kinds) {
      (lacksLength, trialsEndAsPaid) = (false, true)
    }
    let days = lacksLength ? answers.fields["trial_days"].flatMap { Int($0) } ?? measureTrials(kinds) : nil
    let plan = isEmpty(.plan, .trialStart) && isEmpty(.productID, .trialStart) ? trialPlan : nil
    noteTrials(days, plan)
    var (taking, isSolved): ([String], Bool) = ([], true)
    for place in splits.indices where splits[place].kind == .trialStart {
      splits[place].trialDays = days
      splits[place].lacksLength = lacksLength && days == nil
    }
    for place in proposal.names.indices {
      let name = proposal.names[place]
      guard let kind = name.kind else { continue }
      if let price = chosen[.price]?.column, let share = scores.coverage(price, of: kind, kinds) {
        proposal.names[place].hasAmount = share > 0
      }
      if kind == .trialStart {
        (proposal.names[place].trialDays, proposal.names[place].trialPlan) = (days, plan)
        proposal.names[place].trialProduct = onlyProduct
      }
      if name.confidence == 1 {
        if kind == .payment { noteFirstPayments(name.name, kinds) }
        continue
      }
      var lacks: [EventField] = []
      switch kind {
      case .paywallImpression, .gateHit:
        if chosen[.entryPoint] != nil, isEmpty(.entryPoint, kind, of: place) { lacks.append(.entryPoint) }
      case .trialStart:
        if lacksLength, days == nil { lacks.append(.trialDays) }
        if plan == nil, isEmpty(.plan, kind, of: place), isEmpty(.productID, kind, of: place) { lacks.append(.plan) }
      case .conversion, .renewal, .payment: lacks = [.productID, .price].filter { isEmpty($0, kind, of: place) }
      case .exposure:
        lacks = [.experiment, .variant].filter { answers.values[$0.name] == nil && isEmpty($0, kind, of: place) }
        if lacks == [.experiment], chosen[.experiment] == nil {
          lacks = []
          experimentName = experimentName ?? "my_test"
          proposal.notes.append(
            "assumed: the test of \(name.name == "*" ? "all records" : name.name) is called my_test; "
              + "`--set 'experiment={value: NAME}'` names it")
        }
      case .planChange: lacks = [.productID].filter { isEmpty($0, kind, of: place) }
      case .identify where name.name != "*" || anonymous == nil: lacks = [.previousUserID]
      default: break
      }
      if kind == .payment, lacks.isEmpty {
        proposal.names[place].confidence = min(name.confidence, 0.8)
        if paysOnce(kinds) {
          proposal.names[place].kind = .conversion
        } else {
          noteFirstPayments(name.name, kinds)
        }
      }
      guard !lacks.isEmpty else { continue }
      proposal.names[place].confidence = 0.5
      let options = lacks.map { option(for: $0, of: kind) }
      let needs = lacks.map { field in
        let there = share(field, kind, of: place) ?? 0
        return field.name + (there > 0 ? " (in \(Int(there * 100))% of them)" : "")
      }
      let text =
        "\(name.name == "*" ? "all records" : name.name) (\(Self.records(name.count))): left out, because \(kind.name) needs "
        + needs.joined(separator: ", ") + options.map { "; `\($0.text)` \($0.effect)" }.joined()
      if [.conversion, .renewal, .payment, .trialStart, .paywallImpression].contains(kind) {
        proposal.warnings.append(text)
        taking += options.map(\.text)
        isSolved = isSolved && options.allSatisfy(\.isKnown)
      } else {
        proposal.notes.append(text)
      }
    }
    // A column that is not known makes no command, and one that takes a part of what is left out gives wrong shares.
    if isSolved { proposal.options += taking }
    if plan != nil, onlyProduct == nil { leaveOutUnlinkedTrials() }
  }

  /// The product of the data, if it has one alone.
  private var onlyProduct: String? {
    guard let column = chosen[.productID]?.column, columns[column].exactDistinct == 1 else { return nil }
    return columns[column].values.first?.text
  }

  /// Leaves out trials without a product where the rules of payments (definitions 2.12) could not see that they were paid.
  private mutating func leaveOutUnlinkedTrials() {
    let hasPayments = proposal.names.contains { $0.kind == .payment && $0.confidence >= Self.leastConfidence }
    guard hasPayments, !answers.hasCompleteHistory else { return }
    for place in proposal.names.indices
    where proposal.names[place].kind == .trialStart && proposal.names[place].confidence >= Self.leastConfidence {
      proposal.names[place].confidence = 0.5
      proposal.warnings.append(
        "\(proposal.names[place].name) (\(Self.records(proposal.names[place].count))): left out, because without a product "
          + "nothing says which payments follow these trials; add `--history complete`, if the file has all payments since "
          + "the app began")
      proposal.options.append("--history complete")
    }
  }

  /// Takes a name such as `view` for that of paywall views where its records have a paywall, or a variant that no other
  /// records have: a variant in all records says nothing of what was seen.
  mutating func findViews() {
    guard moments.isEmpty, !isOfOneKind, !proposal.names.contains(where: { $0.kind == .paywallImpression }) else {
      return
    }
    if let column = chosen[.paywall]?.column ?? chosen[.variant]?.column {
      let counts = nameCounts(of: Set(columns[column].rows))
      let isTold = chosen[.paywall] != nil || counts.count { $0 > 0 } == 1
      for place in viewNames(with: column) where isTold {
        (proposal.names[place].kind, proposal.names[place].confidence) = (.paywallImpression, 0.7)
      }
    }
    findPaywallScreens(withOffers: true)
    if !proposal.names.contains(where: { $0.kind == .paywallImpression }) { findViewsAlone() }
  }

  /// Returns the names that say that something was seen, and nearly all of whose records have a column.
  private func viewNames(with column: Int) -> [Int] {
    let counts = nameCounts(of: Set(columns[column].rows))
    return proposal.names.indices.filter { place in
      let name = proposal.names[place]
      return isOpen(name) && KindWords.isView(name.name) && counts[place] * 100 >= name.count * 95
    }
  }

  /// Takes the views of one screen, as `screen_view` with the screen `Paywall`, for paywall views where none have a name.
  ///
  /// - Parameter withOffers: Whether a screen such as `/pricing` is one, too; else one called a paywall alone, and only if
  ///   no other column says of views which paywall they are of.
  mutating func findPaywallScreens(withOffers: Bool) {
    guard moments.isEmpty, !isOfOneKind, !proposal.names.contains(where: { $0.kind == .paywallImpression }) else {
      return
    }
    let paywalls = columns.indices.filter { FieldSynonyms.score(of: columns[$0].path, for: .paywall) >= 0.9 }
    if !withOffers, paywalls.contains(where: { !viewNames(with: $0).isEmpty }) { return }
    let names = recordNames()
    for (place, name) in proposal.names.enumerated() where isOpen(name) && KindWords.isView(name.name) {
      for column in columns.indices where columns[column].type == .text && columns[column].exactDistinct <= 500 {
        guard !Self.screenWords.isDisjoint(with: words(column)) else { continue }
        let all = columns[column].values.map(\.text)
        let named = all.filter { NameWords.words(of: $0).contains("paywall") }
        let offers = withOffers ? all.filter { Self.offerWords.contains(NameWords.words(of: $0).last ?? "") } : []
        let texts = named.isEmpty ? offers : named
        let own = Set(names.indices.filter { names[$0] == place }.map(UInt32.init))
        let views = columns[column].rows(with: Set(texts.map(Self.code))).intersection(own)
        guard !views.isEmpty else { continue }
        let value = texts.count == 1 ? Self.quoted(texts[0]) : "[\(texts.map(Self.quoted).joined(separator: ", "))]"
        let others = own.subtracting(views)
        (proposal.names[place].kind, proposal.names[place].confidence) = (.paywallImpression, 0.7)
        guard !others.isEmpty else { return }
        splits.append(
          RecordSplit(
            kinds: [.paywallImpression], kind: nil, column: column,
            condition: "{not: {\(Self.quoted(columns[column].path)): \(value)}}", rows: others))
        let note =
          "\(name.name): \(Self.records(views.count)) with \(columns[column].path) \(texts.joined(separator: ", ")) are read as "
          + "paywall views, and the other \(others.count) are left out"
        if named.isEmpty { proposal.warnings.append(note) } else { proposal.notes.append(note) }
        return
      }
    }
  }

  /// Takes a name such as `viewed` for paywall views where its records have a place or a variant, and are not of several
  /// screens.
  private mutating func findViewsAlone() {
    guard let column = (chosen[.entryPoint] ?? chosen[.variant])?.column,
      columns[column].exactDistinct == 1 || Self.screenWords.isDisjoint(with: words(column))
    else { return }
    let counts = nameCounts(of: Set(columns[column].rows))
    for (place, name) in proposal.names.enumerated()
    where isOpen(name) && KindWords.isViewAlone(name.name) && counts[place] * 100 >= name.count * 95 {
      (proposal.names[place].kind, proposal.names[place].confidence) = (.paywallImpression, 0.7)
      proposal.warnings.append(
        "\(name.name) (\(Self.records(name.count))): read as paywall views; if something else was seen: "
          + "`\("--event \("\(name.name)=ignore".shellWord)")`")
    }
  }

  /// Last words of screens that offer a subscription.
  private static let offerWords: Set<String> = ["pricing", "upgrade", "subscribe", "premium", "upsell"]
  /// Words of columns that say which screen was seen.
  private static let screenWords: Set<String> = ["screen", "page", "view", "route", "path"]

  /// The plan of trials without one: the answer, or the only plan that any product of the files has.
  private var trialPlan: Plan? {
    if let answer = answers.constantPlan(columns) { return answer }
    guard let column = chosen[.plan]?.column ?? chosen[.productID]?.column else { return nil }
    let plans = columns[column].values.map { value in
      answers.plans[value.text].flatMap(Plan.init(name:)) ?? ProductPlans.plan(name: value.text)
    }
    return Set(plans).count == 1 ? plans[0] : nil
  }

  /// Says which length and plan trials get that no column gives.
  private mutating func noteTrials(_ days: Int?, _ plan: Plan?) {
    guard recordKinds().contains(.trialStart) || moments.contains(where: { $0.kind == .trialStart }) else { return }
    if let days, trialDaysByProduct.isEmpty, answers.fields["trial_days"] == nil {
      proposal.notes.append(
        "assumed: trials last \(days) days, the usual time from a trial to its payment; `--set trial_days=N` changes it"
      )
    }
    if let plan, answers.constantPlan(columns) == nil {
      proposal.notes.append(
        "assumed: trials without a plan are \(plan.name), the only plan in the data; `--set plan=PLAN` changes it")
    }
  }

  /// Returns whether payments of monthly or shorter plans span two months and more, and no user has two of them: then
  /// each is a first one.
  private func paysOnce(_ kinds: [EventKind?]) -> Bool {
    guard let (user, time) = userAndTime, let product = chosen[.productID]?.column,
      columns[product].values.contains(where: { value in
        ProductPlans.plan(name: value.text).map { $0 == .monthly || $0 == .weekly } ?? false
      })
    else { return false }
    let users = scores.codes(user)
    var seen: Set<UInt64> = []
    var span: (first: Int64, last: Int64)?
    for (row, instant) in zip(columns[time].rows, columns[time].instants) where kinds[Int(row)] == .payment {
      guard users[Int(row)] != 0, seen.insert(users[Int(row)]).inserted else { return false }
      span = (min(span?.first ?? instant, instant), max(span?.last ?? instant, instant))
    }
    return seen.count >= 20 && span.map { $0.last - $0.first >= 62 * Instant.millisecondsPerDay } ?? false
  }

  /// Says of how many users the first payment is not known to be one.
  private mutating func noteFirstPayments(_ name: String, _ kinds: [EventKind?]) {
    guard !answers.hasCompleteHistory, !provesFirstPayments, let user = chosen[.userID]?.column else { return }
    let users = scores.codes(user)
    // A payment belongs to a trial of the same product or subscription.
    let isLinked = answers.othersTrials.isEmpty || hasKeys(of: answers.othersTrialKeys)
    var (paid, known): (Set<UInt64>, Set<UInt64>) = ([], isLinked ? Set(answers.othersTrials.keys) : [])
    for (kind, user) in zip(kinds, users) where user != 0 {
      if kind == .payment { paid.insert(user) }
      if kind == .trialStart || kind == .conversion { known.insert(user) }
    }
    let unknown = paid.subtracting(known)
    let count = unknown.count
    guard count > 0 else { return }
    let whose = isLinked ? " without a trial" : ""
    let bought = countBuyers(unknown, users, kinds)
    if count >= 5, bought * 20 >= count * 19 {
      provesFirstPayments = true
      proposal.notes.append(
        "assumed: the file has all payments since the app began, because \(bought) of \(count) users\(whose) paid first "
          + "within an hour of a paywall view\(isLinked ? "" : " or after their trial began"); without `history: complete` in "
          + "the mapping, these do not count")
      return
    }
    // Those who paid right after a view are missing from the funnel.
    if bought >= 5, bought * 10 >= count {
      proposal.options.append("--history complete")
      proposal.leftOut.append(
        Proposal.LeftOut(name: "the first payments of \(count) users", kind: .payment, count: count))
    }
    proposal.warnings.append(
      "\(name == "*" ? "payments" : name): each can be a first payment or a renewal, so the purchases of \(count) \(count == 1 ? "user" : "users")"
        + "\(whose) may not count. If the file has all payments since the app began, `--history complete` counts them")
  }

  /// Returns whether products or subscriptions of the records are among some of other files.
  private func hasKeys(of others: Set<UInt64>) -> Bool {
    let own = productsByAmount.isEmpty ? [EventField.productID, .subscriptionID] : [.subscriptionID]
    return own.compactMap { chosen[$0]?.column }.contains { !others.isDisjoint(with: columns[$0].hashes) }
      || productsByAmount.contains { others.contains(Self.code(of: $0.product)) }
  }

  /// Returns how many of some users paid first within an hour after a paywall view, or after a trial that another file
  /// tells.
  private func countBuyers(_ buyers: Set<UInt64>, _ users: [UInt64], _ kinds: [EventKind?]) -> Int {
    guard let time = chosen[.ts]?.column, columns[time].hasInstantsAlone else { return 0 }
    var (paid, views): ([UInt64: Int64], [UInt64: [Int64]]) = ([:], answers.othersViews)
    for (row, ts) in zip(columns[time].rows, columns[time].instants) where buyers.contains(users[Int(row)]) {
      let user = users[Int(row)]
      if kinds[Int(row)] == .payment { paid[user] = min(paid[user] ?? ts, ts) }
      if kinds[Int(row)] == .paywallImpression { views[user, default: []].append(ts) }
    }
    // A time that is cut to minutes is read as the end of its minute.
    let late: Int64 = isCutToMinutes(time) ? 59_999 : 0
    return paid.count { user, ts in
      if let trial = answers.othersTrials[user], trial <= ts + late { return true }
      return views[user]?.contains { (0...3_600_000).contains(ts + late - $0) } ?? false
    }
  }

  /// Notes the name that may be that of paywall views: of those that mean nothing and have a twentieth of the records, one
  /// that says that something was seen, else the most frequent.
  private mutating func noteLikelyView() {
    guard moments.isEmpty, !proposal.names.contains(where: { $0.kind == .paywallImpression }) else { return }
    let unknown = proposal.names.filter { name in
      isOpen(name) && name.count * 20 >= proposal.recordCount && KindWords.meaning(of: name.name) == .none
    }
    proposal.likelyView =
      unknown.filter { KindWords.isView($0.name) }.max { $0.count < $1.count } ?? unknown.max { $0.count < $1.count }
  }

  /// Notes the trials and payments that are left out, and what may be paywall views.
  mutating func noteLeftOut() {
    noteLikelyView()
    let needed: Set<EventKind> = [.trialStart, .conversion, .renewal, .payment]
    for name in proposal.names where name.confidence < Self.leastConfidence {
      guard let kind = name.kind, needed.contains(kind) else { continue }
      proposal.leftOut.append(
        Proposal.LeftOut(name: name.name == "*" ? "all records" : name.name, kind: kind, count: name.count))
    }
    for split in splits where split.lacksLength {
      proposal.leftOut.append(Proposal.LeftOut(name: "trials", kind: .trialStart, count: split.rows.count))
    }
  }

  static func records(_ count: Int) -> String { count == 1 ? "1 record" : "\(count) records" }

  static func code(of text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0), seed: 7) }
  }

  /// Returns the option that gives records a field that they lack, what it does, and whether its column is known.
  private func option(for field: EventField, of kind: EventKind) -> (text: String, effect: String, isKnown: Bool) {
    if kind == .trialStart, field == .trialDays { return ("--set trial_days=7", "gives them this length", true) }
    if kind == .trialStart, field == .plan {
      return ("--set plan=yearly", "gives those without a plan this one", true)
    }
    guard chosen[field] == nil, let likely = guesses[field]?.column else {
      let known = ColumnScores.Known(user: [], time: chosen[.ts]?.column, kinds: recordKinds(), hasProduct: [])
      return ("--set \(field.name)=COLUMN", "names the column" + choices { scores.values($0, field, known) > 0 }, false)
    }
    return ("--set \("\(field.name)=\(columns[likely].path)".shellWord)", "takes the likeliest column", true)
  }
}
