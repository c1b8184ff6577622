internal import Basics
internal import EventModel

/// Finds payments that are named for something else, and those that occur twice.
extension Proposer {
  /// How far two tellings of one payment lie apart at most, in milliseconds.
  private static let tellingsApart: Int64 = 10 * 60_000

  /// A record with a kind, of one user.
  private struct Told {
    var ts: Int64
    var name: Int
    var kind: EventKind
    /// Hashes of values; 0 for none.
    var product: UInt64
    var amount: UInt64
  }

  /// Returns the records with a kind of each user, in the order of their times.
  private func toldByUser() -> [[Told]] {
    guard moments.isEmpty, let (user, time) = userAndTime else { return [] }
    let (kinds, names, users) = (recordKinds(), recordNames(), scores.codes(user))
    let products = chosen[.productID].map { scores.codes($0.column) }
    let amounts = chosen[.price].map { scores.codes($0.column) }
    var found: [UInt64: [Told]] = [:]
    for (row, ts) in zip(columns[time].rows, columns[time].instants) {
      let row = Int(row)
      guard users[row] != 0, let kind = kinds[row], let name = names[row] else { continue }
      guard Self.paid.contains(kind) || kind == .trialStart else { continue }
      found[users[row], default: []].append(
        Told(ts: ts, name: name, kind: kind, product: products?[row] ?? 0, amount: amounts?[row] ?? 0))
    }
    return found.values.map { $0.sorted { ($0.ts, $0.name) < ($1.ts, $1.name) } }
  }

  /// Gives names another kind by the names beside them.
  mutating func settleNames() {
    // Beside a cancellation that is scheduled, the other is the end.
    let cancellations = proposal.names.indices.filter {
      proposal.names[$0].kind == .cancellation && proposal.names[$0].confidence < 1
    }
    if cancellations.count == 2,
      let end = cancellations.first(where: { !KindWords.isScheduled(proposal.names[$0].name) }),
      cancellations.contains(where: { KindWords.isScheduled(proposal.names[$0].name) }),
      !proposal.names.contains(where: { $0.kind == .expiration })
    {
      (proposal.names[end].kind, proposal.names[end].confidence) = (.expiration, 0.8)
    }
    // Where later payments have a name of their own, the other payments are the first ones.
    let isOfOthers = proposal.names.contains { name in
      name.kind == .conversion && !NameWords.words(of: name.name).contains { $0.hasPrefix("trial") }
    }
    guard answers.othersHaveRenewals || proposal.names.contains(where: { $0.kind == .renewal }), !isOfOthers else {
      return
    }
    for place in proposal.names.indices
    where proposal.names[place].kind == .payment && answers.events[proposal.names[place].name] == nil {
      (proposal.names[place].kind, proposal.names[place].confidence) = (.conversion, 0.8)
    }
  }

  /// Takes a name such as `new` for first payments, beside a name of renewals, where its records have a product and an
  /// amount, or no other name is that of payments, and they come once for each user and for nearly all with renewals.
  mutating func findFirstPayments() {
    findActivations()
    guard moments.isEmpty, !isOfOneKind, proposal.names.contains(where: { $0.kind == .renewal }),
      let price = chosen[.price]?.column, let product = chosen[.productID]?.column
    else { return }
    let (names, kinds, users) = (recordNames(), recordKinds(), chosen[.userID].map { scores.codes($0.column) } ?? [])
    let priced = columns[price].rows(with: columns[price].codes { !Self.isZero($0) })
    let counts = nameCounts(of: priced.intersection(columns[product].rows))
    let isUntold = !kinds.contains { $0 == .conversion || $0 == .payment }
    let renewed = Set(users.indices.filter { kinds[$0] == .renewal }.map { users[$0] })
    func isOfFirst(_ place: Int) -> Bool {
      let own = users.indices.filter { names[$0] == place }.map { users[$0] }
      return isUntold && own.count >= 10 && Set(own).count * 50 >= own.count * 49
        && renewed.intersection(own).count * 20 >= renewed.count * 19
    }
    for (place, name) in proposal.names.enumerated()
    where isOpen(name) && !KindWords.isIntent(name.name) && counts[place] * 100 >= name.count * 95
      && (KindWords.paymentKind(of: name.name) == .conversion || !KindWords.isFailure(name.name) && isOfFirst(place))
    {
      (proposal.names[place].kind, proposal.names[place].confidence) = (.conversion, 0.8)
    }
  }

  /// Reads renewals as payments where they follow most trials as their first payment, as the stores call it.
  mutating func findRenewalsAfterTrials() {
    let renewals = proposal.names.indices.filter {
      proposal.names[$0].kind == .renewal && answers.events[proposal.names[$0].name] == nil
    }
    let hasTrials =
      proposal.names.contains { $0.kind == .trialStart } || splits.contains { $0.kind == .trialStart }
    guard !renewals.isEmpty, hasTrials, !hasUnknownPayments else { return }
    var (renewed, others) = (0, 0)
    for own in toldByUser() {
      for (trial, next) in zip(own, own.dropFirst()) where trial.kind == .trialStart {
        if next.kind == .renewal, renewals.contains(next.name) {
          renewed += 1
        } else if next.kind == .conversion || next.kind == .payment {
          others += 1
        }
      }
    }
    guard renewed >= 5, renewed > 3 * others else { return }
    for place in renewals {
      proposal.names[place].kind = .payment
      proposal.names[place].confidence = min(proposal.names[place].confidence, 0.8)
    }
    let names = renewals.map { proposal.names[$0].name }
    proposal.warnings.append(
      "\(names.joined(separator: ", ")): \(renewed) trials have it as their first payment, so it is read as `payment`, which "
        + "takes the first after a trial as its conversion; `--event '\(names[0])=renewal'` reads all as renewals")
  }

  /// Whether a name without a meaning has products and amounts, so that first payments may be among them.
  var hasUnknownPayments: Bool {
    guard moments.isEmpty, let price = chosen[.price]?.column, let product = chosen[.productID]?.column else {
      return false
    }
    let sold = Set(columns[product].rows)
    let counts = nameCounts(of: columns[price].rows.lazy.filter(sold.contains))
    return proposal.names.indices.contains { place in
      let name = proposal.names[place]
      return name.kind == nil && !name.isToldByOthers && !KindWords.isIntent(name.name)
        && !KindWords.isFailure(name.name) && name.count >= 5 && counts[place] * 100 >= name.count * 95
    }
  }

  /// Warns of a name without a meaning that may be that of trials, where none is: its records have products and come
  /// before payments.
  mutating func warnOfUnknownTrials() {
    guard moments.isEmpty, !isOfOneKind, !recordKinds().contains(.trialStart), let (user, time) = userAndTime,
      let product = chosen[.productID]?.column ?? chosen[.plan]?.column
    else { return }
    let (kinds, names, users) = (recordKinds(), recordNames(), scores.codes(user))
    let amounts = Set(chosen[.price].map { columns[$0.column].rows } ?? [])
    let times = columns[time].instantOfRow
    var paid: [UInt64: Int64] = [:]
    for (row, ts) in times where kinds[Int(row)].map(Self.paid.contains) ?? false {
      paid[users[Int(row)]] = min(paid[users[Int(row)]] ?? ts, ts)
    }
    var counts = [(all: Int, before: Int)](repeating: (0, 0), count: proposal.names.count)
    for row in columns[product].rows where !amounts.contains(row) {
      guard let name = names[Int(row)], let ts = times[row] else { continue }
      counts[name].all += 1
      if let first = paid[users[Int(row)]], first - ts >= Instant.millisecondsPerDay { counts[name].before += 1 }
    }
    let found = proposal.names.indices.filter { place in
      let name = proposal.names[place]
      return isOpen(name) && name.count >= 10
        && (!KindWords.isOffer(name.name) || KindWords.isStart(name.name)) && !KindWords.isFailure(name.name)
        && counts[place].all * 100 >= name.count * 95 && counts[place].before * 5 >= name.count
    }
    guard let most = found.max(by: { counts[$0].before < counts[$1].before }) else { return }
    let name = proposal.names[most].name
    proposal.warnings.append(
      "\(name) (\(Self.records(proposal.names[most].count))): left out, though its records have a product and "
        + "\(counts[most].before) of them come before the user's first payment; if trials begin with it: "
        + "`\("--event \("\(name)=trial_start".shellWord)")`")
  }

  /// Ignores a name of payments that tells again what other names tell: of the same user, at the same time, with the
  /// same product and amount. Names whose kind an option gives are kept.
  mutating func findDoubleTellings() {
    var names = proposal.names.indices.filter { proposal.names[$0].kind.map(Self.paid.contains) ?? false }
    guard !isOfOneKind, names.count > 1 else { return }
    let told = toldByUser()
    let trials = Set(proposal.names.indices.filter { proposal.names[$0].kind == .trialStart })
    // Beside a name of renewals, one of payments is taken for that of first ones.
    func isPlain(_ place: Int) -> Bool {
      proposal.names[place].kind == .payment || KindWords.meaning(of: proposal.names[place].name) == .kind(.payment)
    }
    // Names that do not tell first from later payments go first.
    let order = names.sorted { left, right in
      let (first, second) = (proposal.names[left], proposal.names[right])
      return (isPlain(left) ? 0 : 1, first.count, first.name) < (isPlain(right) ? 0 : 1, second.count, second.name)
    }
    for place in order where names.count > 1 && answers.events[proposal.names[place].name] == nil {
      let isPlain = isPlain(place)
      let others = Set(names.filter { $0 != place && answers.events[proposal.names[$0].name] == nil })
      var (again, all) = (0, 0)
      var met: Set<Int> = []
      for own in told {
        var near = 0
        for record in own where record.name == place {
          all += 1
          while own[near].ts < record.ts - Self.tellingsApart { near += 1 }
          let same = own[near...].prefix { $0.ts <= record.ts + Self.tellingsApart }.first { other in
            if isPlain, trials.contains(other.name) {
              return record.product == 0 || other.product == 0 || other.product == record.product
            }
            // A client's amount may be another than the server's.
            let isSame =
              other.product == record.product && (other.amount == record.amount || isPlain && record.product != 0)
            return others.contains(other.name) && other.amount != 0 && isSame
          }
          guard let same else { continue }
          again += 1
          met.insert(same.name)
        }
      }
      guard all >= 5, again * 10 >= all * 9, !met.isDisjoint(with: others) else { continue }
      names.removeAll { $0 == place }
      let name = proposal.names[place].name
      let list = met.sorted().map { proposal.names[$0].name }.joined(separator: ", ")
      proposal.names[place].kind = nil
      proposal.names[place].isToldByOthers = true
      proposal.warnings.append(
        "\(name) (\(Self.records(proposal.names[place].count))): left out, because the same payments are in \(list); "
          + "`--event '\(name)=payment'` counts both")
    }
  }

  /// Warns of payments at the start of trials, which make these count as paid at once.
  mutating func warnOfPaymentsAtTrials() {
    let zeros = chosen[.price].map { columns[$0.column].codes(where: Self.isZero) }
    var trials = 0
    var counts: [Int: Int] = [:]
    for own in toldByUser() {
      for trial in own where trial.kind == .trialStart {
        trials += 1
        let near = own.first { other in
          Self.paid.contains(other.kind) && other.amount != 0 && zeros?.contains(other.amount) != true
            && abs(other.ts - trial.ts) <= Self.tellingsApart
        }
        if let near { counts[near.name, default: 0] += 1 }
      }
    }
    guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value >= 3,
      most.value * 10 >= trials
    else { return }
    let name = proposal.names[most.key].name
    proposal.warnings.append(
      "\(name): \(most.value) of \(trials) trials have it within 10 minutes of their start, so they count as paid; if it "
        + "also tells that a trial began, `\("--event \("\(name)=ignore".shellWord)")` leaves it out")
  }

  /// Takes a name without a meaning for that of renewals: its records have an amount and a product of first payments, and
  /// nearly all come five days or more after the first payment of their user.
  mutating func findRenewals() {
    guard moments.isEmpty, !isOfOneKind, let user = chosen[.userID]?.column, let time = chosen[.ts]?.column,
      let price = chosen[.price]?.column, let product = chosen[.productID]?.column,
      columns[time].instants.count == columns[time].rows.count
    else { return }
    let (names, kinds) = (recordNames(), recordKinds())
    if kinds.contains(.renewal) { return }
    let (users, products) = (scores.codes(user), scores.codes(product))
    let times = Dictionary(zip(columns[time].rows, columns[time].instants)) { first, _ in first }
    let paid = columns[price].rows(with: columns[price].codes { !Self.isZero($0) && !$0.hasPrefix("-") })
    var (first, sold): ([UInt64: Int64], Set<UInt64>) = ([:], [])
    for (row, ts) in times where kinds[Int(row)] == .conversion {
      first[users[Int(row)]] = min(first[users[Int(row)]] ?? ts, ts)
      sold.insert(products[Int(row)])
    }
    let found = proposal.names.indices.filter { place in
      let name = proposal.names[place]
      guard isOpen(name), !KindWords.isFailure(name.name), !KindWords.isIntent(name.name),
        !KindWords.isHeld(name.name), !KindWords.isReversal(name.name)
      else { return false }
      let own = names.indices.filter { names[$0] == place }
      let late = own.count { row in
        guard let ts = times[UInt32(row)], let began = first[users[row]], sold.contains(products[row]) else {
          return false
        }
        return ts - began >= 5 * Instant.millisecondsPerDay && paid.contains(UInt32(row))
      }
      return own.count >= 10 && late * 20 >= own.count * 19
    }
    guard found.count == 1 else { return }
    (proposal.names[found[0]].kind, proposal.names[found[0]].confidence) = (.renewal, 0.7)
    let name = proposal.names[found[0]]
    proposal.warnings.append(
      "\(name.name) (\(Self.records(name.count))): read as renewals, because each follows the first payment of its user for "
        + "the same products by five days or more; if it is something else: "
        + "`\("--event \("\(name.name)=ignore".shellWord)")`")
  }
}
