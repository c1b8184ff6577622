internal import Basics
internal import EventModel

/// Finds products and their plans where no column names them.
extension Proposer {
  /// Takes a column with the plans of all payments, whatever its name, where no product's name tells a plan.
  mutating func choosePlan() {
    guard chosen[.plan] == nil, answers.constantPlan(columns) == nil, let product = chosen[.productID]?.column,
      !columns[product].values.contains(where: { ProductPlans.plan(name: $0.text) != nil })
    else { return }
    let taken = Set(chosen.values.map(\.column))
    let kinds = recordKinds()
    let plan = columns.indices.first { !taken.contains($0) && scores.isPlanOfPayments($0, kinds) }
    if let plan { chosen[.plan] = (plan, 0.8) }
  }

  /// Takes the plans in the names of events, as in `purchase_yearly`, for their products, where no column has one and each
  /// name of payments has a plan.
  mutating func findPlansInNames() {
    guard moments.isEmpty, namePrefix == nil, chosen[.productID] == nil, answers.constantPlan(columns) == nil,
      let event = chosen[.event]?.column, columns[event].others.isEmpty, column("$table") == nil
    else { return }
    let names = proposal.names.filter { $0.kind != nil }
    let sold = names.filter { $0.kind.map(Self.paid.contains) ?? false }
    guard !sold.isEmpty, sold.allSatisfy({ ProductPlans.plan(name: $0.name) != nil }) else { return }
    plansInNames = names.compactMap { name in ProductPlans.plan(name: name.name).map { (name.name, $0) } }
    proposal.notes.append(
      "no column has a product, so it is the plan in the names of events: \(plansInNames[0].plan.name) for "
        + "\(plansInNames[0].name)")
  }

  /// The plans in the names of events as a field of the mapping.
  var planInNameLine: String? {
    guard !plansInNames.isEmpty, let event = chosen[.event]?.column else { return nil }
    let plans = plansInNames.map { "\(Self.quoted($0.name)): \($0.plan.name)" } + ["\"*\": null"]
    let path = Self.quoted(columns[event].path)
    return "  product_id: {path: \(path), values: {\(plans.joined(separator: ", "))}}  # by the names of events"
  }

  /// Takes each amount as a product where payments have none, if payments that come again show the plan of one amount.
  mutating func findProducts() {
    guard chosen[.productID] == nil, plansInNames.isEmpty, let price = chosen[.price]?.column,
      let (user, time) = userAndTime
    else { return }
    let kinds = recordKinds()
    let currency = chosen[.currency]?.column
    let (users, codes) = (scores.codes(user), currency.map { scores.codes($0) })
    let (times, texts) = (columns[time].instantOfRow, columns[price].textOfHash)
    let signs = currency.map { columns[$0].textOfHash } ?? [:]
    var payments: [String: [UInt64: [Int64]]] = [:]
    for (row, hash) in zip(columns[price].rows, columns[price].hashes) {
      guard let kind = kinds[Int(row)], Self.paid.contains(kind), let time = times[row], let amount = texts[hash],
        users[Int(row)] != 0
      else { continue }
      let product: String
      if let codes {
        guard let code = signs[codes[Int(row)]] else { continue }
        product = "\(amount) \(code)"
      } else {
        product = amount
      }
      payments[product, default: [:]][users[Int(row)], default: []].append(time)
      if payments.count > 200 { return }
    }
    var found: [(amount: String, product: String, plan: Plan?)] = []
    var unknown: [String] = []
    for (amount, times) in payments.sorted(by: { $0.key < $1.key }) {
      if let product = answers.products[amount], ProductPlans.plan(name: product) != nil {
        found.append((amount, product, nil))
        continue
      }
      if let plan = Self.usualPlan(of: times.values.flatMap { Self.gaps(of: $0) }) {
        found.append((amount, amount, plan))
      } else {
        unknown.append(amount)
      }
    }
    guard !found.isEmpty else { return }
    productsByAmount = found + unknown.map { ($0, $0, answers.plans[$0].flatMap { Plan(name: $0) } ?? .yearly) }
    let amounts = found.filter { $0.product == $0.amount }.map(\.amount)
    if !amounts.isEmpty {
      proposal.notes.append("no column has a product, so each amount is one: \(amounts.joined(separator: ", "))")
    }
    unknown.removeAll { answers.plans[$0] != nil }
    if !unknown.isEmpty {
      let plans = unknown.prefix(3).map { "--plan '\($0)=yearly'" }.joined(separator: " ")
      proposal.warnings.append(
        "\(unknown.joined(separator: ", ")): no user paid this again, so its plan is a guess, yearly; if it is another: "
          + "`\(plans)`")
    }
  }

  /// Returns the products of trials and payments whose names show no plan and that no answer gives one.
  func productsWithoutPlan() -> [String] {
    guard let product = chosen[.productID]?.column, chosen[.plan] == nil, answers.constantPlan(columns) == nil,
      productsByAmount.isEmpty
    else { return [] }
    let needed = Self.paid.union([.trialStart])
    let moment = moments.first { needed.contains($0.kind) }?.kind
    let kinds = moments.isEmpty ? recordKinds() : [EventKind?](repeating: moment, count: profile.recordCount)
    let sold = Set(
      zip(columns[product].rows, columns[product].hashes).compactMap { row, hash in
        kinds[Int(row)].map(needed.contains) ?? false ? hash : nil
      })
    return columns[product].values.map(\.text).filter { name in
      !name.isEmpty && sold.contains(Self.code(of: name)) && ProductPlans.plan(name: name) == nil
        && answers.plans[name] == nil
    }.sorted()
  }

  /// Measures the plans of products whose names show none: by the time from a payment to the end of what it paid, or to the
  /// user's next payment.
  mutating func measurePlans() {
    let names = productsWithoutPlan()
    guard moments.isEmpty, !names.isEmpty, let product = chosen[.productID]?.column, let (user, time) = userAndTime
    else { return }
    let (kinds, users, products) = (recordKinds(), scores.codes(user), scores.codes(product))
    let ends = chosen[.expiresAt].map { columns[$0.column].instantOfRow } ?? [:]
    var (lengths, times): ([UInt64: [Int64]], [UInt64: [UInt64: [Int64]]]) = ([:], [:])
    var firstPaid: [UInt64: Int64] = [:]
    for (row, ts) in zip(columns[time].rows, columns[time].instants) {
      guard kinds[Int(row)].map(Self.paid.contains) ?? false else { continue }
      let code = products[Int(row)]
      firstPaid[code] = min(firstPaid[code] ?? ts, ts)
      if let end = ends[row] { lengths[code, default: []].append(end - ts) }
      times[code, default: [:]][users[Int(row)], default: []].append(ts)
    }
    for name in names {
      let code = Self.code(of: name)
      let own = lengths[code] ?? times[code]?.values.flatMap { Self.gaps(of: $0) } ?? []
      if let plan = Self.usualPlan(of: own) { measuredPlans.append((name, plan)) }
      // Users had more than a quarter to pay again.
      if own.isEmpty, let first = firstPaid[code], let last = columns[time].instants.max(),
        last - first >= 100 * Instant.millisecondsPerDay
      {
        paidOnce.insert(name)
      }
    }
    if measuredPlans.isEmpty { return }
    let list = measuredPlans.map { "\($0.product) is \($0.plan.name)" }.joined(separator: ", ")
    proposal.notes.append("assumed, by the times between payments: \(list); `--plan PRODUCT=PLAN` changes it")
  }

  /// Products whose names show no plan, in records that need one.
  mutating func warnOfPlans() {
    let names = productsWithoutPlan().filter { name in !measuredPlans.contains { $0.product == name } }
    if names.isEmpty { return }
    // Beside products that users paid again, those that nobody did are likely yearly.
    let isLikely = !measuredPlans.isEmpty && names.allSatisfy(paidOnce.contains)
    let likely = isLikely ? Plan.yearly.name : "PLAN"
    let options = names.prefix(isLikely ? names.count : 3).map { "--plan \("\($0)=\(likely)".shellWord)" }
    let shown = options.prefix(3).map { "`\($0)`" }.joined(separator: ", ")
    proposal.options += options
    let more = names.count > 3 ? " and so on for \(names.count - 3) more" : ""
    let (plans, whose) =
      names.count == 1 ? ("the plan of a product is", "its") : ("the plans of \(names.count) products are", "their")
    proposal.warnings.append(
      "\(plans) not known, so \(whose) payments and trials are left out; add \(shown)\(more)"
        + (isLikely
          ? "; yearly is a guess, because nobody paid twice: use weekly, monthly, quarterly, semiannual or lifetime if it is wrong"
          : ", with weekly, monthly, quarterly, semiannual, yearly or lifetime for PLAN"))
  }

  /// The measured plans as a field of the mapping.
  var measuredPlanLine: String? {
    guard !measuredPlans.isEmpty, let product = chosen[.productID] else { return nil }
    let plans = measuredPlans.map { "\(Self.quoted($0.product)): \($0.plan.name)" } + ["\"*\": null"]
    let path = Self.quoted(columns[product.column].path)
    return "  plan: {path: \(path), values: {\(plans.joined(separator: ", "))}}  # by the times between payments"
  }

  private static func gaps(of times: [Int64]) -> [Int64] {
    let sorted = times.sorted()
    return zip(sorted, sorted.dropFirst()).map { $1 - $0 }
  }

  /// Returns the plan with the length that most of these times have, and three at least.
  private static func usualPlan(of lengths: [Int64]) -> Plan? {
    let plans = Dictionary(grouping: lengths.compactMap { ProductPlans.plan(period: $0) }) { $0 }
    guard let best = plans.max(by: { $0.value.count < $1.value.count }), best.value.count >= 3,
      best.value.count * 2 > lengths.count
    else { return nil }
    return best.key
  }
}
