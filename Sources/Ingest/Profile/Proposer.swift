internal import EventModel

/// Proposes a mapping from a profile: fields from names and values of columns, kinds from the words of events' names.
struct Proposer {
  /// Below it a column is no field.
  static let leastConfidence = 0.6
  static let sureConfidence = 0.9

  let profile: ProfileCollector
  var scores: ColumnScores
  let answers: ProposalAnswers
  var columns: [ColumnProfile] { scores.columns }
  var chosen: [EventField: (column: Int, confidence: Double)] = [:]
  var guesses: [EventField: (column: Int, confidence: Double)] = [:]
  /// A column with the id of a user before he is known.
  var anonymous: Int?
  /// A column with the time of day, where that of the time has days alone.
  private(set) var timeOfDay: Int?
  /// The column with the zones or offsets of local times.
  var zones: Int?
  private(set) var isGA4 = false
  /// Columns that each say of one kind of event whether the record is one, where no column has the event's name.
  private(set) var flags: [(column: Int, truth: String)] = []
  /// Columns that each say when an event of one kind was, where a record has all events of a user.
  var moments: [Moment] = []
  /// The column that says when a payment was given back.
  var refunds: Int?
  /// The columns that make an id, where records come again; else a record itself is its id.
  var idColumns: [Int]?
  /// Whether other columns, some of which describe the loading of records, are not properties.
  var hasNoProperties = false
  /// The payments that have their refund in their own record.
  var ownRefund: OwnRefund?
  /// Whether the end of what was bought is that of a trial.
  var trialsEndAsPaid = false
  /// The length of the trials of each product, where products differ and no column has it.
  var trialDaysByProduct: [(product: String, days: Int)] = []
  /// The column whose text stands before that of the names' column, where both together say more.
  var namePrefix: Int?
  /// Whether the app that is asked for is one of those that a column names.
  var readsAppColumn = false
  /// The parts of payments' records that are of another kind than the others.
  var splits: [RecordSplit] = []
  /// The experiment whose name is that of the column with its variants.
  var experimentName: String?
  /// The product of each amount and its plan, where amounts tell products; without a plan the product's name tells it.
  var productsByAmount: [(amount: String, product: String, plan: Plan?)] = []
  /// The plans that names of events say, where no column has a product.
  var plansInNames: [(name: String, plan: Plan)] = []
  /// The currency that the name of the column of prices says.
  var priceCurrency: String?
  /// Whether users who pay without a trial pay first behind a paywall view, so that no payment is a later one.
  var provesFirstPayments = false
  /// Conditions of records that are of no customers.
  var skips: [String] = []
  /// Plans of products whose names show none, by the times between payments.
  var measuredPlans: [(product: String, plan: Plan)] = []
  /// Products whose names show no plan and that no user paid again in more than a quarter.
  var paidOnce: Set<String> = []
  var proposal = Proposal()

  /// - Parameter appName: The name of the app, if nothing else gives one.
  static func proposal(of profile: ProfileCollector, _ answers: ProposalAnswers, appName: String?) -> Proposal {
    var proposer = Proposer(profile: profile, answers: answers)
    proposer.chooseRequired()
    proposer.chooseNames()
    proposer.findRepeatedTable()
    proposer.findSplits()
    proposer.findPaywallScreens(withOffers: false)
    proposer.partColumns()
    proposer.chooseOthers()
    proposer.findViews()
    proposer.findTrials()
    proposer.findFirstPayments()
    proposer.findTrialsByPayments()
    proposer.findPriceSplits()
    proposer.findRenewalsAfterTrials()
    proposer.findRenewals()
    proposer.findDoubleTellings()
    proposer.findOwnRefunds()
    proposer.findPlansInNames()
    proposer.findProducts()
    proposer.measurePlans()
    proposer.checkKinds()
    proposer.chooseIDColumns()
    proposer.warn()
    proposer.finish(appName: appName)
    return proposer.proposal
  }

  private init(profile: ProfileCollector, answers: ProposalAnswers) {
    self.profile = profile
    self.answers = answers
    scores = ColumnScores(profile, dates: answers.dates)
    let paths = Set(scores.columns.map(\.path))
    isGA4 =
      paths.isSuperset(of: ["event_name", "event_timestamp", "user_pseudo_id"])
      && paths.contains { $0.hasPrefix("event_params[") }
    proposal.recordCount = profile.recordCount
    proposal.isCut = profile.isCut
    if profile.hasDroppedPaths || profile.columns.count > ProfileCollector.mostPaths {
      proposal.notes.append("more than \(ProfileCollector.mostPaths) columns; the fullest are shown")
    }
  }

  /// The columns of users and of times, if every time is known.
  var userAndTime: (user: Int, time: Int)? {
    guard let user = chosen[.userID]?.column, let time = chosen[.ts]?.column, columns[time].hasInstantsAlone else {
      return nil
    }
    return (user, time)
  }

  /// Returns whether nothing says yet what a name means.
  func isOpen(_ name: Proposal.Name) -> Bool {
    name.kind == nil && !name.isIncluded && answers.events[name.name] == nil
  }

  /// Returns how many of some records have each name.
  func nameCounts(of rows: some Sequence<UInt32>) -> [Int] {
    let names = recordNames()
    var counts = [Int](repeating: 0, count: proposal.names.count)
    for row in rows { if let name = names[Int(row)] { counts[name] += 1 } }
    return counts
  }

  func column(_ path: String) -> Int? {
    columns.firstIndex { $0.path == path } ?? columns.firstIndex { $0.path == "'\(path)'" }
  }

  private static func confidence(_ values: Double, _ name: Double) -> Double {
    values == 0 ? 0 : 0.6 * values + 0.4 * name
  }

  private func best(
    _ field: EventField, excluding taken: Set<Int> = [], _ values: (Int) -> Double
  ) -> (column: Int, confidence: Double)? {
    if let path = answers.fields[field == .ts ? "ts" : field.name], let column = column(path) { return (column, 1) }
    var best: (column: Int, confidence: Double, name: Double)?
    for place in columns.indices where !taken.contains(place) && !columns[place].path.hasPrefix("$table") {
      let path = columns[place].path
      // Of two, that with the better name, or the field's own: `user_id`, and not `customer`.
      let score = FieldSynonyms.score(of: path, for: field)
      let name = score + (FieldSynonyms.isOwn(path, of: field) ? 0.1 : 0)
      let confidence = Self.confidence(values(place), score)
      let ahead = confidence - (best?.confidence ?? 0)
      if confidence > 0, abs(ahead) < 0.000_001 ? name > best?.name ?? 0 : ahead > 0 {
        best = (place, confidence, name)
      }
    }
    guard let best, best.confidence >= Self.leastConfidence - 0.000_001 else { return nil }
    return (best.column, best.confidence)
  }

  // MARK: Person, time, id and name

  private mutating func chooseRequired() {
    var taken: Set<Int> = []
    func take(_ field: EventField, _ values: (Int) -> Double) {
      guard let found = best(field, excluding: taken, values) else { return }
      chosen[field] = found
      taken.insert(found.column)
    }
    let hasMoments = columns.count { $0.isOfTimes && momentKind($0.path) != nil } > 1
    take(.event) { place in
      // Where a record has several times, its state is the last of them.
      let isState = hasMoments && FieldSynonyms.isState(columns[place].path) || isStateAlone(place)
      return isState || isFormerState(place) ? 0 : scores.nameValues(place)
    }
    namePrefix = foundNamePrefix()
    if let namePrefix { taken.insert(namePrefix) } else { fillNames() }
    take(.ts) { place in
      if let kind = answers.tableKind, momentKind(columns[place].path) == kind { return scores.timeValues(place) }
      // A time of expiry or reception is no time of the event.
      let others: [EventField] = [.expiresAt, .receivedAt, .trialEndsAt]
      let other = others.map { FieldSynonyms.score(of: columns[place].path, for: $0) }.max() ?? 0
      return other >= 0.6 && FieldSynonyms.score(of: columns[place].path, for: .ts) < other
        ? 0 : scores.timeValues(place)
    }
    chooseOwnTime()
    if let time = chosen[.ts]?.column, columns[time].hasDaysAlone {
      timeOfDay = columns.indices.first { place in
        columns[place].signs.timesOfDay * 100 >= columns[place].count * 99 && scores.filled(place) >= 0.99
      }
      if let timeOfDay { taken.insert(timeOfDay) }
    }
    chooseZones()
    if let zones { taken.insert(zones) }
    take(.eventID) { place in
      if isOfOthers(place) || isRowNumber(place) { return 0 }
      // Tables of one kind each may have the same numbers, or the subscription's id.
      let isOfTable = answers.tableKind != nil && chosen[.event] == nil
      if isOfTable, isOfOtherTable(place) { return 0 }
      let isShared =
        columns[place].type == .whole || FieldSynonyms.score(of: columns[place].path, for: .eventID) == 0
      return isOfTable && isShared && !hasMoments ? 0 : scores.idValues(place)
    }
    let device = fullestDevice()
    take(.userID) { place in
      if let device, isOfManyDevices(place, device) { return 0 }
      let others: [EventField] = [
        .subscriptionID, .transactionID, .productID, .experiment, .paywall, .country, .currency,
      ]
      let other = others.map { FieldSynonyms.score(of: columns[place].path, for: $0) }.max() ?? 0
      if other >= 0.8 { return 0 }
      // The id of a device stands in where there is no better one.
      return scores.userValues(place) * (isAnonymous(place) ? 0.6 : 1)
    }
    chooseAddress(excluding: taken)
    chooseAnonymous(excluding: taken)
  }

  private mutating func chooseNames() {
    if let kind = kindOfAll {
      chosen[.event] = nil
      proposal.names = [Proposal.Name(name: "*", count: profile.recordCount, kind: kind, confidence: 1)]
      return
    }
    let (nameColumn, tableColumn) = (chosen[.event]?.column, column("$table"))
    var counts = nameCounts
    if let tableColumn {
      // Tables without a column of names are called by their own.
      let named = nameColumn.map { Set(columns[$0].rows) } ?? []
      var tables: [UInt64: Int] = [:]
      for (row, hash) in zip(columns[tableColumn].rows, columns[tableColumn].hashes) where !named.contains(row) {
        tables[hash, default: 0] += 1
      }
      for value in columns[tableColumn].values {
        if let count = tables[Self.code(of: value.text)] { counts.append((value.text, count)) }
      }
    }
    if nameColumn == nil, tableColumn == nil, foundMoments().isEmpty {
      // Beside times, flags say nothing more.
      flags = columns.indices.compactMap { place in flagTruth(columns[place]).map { (place, $0) } }
      // One flag alone is a fact about events of other kinds, and one of payments says which they are.
      if flags.count < 2 || answers.tableKind.map(Self.paid.contains) == true { flags = [] }
      for flag in flags {
        let count = columns[flag.column].values.first { $0.text == flag.truth }?.count ?? 0
        counts.append((columns[flag.column].path, count))
      }
    }
    if nameColumn == nil, tableColumn == nil, flags.isEmpty {
      moments = foundMoments()
      let ignored = moments.filter { answers.events[$0.name] == .some(nil) }
      moments.removeAll { answers.events[$0.name] == .some(nil) }
      for place in moments.indices {
        if case .some(.some(let kind)) = answers.events[moments[place].name] { moments[place].kind = kind }
      }
      findRefunds()
      checkMoments()
      for moment in moments {
        proposal.names.append(
          Proposal.Name(name: moment.name, count: moment.count, kind: moment.kind, confidence: 0.8))
      }
      for moment in ignored {
        proposal.names.append(Proposal.Name(name: moment.name, count: moment.count, kind: nil, confidence: 1))
      }
      if let first = moments.first {
        chosen[.ts] = (first.column, 0.8)
        return
      }
      if let kind = kindOfTable() {
        proposal.names = [Proposal.Name(name: "*", count: profile.recordCount, kind: kind, confidence: 0.8)]
        if kind == .payment, answers.othersHaveRenewals { proposal.names[0].kind = .conversion }
        return
      }
    }
    proposal.includesSuperwall = isSuperwall(counts.map(\.name))
    for (name, count) in counts.sorted(by: { ($1.count, $0.name) < ($0.count, $1.name) }) {
      var found = Proposal.Name(name: name, count: count, kind: nil, confidence: 0)
      if let answer = answers.events[name] {
        (found.kind, found.confidence) = (answer, 1)
      } else if proposal.includesSuperwall, isIncluded(name, among: counts.map(\.name)) {
        found.kind = SuperwallFragment.kinds(answers.superwallMoney)[name]
        (found.confidence, found.isIncluded) = (found.kind == nil ? 0 : 1, true)
      } else {
        switch KindWords.meaning(of: name) {
        case .kind(.identify) where anonymous != nil: break  // `joins` says the same.
        case .kind(let kind): (found.kind, found.confidence) = (kind, 0.95)
        case .ambiguous(let kinds): (found.kind, found.confidence, found.choices) = (kinds[0], 0.6, kinds)
        case .none: break
        }
      }
      proposal.names.append(found)
    }
    settleNames()
  }

  // MARK: Other fields

  static let others: [EventField] = [
    .receivedAt, .app, .platform, .store, .country, .appVersion, .environment, .entryPoint, .experiment, .variant,
    .paywall, .offering, .tier, .productID, .plan, .price, .currency, .priceUSD, .taxPercentage, .commissionPercentage,
    .subscriptionID, .transactionID, .expiresAt, .offerType, .offerCode, .limitName, .trialDays, .trialEndsAt, .reason,
    .graceEndsAt,
  ]
  private mutating func chooseOthers() {
    let required = Set(
      [EventField.event, .ts, .userID, .eventID].compactMap { chosen[$0]?.column } + [namePrefix ?? -1])
    let kinds = recordKinds()
    var known = ColumnScores.Known(
      user: chosen[.userID].map { scores.codes($0.column) } ?? [], time: chosen[.ts]?.column, kinds: kinds,
      hasProduct: [], areAllAlike: isOfOneKind || !moments.isEmpty)
    let products = columns.indices.filter { FieldSynonyms.score(of: columns[$0].path, for: .productID) >= 0.5 }
    if !products.isEmpty {
      known.hasProduct = [Bool](repeating: false, count: profile.recordCount)
      for place in products { for row in columns[place].rows { known.hasProduct[Int(row)] = true } }
    }
    let experiments = chooseNamedExperiment(except: required)
    let withCurrency = Set(
      columns.indices.filter { scores.values($0, .currency, known) == 1 }.flatMap { columns[$0].rows })
    let parting = Set(splits.map(\.column))
    var pairs: [(field: EventField, column: Int, confidence: Double)] = []
    for field in Self.others {
      if let path = answers.fields[field.name], field != .plan || answers.constantPlan(columns) == nil {
        if let column = column(path) { chosen[field] = (column, 1) }
        continue
      }
      if chosen[field] != nil { continue }
      for place in columns.indices where !required.contains(place) && place != anonymous {
        // An event does not end at its own time.
        let isEnd = [.expiresAt, .trialEndsAt, .graceEndsAt].contains(field)
        guard !isEnd || !moments.contains(where: { $0.column == place }) && !isOfPayments(place) else { continue }
        guard !columns[place].path.hasPrefix("$table"), field != .experiment || !experiments.contains(place),
          ![.offerType, .entryPoint].contains(field) || !parting.contains(place)
        else { continue }
        let name =
          field == .trialEndsAt && isEndOfTrial(place) || field == .price && hasOnlyMoney(place)
          ? 0.9 : FieldSynonyms.score(of: columns[place].path, for: field)
        guard name > 0 || isByValues(field, place, kinds, withCurrency) else { continue }
        if field == .entryPoint, isOfOneKind, !kinds.contains(.paywallImpression), !kinds.contains(.gateHit) {
          continue
        }
        if field == .app {
          if name >= 0.9, columns[place].exactDistinct <= 20, scores.filled(place) > 0.98 {
            pairs.append((field, place, name))
          }
          continue
        }
        // A record's own amount comes before that of its only item.
        let confidence =
          Self.confidence(scores.values(place, field, known), name) - (columns[place].path.contains("[0]") ? 0.01 : 0)
        if confidence >= 0.4 { pairs.append((field, place, confidence)) }
      }
    }
    pairs.sort { left, right in
      if left.confidence != right.confidence { return left.confidence > right.confidence }
      if left.field != right.field { return left.field.rawValue < right.field.rawValue }
      return left.column < right.column
    }
    var taken = Set(chosen.values.map(\.column))
    for pair in pairs where chosen[pair.field] == nil && !taken.contains(pair.column) {
      if pair.confidence >= Self.leastConfidence - 0.000_001 {
        chosen[pair.field] = (pair.column, pair.confidence)
        taken.insert(pair.column)
      } else if guesses[pair.field] == nil {
        guesses[pair.field] = (pair.column, pair.confidence)
      }
    }
    // A column of plans is the product where there is no other.
    if chosen[.productID] == nil, let plan = chosen[.plan] { chosen[.productID] = plan }
    choosePriceCurrency()
    settleVariants()
    chooseVariantByValues()
    chooseEntryPointByValues()
    leaveOutUnpaidAmounts()
  }
}
