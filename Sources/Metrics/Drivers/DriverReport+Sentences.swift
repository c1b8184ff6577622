internal import EventModel
import Foundation
internal import Store

/// The answer in words.
extension DriverReport {
  var partsDefinition: String {
    switch measure {
    case .count(let met, _):
      "volume: the segment's own \(met) \(compared == nil ? "changed" : "differ"). The parts of one cut add up to the "
        + (compared == nil ? "change" : "difference")
    case .share(let met, let units) where compared != nil || !arms.isEmpty:
      "mix: the segment has another share of the \(units) in each \(arms.isEmpty ? "group" : "arm"). rate: its own share of "
        + "\(met) differs. The parts of one cut add up to the difference"
    case .share(let met, let units):
      "mix: the segment's share of \(units) changed. rate: its own share of \(met) changed. The parts of one cut add up to "
        + "the change"
    case .money(let column):
      "volume: the segment has more or fewer \(column == .refunded ? "refunds" : "payments"). rate: they are larger or "
        + "smaller on average. The parts of one cut add up to the change"
        + (!appsWithRefunds.isEmpty ? ". \(Report.refundsAreUnits)" : "")
    case .recurring: Self.movementDefinition[0]
    }
  }

  private var unitWord: String { money != nil ? "payment" : kind == .recovery ? "failed charge" : "user" }

  /// Returns the user whose payments changed by more than the standard error of all others' change (9.5): any segment of
  /// theirs would stand out for them alone. Only of many users is it a surprise.
  func singleUser(_ before: [Int32: Int], _ now: [Int32: Int], scale: Double) -> (user: Int32, moved: Double)? {
    let users = Set(before.keys).union(now.keys).sorted()
    guard users.count >= DriverSearch.fewestUnits else { return nil }
    let moved = users.map { (user: $0, moved: Double(now[$0] ?? 0) - Double(before[$0] ?? 0) * scale) }
    guard let most = moved.max(by: { abs($0.moved) < abs($1.moved) }) else { return nil }
    let squares = moved.reduce(0) { $0 + $1.moved * $1.moved }
    return most.moved * most.moved > squares / 2 ? most : nil
  }

  /// A clause on the user whose payments the search leaves out.
  func clause(of single: (user: Int32, moved: Double)) -> String {
    let amount = amountText(Int((abs(single.moved) * unit).rounded()))
    return "; the payments of one user alone \(single.moved < 0 ? "fell" : "rose") by \(amount), and the search leaves "
      + "them out"
  }

  /// When a failed charge counts.
  private func wait(_ sides: Sides) -> String? {
    guard kind == .recovery, case .report(let own) = sides, let days = Recovery.ages.last, let end = own.now.end else {
      return nil
    }
    return "each counts after \(days) days, those of these days from \(CivilDate(daysSince1970: end + days)) on"
  }

  /// The answer in one sentence.
  ///
  /// - Parameters:
  ///   - alike: How many of the largest segments moved as the number did.
  ///   - isOfData: Whether a fault of the data is told next.
  ///   - week: The newest week whose users count, where those of a side do not.
  ///   - left: Clauses on what the search leaves out.
  func sentence(
    _ app: String, _ number: ComparedNumber, _ found: [DriverSearch.Found], _ alike: (moved: Int, of: Int),
    _ sides: Sides, _ week: SettledWeek?, left: String = "", isOfData: Bool = false, isAlone: Bool
  ) -> String {
    if case .arms(let arms) = sides { return sentence(arms, number, found, isAlone: isAlone) }
    let name = isAlone ? "" : "\(app): "
    let isOfOne = number.beforeCount != number.nowCount
    if number.beforeCount == 0 || number.nowCount == 0 {
      let isBefore = number.beforeCount == 0
      // A payment counts at once: that there is none is an answer.
      if money != nil, compared == nil {
        if !isOfOne { return "\(name)there are no payments on these days or on the days before" }
        return isBefore
          ? "\(name)there are no payments on the days before, so nothing can be compared"
          : "\(name)there are no payments on these days, and there were \(number.beforeCount ?? 0) on the days before: look for a "
            + "fault in the store or in the data before any other cause"
      }
      let side =
        if let compared {
          isOfOne ? isBefore ? "\(compared)" : "the others" : "either group"
        } else {
          isOfOne ? isBefore ? "the days before" : "these days" : "these days or the days before"
        }
      let chosen = request.options.filters.map(\.description).joined(separator: " ")
      // Both sides are of the same age: where users of these days count, earlier ones are not too recent.
      if isOfOne, isBefore, compared == nil, !chosen.isEmpty {
        return
          "\(name)not known: no \(unitWord) of the days before counts; perhaps there was no \(chosen) yet. If there was, "
          + "ask for earlier days with --from and --to"
      }
      return "\(name)not known: no \(unitWord) of \(side) counts yet; "
        + (week?.clause ?? wait(sides) ?? "ask for earlier days with --from and --to")
    }
    guard let change = number.change, let p = number.p else { return "\(name)not known: \(number.reason)" }
    let isFound = found.contains { $0.p <= question.level }
    let whole = compared == nil ? "change" : "difference"
    if found.isEmpty {
      return name + (p < 0.05 ? "more than chance explains" : "chance alone can explain") + " the \(whole)"
        + "\(left); nothing \(left.isEmpty ? "" : "else ")was searched, because a segment needs \(DriverSearch.fewestUnits) "
        + "\(unitWord)s, and others outside it"
    }
    if compared != nil {
      if isFound { return "\(name)the difference is not the same everywhere" }
      return p < 0.05
        ? "\(name)the groups differ by more than chance explains, but no segment is shown to differ from the rest"
        : "\(name)chance alone can explain the \(whole), and no segment stands out"
    }
    let word = change < 0 ? "fell" : "rose"
    let size = isOfSum || abs(change) >= 0.0005 ? sizeText(change, ofWhole: true) : "less than 0.1 pp"
    let moved = change == 0 ? "\(name)it did not change" : "\(name)it \(word) by \(size)"
    let isOfChance = p >= 0.05 && change != 0
    if !left.isEmpty { return moved + left + (isFound ? "" : ". Beyond that, no segment stands out") }
    if isFound { return moved + (isOfChance ? ", which chance alone can explain" : "") }
    if isOfData { return moved }
    if p < 0.05 {
      return
        "\(moved), more than chance explains, but no segment is shown to differ from the rest: "
        + "\(alike.moved == alike.of ? "all" : "\(alike.moved)") of the \(alike.of) largest segments \(word), too"
    }
    if !isOfChance { return "\(moved), and no segment stands out" }
    return
      "\(moved), which chance alone can explain\(range(of: number)). No segment stands out. Longer periods would show "
      + "smaller changes"
  }

  /// The interval of a change that may be none; empty if it has too few digits or leaves no change out, as that of a count may,
  /// whose p is exact.
  private func range(of number: ComparedNumber) -> String {
    guard let interval = number.interval, interval.contains(0), isOfSum || interval.high - interval.low >= 0.001
    else {
      return ""
    }
    let ends = [interval.low, interval.high].map { signedText($0, ofWhole: true) }
    let unit = ends[1].lastIndex(of: " ").map { ends[1][$0...] } ?? ""
    return ": the true change may be between \(ends[0].dropLast(unit.count)) and \(ends[1])"
  }

  /// Says that a segment has another share of refunds, or its payments are of other plans or products, if that is at
  /// least half of the change of its money per payment: with the value whose share moved it most, and both parts of the
  /// change, split as a mean is (10.2).
  func mixture(of found: FoundDriver, _ row: Row) -> (what: String, advice: String)? {
    let (table, segment) = (found.table, found.driver.segment)
    let (before, now) = (found.driver.before, found.driver.now)
    guard money != nil, found.driver.score.part == .rate, let change = row.contribution, let a = before.mean,
      let b = now.mean
    else { return nil }
    typealias Sides = (before: DriverCounts.Count, now: DriverCounts.Count)
    var splits: [(name: String, counts: [String: Sides])] = []
    let strata = table.strata.filter { segment.contains($0.values) }
    let refunds = strata.reduce(into: (before: DriverCounts.Count(), now: DriverCounts.Count())) {
      $0.before += $1.refunds.before
      $0.now += $1.refunds.now
    }
    let units = kind.driverUnits(of: question.column)
    if refunds.before.units + refunds.now.units > 0 {
      splits.append(("refunds", ["refunds are": refunds, "": (before - refunds.before, now - refunds.now)]))
    }
    for (place, dimension) in table.dimensions.enumerated() where [.plan, .product].contains(dimension) {
      if segment.cut.contains(place) { continue }
      splits.append(
        (
          "the mix of \(dimension.name)s",
          strata.reduce(into: [:]) { counts, stratum in
            let name = "\(dimension.name) \(table.values[place][stratum.values[place]]) is"
            counts[name, default: (.init(), .init())].before += stratum.before
            counts[name, default: (.init(), .init())].now += stratum.now
          }
        ))
    }
    for split in splits {
      let mixes = split.counts.sorted { precedesInBytes($0.key, $1.key) }.map { name, own in
        let shares = (
          before: Double(own.before.units) / Double(before.units), now: Double(own.now.units) / Double(now.units)
        )
        let mean = ((own.before.mean ?? own.now.mean ?? 0) + (own.now.mean ?? own.before.mean ?? 0)) / 2
        return (name: name, shares: shares, mix: (shares.now - shares.before) * (mean - (a + b) / 2))
      }
      let payments = (Double(before.units) * table.scale + Double(now.units)) / 2
      let all = Int((change * unit * 1e6).rounded())
      let mixed = Int((mixes.reduce(0) { $0 + $1.mix } * payments * unit).rounded())
      guard mixed.signum() == all.signum(), abs(mixed) * 2 >= abs(all),
        let most = mixes.filter({ !$0.name.isEmpty }).max(by: { $0.mix * change < $1.mix * change })
      else { continue }
      return (
        "\(most.name) \(percent(most.shares.now)) of these \(units), after \(percent(most.shares.before))",
        " (\(signedAmountText(mixed)) by \(split.name), \(signedAmountText(all - mixed)) by other amounts). "
          + (split.name != "refunds"
            ? "Look at which plans these users are offered, and at what prices"
            : "Look at what was refunded\(most.shares.now > most.shares.before ? ", and why" : " before")")
      )
    }
    return nil
  }

  /// Says where the number changed between two periods, by how much, and where to look next.
  ///
  /// - Parameters:
  ///   - whole: All units of both sides.
  ///   - onset: The day from which the first driver moved.
  ///   - mixture: See ``mixture(of:_:)``; of the first driver.
  ///   - isBeyond: Whether the sentence has told a part of the change that the search leaves out.
  func advice(
    _ app: String, _ number: ComparedNumber, _ findings: [Row], _ found: [Row], _ suspects: [Row],
    _ whole: (before: DriverCounts.Count, now: DriverCounts.Count), onset: Int?,
    mixture: (what: String, advice: String)?, isBeyond: Bool
  ) -> String {
    guard arms.isEmpty, compared == nil, let change = number.change, let p = number.p else { return "" }
    let units = kind.driverUnits(of: question.column)
    let counted =
      switch measure {
      case .share(let met, _) where met.hasSuffix("users"), .count(let met, _) where met.hasSuffix("users"):
        met.replacing("_", with: " ")
      case .money where appsWithRefunds.contains(app): "payments and refunds"
      case .money, .recurring: units
      case .share, .count: units == "users" ? "users who count" : "\(units) that count"
      }
    if let missing = findings.first(where: { $0.cut == "days" }) {
      let ranges = missing.part.split(separator: " ").map { $0.replacing("..", with: " to ") }
      let days = ranges.count > 2 ? "some days" : ranges.joined(separator: " and ")
      // Longer trials leave days without first payments.
      let trial = suspects.first { $0.cut == "trial_length" }.map { "at \(news($0)), and " } ?? ""
      return "; on \(days), there are \(missing.segment). Look \(trial)for lost events before any other cause"
    }
    if let outage = findings.first(where: { $0.cut == Dimension.country.name || $0.cut == Dimension.platform.name }) {
      let isLasting = outage.part.hasPrefix(Self.since)
      let part = outage.part.split(separator: ": ").map { $0.replacing("..", with: " to ") }
      return
        "; \(isLasting ? "" : "on ")\(part[0]), \(words(outage)) had far fewer \(counted) than on other days: "
        + "\(part[1]). Look "
        + (isLasting
          ? "first for a release or a fault of the store"
          : "for a fault of the store, or of the data, before any other cause")
    }
    if let driver = found.first, driver.verdict == .driver {
      let part = driver.contribution ?? 0
      let isRising = part > 0
      let isOfMoney = money != nil
      let isNew = driver.part == "mix" && driver.before.units == 0 && driver.rank == 1
      let (before, now) = (driver.before, driver.now)
      let (name, isUp, numbers): (String, Bool, [String])
      switch driver.part {
      case "mix":
        let shares = [
          Double(before.units) / Double(whole.before.units), Double(now.units) / Double(whole.now.units),
        ]
        (name, isUp, numbers) = ("its share of the \(units)", shares[1] > shares[0], shares.map(percent))
      case "rate":
        (name, isUp) = (isOfMoney ? "money per \(units.dropLast())" : "its rate", isRising)
        numbers = [before, now].map {
          isOfMoney ? amountText(Int((($0.mean ?? 0) * unit).rounded())) : percent($0.mean)
        }
      default:
        let isOfUnits =
          if case .count(let met, let units) = measure { met == units || met.hasSuffix("users") } else { true }
        (name, isUp) = (isOfUnits ? counted : "its number", driver.z ?? 0 > 0)
        numbers = [before, now].map { grouped(isOfMoney ? $0.units : $0.sum) }
      }
      // Later drivers are counted without the users of earlier ones, and sides of different length have other numbers.
      let earlier = found.filter { ($0.rank ?? 0) < (driver.rank ?? 0) }.map { words($0) }
      let outside = earlier.isEmpty ? "" : "among \(units) outside \(earlier.joined(separator: " and ")), "
      let hasNumbers = driver.rank == 1 && !clauses.contains { $0.hasPrefix(Report.scaled) }
      let what =
        isNew
        ? "nobody had it before, and its rate is \(percent(now.mean)), against "
          + "\(percent((whole.now - now).mean)) for all others"
        : mixture?.what
          ?? "\(outside)\(name) \(isUp ? "rose" : "fell")\(hasNumbers ? " from \(numbers[0]) to \(numbers[1])" : "")"
      let segment = words(driver)
      let isMost = part * change > 0 && abs(part) * 2 >= abs(isOfMoney ? change / 1e6 : change)
      let stands = "\(segment) \(segment.hasSuffix("payments") ? "stand" : "stands") out"
      let place =
        isBeyond
        ? ". Beyond that, \(stands)"
        : p >= 0.05 ? ", but \(stands)" : isMost ? ", mostly in \(segment)" : ", and \(stands)"
      let which = "\(isNew ? "; this" : ", which") is "
      let since = (isNew ? nil : onset).map { ", starting on \(CivilDate(daysSince1970: $0))" } ?? ""
      return
        "\(place): \(what)\(since)\(which)\(signedText(part, ofWhole: false)) of the change"
        + (mixture?.advice
          ?? suspects.first { isBehind($0, driver) }.map { ". Look first at \(news($0))" }
          ?? ". Look at what happened to these users: a release, a price, a campaign or a fault of the store")
    }
    if p >= 0.05 || change == 0 || isBeyond { return "" }
    if let suspect = suspects.first(where: { $0.cut == "trial_length" })
      ?? suspects.first(where: { $0.cut != Dimension.appVersion.name }) ?? suspects.first
    {
      let look = whole.now.units == 0 ? "Then look" : "Look first"
      return ". \(look) at what changed on these days, such as \(news(suspect))"
    }
    return ". Look for a cause of all users: a season, the paywall, prices, or lost events"
  }

  /// Whether a suspect has all users of a driver, or is a new trial length, which moves first payments.
  private func isBehind(_ suspect: Row, _ driver: Row) -> Bool {
    let values = driver.segment.split(separator: ",")
    return suspect.rank == driver.rank || suspect.cut == "trial_length" && values.contains("stage=1")
      || suspect.segment.split(separator: ",").allSatisfy(values.contains)
  }

  private func words(_ row: Row) -> String { Report.words(ofSegment: row.segment, cut: row.cut) }

  /// A change on the days of either side, in words.
  private func news(_ suspect: Row) -> String {
    if suspect.cut == "note" { return "the note “\(suspect.segment)”" }
    let what = suspect.part.split(separator: " ", maxSplits: 1)
    let name =
      (suspect.cut == "price" ? "prices of " : "")
      + words(suspect).replacing("variant \(Dimension.absent), ", with: "", maxReplacements: 1)
    if what.count < 2 { return what.isEmpty ? name : "\(name), new on \(what[0])" }
    return "\(name), \(what[1] == "last" ? "last seen" : what[1]) on \(what[0])"
  }

  private func percent(_ share: Double?) -> String { String(format: "%.1f%%", (share ?? 0) * 100) }

  /// Returns a change with its sign; one that rounds to 0 has none.
  private func signedText(_ change: Double, ofWhole: Bool) -> String {
    let size = sizeText(change, ofWhole: ofWhole)
    let isZero = !size.contains { ("1"..."9").contains($0) }
    return isZero ? size : "\(change < 0 ? "−" : "+")\(size)"
  }

  /// Returns a change without its sign.
  private func sizeText(_ change: Double, ofWhole: Bool) -> String {
    switch measure {
    case .share: String(format: "%.1f pp", abs(change) * 100)
    case .count: grouped(Int(abs(change).rounded()))
    case .money, .recurring: amountText(Int((abs(change) * (ofWhole ? unit : unit * 1e6)).rounded()))
    }
  }
}

extension Report {
  /// Returns a segment of `why`, such as `app_version=7.0.0,stage=1`, as `app version 7.0.0, first payments`.
  ///
  /// - Parameter cut: The dimensions of the segment, in order, or `price`.
  public static func words(ofSegment segment: String, cut: String) -> String {
    var text = ",\(segment)".replacing(#/,stage=1(?![^,])/#, with: ", first payments")
    for name in (cut == "price" ? "variant,paywall,country" : cut).split(separator: ",") {
      // A property is called as it is.
      let property = "property:"
      let own = name.hasPrefix(property) ? name.dropFirst(property.count) : name.replacing("_", with: " ")
      text = text.replacing(",\(name)=", with: ", \(name == "stage" ? "payment" : own) ", maxReplacements: 1)
    }
    return String(text.dropFirst(text.hasPrefix(", ") ? 2 : 1))
  }
}
