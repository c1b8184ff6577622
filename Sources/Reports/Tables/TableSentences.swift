import Basics
import EventModel
import Metrics
import Statistics

/// The sentences below a table, the most important first.
extension TableBuilder {
  func sentences() -> [SummaryTable.Note] {
    (report.name == "funnel" ? comparisons() : [])
      + (others + [parameter("rates").map { "\($0)." }].compactMap(\.self)).map { SummaryTable.Note(text: $0) }
  }

  private var others: [String] {
    switch report.name {
    case "funnel": return [missingTrials, immature].compactMap(\.self)
    case "paths": return [outcomes, isForPage ? nil : times, immature].compactMap(\.self)
    case "trials":
      let open = sum("pending_renewing") + sum("pending_cancelled")
      let early = max(0, sum("trials") - sum("matured") - open)
      let last =
        open == 0
        ? nil
        : (open == 1
          ? "\"Can end at\": the rate if the open trial does not convert, and if it does."
          : "\"Can end at\": the rate if none, or all, of the \(countText(open)) open trials convert.")
          + (early == 0 ? "" : " Both rates include \(countText(early)) that converted before their end.")
      return [last, mixedTrials, overOutside].compactMap(\.self)
    case "cancellations": return [noCancellations, reasons, notKnownYet].compactMap(\.self)
    case "retention", "retention_cohorts", "ltv", "value":
      return [notKnownYet].compactMap(\.self) + valueNotes
    case "refunds":
      return [
        notKnownYet,
        "Refunds count on the day of their payment; in `revenue`, on the day they were paid back.",
      ].compactMap(\.self)
    case "backtest": return backtestNotes
    case "payback":
      return [usersWithoutSpend, noCampaigns].compactMap(\.self)
        + notes(in: "predicted_note")
    case "recovery": return [repriced].compactMap(\.self)
    case "cadence":
      return [
        "Each view counts by itself: a trial or payment belongs to the last view before it, so rates are lower than in "
          + "`funnel`.", missingTrials,
      ].compactMap(\.self)
    case "saves":
      return [
        "\"Saved\" counts only cancellations whose outcome is known; \"within 7 d\" includes the most recent ones."
      ]
    case "subscriptions": return [olderThanData].compactMap(\.self)
    case "winback" where places["came_back_30_rate"].map({ place in rows.contains { $0[place].share != nil } }) == true:
      return ["\"Within 30 d\" is an estimate that also uses subscriptions that ended recently."]
    case "savings":
      let several = places["price_pairs"].map { place in rows.contains { count($0, place) > 1 } } ?? false
      return several
        ? ["Rows with several prices show the pair seen most: --by variant, or --columns +price_pairs."] : []
    case "gates":
      return [
        "Users who pay or leave early never hit a limit, so the two shares do not show the effect of a limit."
      ]
    case "activity" where !isOneApp && !isForPage:
      return [report.answer].compactMap(\.self)
    case "quarantine": return fixes
    default: return []
    }
  }

  /// A sentence on a total of store trials and of trials that apps give themselves, whose cancellations nobody knows.
  private var mixedTrials: String? {
    guard !isOneApp, places["trial_kind"] == nil, let rate = places["cancel_rate"], let matured = places["matured"],
      let app = places["app"]
    else { return nil }
    let known = rows.filter { count($0, matured) > 0 }
    let withStore = Set(known.filter { $0[rate].storedText != nil }.map { $0[app] })
    let own = Set(known.map { $0[app] }).subtracting(withStore).compactMap(\.textValue).sorted(by: precedesInBytes)
    if withStore.isEmpty || own.isEmpty || own.count > 5 { return nil }
    return "\"All\" adds up store trials and the trials that \(listText(own.map(text))) "
      + "\(own.count == 1 ? "gives" : "give") without the store: --by trial_kind separates them."
  }

  /// A sentence on the new subscriptions that are older than the data.
  private var olderThanData: String? {
    let older = report.newOlderThanData
    return older == 0 ? nil : "\(countText(older)) of the new began before the data."
  }

  /// A sentence on the users who count in the total of payback, but not in its cost and return.
  private var usersWithoutSpend: String? {
    guard let status = places["status"], let persons = places["persons"], rows.count > 1 else { return nil }
    let without = rows.filter { $0[status] == .text("no_spend") }
    let users = without.reduce(0) { $0 + count($1, persons) }
    if users == 0 || without.count == rows.count { return nil }
    return "Cost and return of \"all\" leave out \(userText(users)) without spend."
  }

  /// Says that no user came by a campaign, where rows are by campaign; likewise for sources and ad groups.
  private var noCampaigns: String? {
    guard let key = ["campaign", "source", "ad_group"].first(where: { places[$0] != nil }), let place = places[key],
      sum("persons") > 0,
      !rows.contains(where: { row in
        row[place] != .text("(organic)") && places["persons"].map { count(row, $0) > 0 } == true
      })
    else { return nil }
    return "No event names \(key == "ad_group" ? "an ad group" : "a \(key)"), so all users are (organic)"
      + (key == "campaign" ? ": --campaign-property NAME reads another property." : ".")
  }

  /// A sentence on why the rate of finished trials may be outside the possible range of all trials.
  private var overOutside: String? {
    guard let over = places["trial_to_paid_rate"], let low = places["floor_rate"], let high = places["ceiling_rate"]
    else { return nil }
    let isOutside = rows.contains { row in
      guard let rate = row[over].share, let floor = row[low].share, let ceiling = row[high].share else { return false }
      return rate < floor || rate > ceiling
    }
    return isOutside
      ? "\"Of those over\" can lie outside \"can end at\": the first trials to end convert differently from the rest."
      : nil
  }

  /// A sentence on why the parts of the money at risk do not add up to it.
  private var repriced: String? {
    guard let place = places["repriced"] else { return nil }
    let amounts = rows.compactMap { row in if case .money(let amount?, _) = row[place] { amount } else { nil } }
    let sum = amounts.reduce(0, +)
    guard sum != 0, let currency else { return nil }
    let text = ReportValue.money(abs(sum), currency: currency).readableNumber(percentDecimals: 1) ?? ""
    return
      "In all, the payments that recovered charges were \(text) \(currency) \(sum > 0 ? "higher" : "lower") than the "
      + "charges: the price, plan or offer had changed."
  }

  /// How to fix the lines of each reason listed.
  private var fixes: [String] {
    guard let reason = places["reason"] else { return [] }
    let reasons = rows.compactMap { $0[reason].textValue }.inGroups(by: \.self).map(\.key)
    return reasons.prefix(8).map { "\(self.text($0)): \(Quarantine.fix($0))" }
  }

  /// Each variant against control, of one app by variant alone.
  private func comparisons() -> [SummaryTable.Note] {
    guard isOneApp, parameter("by") == "variant", parameter("unit") != "view", let variant = places["variant"],
      let users = places["users"], let paid = places["paid_users"],
      case let named = rows.filter({ $0[variant].textValue?.hasPrefix("(") == false && count($0, users) > 0 }),
      let name = controlVariant(of: named.compactMap { $0[variant].textValue }),
      let control = named.first(where: { $0[variant] == .text(name) })
    else { return [] }
    let base = Proportion(successes: Double(count(control, paid)), trials: Double(count(control, users)))
    let others = named.filter { $0[variant] != control[variant] }
    guard others.count <= 2 else { return [] }
    return others.compactMap { row in
      let own = Proportion(successes: Double(count(row, paid)), trials: Double(count(row, users)))
      let pair = "\(text(row[variant].textValue ?? "")) against \(text(control[variant].textValue ?? ""))"
      guard AsymptoticSequence.isReady(own, base) else {
        return SummaryTable.Note(text: "\(pair): too few users to compare.", isBetter: nil)
      }
      guard let interval = miettinenNurminenDifference(own, base), let one = own.estimate, let two = base.estimate,
        let difference = pointsNumber(one - two), let bounds = pointsBounds(interval.low, interval.high)
      else { return nil }
      let isMore = interval.low > 0 || interval.high < 0
      return SummaryTable.Note(
        text: "\(pair): \(difference) pp payers (\(bounds)), "
          + (isMore ? "more than chance." : "not more than chance."),
        isBetter: isMore ? interval.low > 0 : nil)
    }
  }

  private var immature: String? {
    let count = sum("immature")
    if count == 0 { return nil }
    // Those of the apps that the table is of; the parameter names all apps of the report.
    let own = report.asOf.flatMap(\.notes).filter { $0.hasPrefix("horizon ") }
    let texts = parameter("horizon_days").map { own.isEmpty ? [$0] : own } ?? []
    let horizons = texts.flatMap { $0.split { !$0.isNumber && $0 != "." } }.compactMap { Double($0) }.sorted()
    let range = [horizons.first, horizons.last == horizons.first ? nil : horizons.last].compactMap {
      $0.map { fixed($0, 0) }
    }
    let days =
      range.isEmpty
      ? "7 days, a trial and grace" : range == ["1"] ? "1 day" : "\(range.joined(separator: " to ")) days"
    if report.name == "paths" {
      return count == 1
        ? "1 user is too recent to count: less than \(days) since the entry."
        : "\(countText(count)) users are too recent to count: less than \(days) since they entered."
    }
    return count == 1
      ? "1 viewer is too recent to count: less than \(days) since the first paywall."
      : "\(countText(count)) viewers are too recent to count: less than \(days) since the first paywall."
  }

  /// A sentence on how users left who did not start.
  private var outcomes: String? {
    guard let left = places["sheet_left"], places["no_trace"] != nil else { return nil }
    let (sheets, dismissed) = (sum("sheet_left"), sum("dismissed"))
    let all = sheets + dismissed + sum("no_trace")
    // If an app sends neither event, it is not known how users leave.
    if all == 0 || (sheets == 0 && dismissed == 0) { return nil }
    let ways = [
      rows.contains { $0[left].storedText == nil } ? nil : "\(countText(sheets)) left the store's payment sheet",
      "\(countText(dismissed)) closed the paywall", "\(countText(sum("no_trace"))) sent no such event",
    ].compactMap(\.self)
    return "Of the \(countText(all)) users who neither started a trial nor bought, \(listText(ways))."
  }

  /// How long the steps take, for one app.
  var times: String? {
    guard isOneApp, let row = report.totals.first ?? (rows.count == 1 ? rows.first : nil) else { return nil }
    let ending = "_hours_p50"
    let parts = report.columns.indices.compactMap { place -> String? in
      let name = report.columns[place].name
      guard name.hasSuffix(ending), case .number(let hours?) = row[place] else { return nil }
      let step = look.heading(of: String(name.dropLast(ending.count)) + "_rate")
      return "\(step) \(hoursText(hours))"
    }
    return parts.isEmpty ? nil : "Median time to reach each step: \(listText(parts))."
  }

  private func hoursText(_ hours: Double) -> String {
    switch hours {
    case ..<(1.0 / 120): "at once"
    case ..<1: "\(fixed(hours * 60, 0)) min"
    case ..<48: "\(fixed(hours, 0)) h"
    default: "\(fixed(hours / 24, 1)) d"
    }
  }

  /// Whether filters or days leave out users of the app.
  private var isFiltered: Bool {
    let hasDays = ["from", "to"].contains { parameter($0).flatMap(CivilDate.init) != nil }
    return hasDays || (parameter("where") ?? "none") != "none"
  }

  private var missingTrials: String? {
    guard let trials = report.trialsColumn, usersPlace.map({ sum(report.columns[$0].name) > 0 }) == true,
      !report.hasRejectedTrials
    else { return nil }
    if sum(trials) > 0 {
      guard report.name == "funnel", let place = places["trial_rate"], let app = places["app"], !isOneApp
      else { return nil }
      let with = Set(rows.filter { $0[place].storedText != nil }.map { $0[app] })
      let without = report.asOf.map(\.app).filter { !with.contains(.text($0)) }
      if without.isEmpty || without.count > 5 { return nil }
      return "\"Started a trial\" in row \"all\" leaves out \(listText(without.map(text))), which "
        + "\(without.count == 1 ? "has" : "have") no store trials."
    }
    // A trial that is too recent to count may be one.
    if isFiltered || sum("immature") > 0 { return "None of the viewers who count started a store trial." }
    return "\(isOneApp ? text(report.asOf[0].app) : "No app here") has \(isOneApp ? "no store" : "store") trials."
  }

  /// Says that the data may lack cancellations, where the table counts none.
  private var noCancellations: String? {
    let units = report.columns.filter { $0.name == "trials" || $0.name.hasPrefix("at_risk_") }
      .reduce(0) { $0 + sum($1.name) }
    let hasAny = report.columns.contains {
      $0.kind == .count && ($0.name == "trial_cancelled" || $0.name.hasPrefix("cancelled_")) && sum($0.name) > 0
    }
    return units < 10 || hasAny
      ? nil : "No cancellation was counted. If your files have no cancellation events, 0% means \"not known\"."
  }

  private var reasons: String? {
    let names = [
      ("churned_voluntary", "voluntary"), ("churned_billing", "billing"), ("churned_price_increase", "price"),
      ("churned_refund", "refund"), ("churned_other", "other"),
    ]
    let churned = sum("churned")
    if churned == 0 { return nil }
    let counts = names.map { (name: $0.1, count: sum($0.0)) }.filter { $0.count > 0 }.sorted { $0.count > $1.count }
    let list = counts.map { "\($0.name) \(countText($0.count))" }.joined(separator: ", ")
    let atRisk = sum("refund_at_risk")
    let refunded = atRisk == 0 ? nil : percentText(Double(sum("refunded")) / Double(atRisk))
    return "Why \(countText(churned)) left: \(list)."
      + (refunded.map { " Refunded within 30 days: \($0) of \(countText(atRisk))." } ?? "")
  }

  /// A sentence on the ages to which no row has ``fewestFollowed`` users.
  private var notKnownYet: String? {
    var ages: [String] = []
    var unit = "days"
    for column in report.columns where column.kind == .rate || column.kind == .money {
      if report.name == "value" {
        guard column.name.hasPrefix("value_"), let place = places[column.name],
          !rows.contains(where: { $0[place].storedText != nil || $0[place + 1].storedText != nil })
        else { continue }
        ages.append(String(column.name.dropFirst("value_".count)))
        unit = "months"
      } else if let followed = followedColumn(column.name), !isFollowed(followed) {
        let age = followed.split(separator: "_").last.map(String.init) ?? ""
        if !ages.contains(age) { ages.append(age) }
      }
    }
    if ages.isEmpty { return nil }
    if isByPayment {
      return "Not known yet: payment \(listText(ages))."
    }
    // Of an age that the data have twice, too few were followed so long.
    let ofRows = rows.count > 1 ? " in each row" : ""
    let few = unit == "days" ? ages.filter { (Int($0) ?? 0) * 2 <= daysOfData ?? 0 } : []
    let old = ages.filter { !few.contains($0) }
    let parts = [
      old.isEmpty ? nil : "\(listText(old)) \(unit)\(ageOfData.map { " (\($0))" } ?? "")",
      few.isEmpty ? nil : "\(listText(few)) days (fewer than \(fewestFollowed)\(ofRows) were followed that long)",
    ]
    return "Not known yet: \(parts.compactMap(\.self).joined(separator: "; "))."
  }

  /// Whether the table has the retention of payments, not of days.
  private var isByPayment: Bool {
    report.name.hasPrefix("retention") && report.columns.contains { $0.name.hasPrefix("paid_") }
  }

  /// Says that the ranges of the table's forecasts do not know how good earlier forecasts were.
  var forecasts: String? {
    let names = (look.core ?? []).map(\.name)
    guard rows.contains(where: { row in names.contains { isForecast($0, row) } }) else { return nil }
    return "Predicted ranges allow only for chance: `ltv --backtest` shows how wrong earlier forecasts were."
  }

  /// Says where the range of the table's tested forecasts comes from.
  var testedForecasts: String? {
    guard report.hasTestedRange else { return nil }
    return
      "The 12-month range comes from the errors of earlier forecasts; it holds 90% of the time while errors stay that size."
  }

  /// Days of data of the app that has most.
  var daysOfData: Int? {
    report.asOf.compactMap { app in app.firstDay.map { Int((app.asOf - $0 + 86_399_999) / 86_400_000) } }.max()
  }

  private var ageOfData: String? {
    guard let days = daysOfData, days > 0 else { return nil }
    return days == 1 ? "there is 1 day of data" : "there are \(countText(days)) days of data"
  }

  private var valueNotes: [String] {
    guard report.name == "value" else { return [] }
    let kept = notes(in: "note").filter { !$0.contains("month 13") }
      .map { $0.replacing(": no interval.", with: ", too few to say what a viewer is worth.") }
    if let usersPlace, !rows.isEmpty, rows.allSatisfy({ count($0, usersPlace) == 0 }) {
      return kept + ["No viewer counts yet, so what a viewer is worth is not known."]
    }
    let unpaid = rows.filter { row in
      report.columns.indices.allSatisfy { !report.columns[$0].name.hasSuffix("_purchases") || count(row, $0) == 0 }
    }
    let mode =
      parameter("mode") == "proceeds"
      ? ["Worth is after taxes and store fees, if events have them: --mode net does not subtract them."] : []
    if unpaid.isEmpty { return kept + mode }
    let names = unpaid.compactMap { row in rowNames.flatMap { row[$0].textValue } }
    let whose = unpaid.count == rows.count || names.count > 3 ? "Nobody" : "Nobody of \(listText(names.map(text)))"
    let worth = unpaid.count == rows.count ? "what a viewer is worth" : "their worth"
    return kept + ["\(whose) has paid yet, so \(worth) is not known."]
  }

  /// The place of the names of rows: their first key, or else the app.
  private var rowNames: Int? {
    keyPlaces.first { !["app", "currency"].contains(report.columns[$0].name) } ?? places["app"]
  }

  /// Returns the notes in a column, each once, with the names of its rows unless there are many.
  private func notes(in column: String) -> [String] {
    guard let place = places[column], let names = rowNames else { return [] }
    let notes = rows.flatMap { row in row[place].parts.map { (text: $0, of: row[names].textValue ?? "") } }
    return notes.inGroups(by: \.text).map { note, own in
      let whose = own.count == rows.count || own.count > 3 ? "" : "\(listText(own.map { text($0.of) })): "
      return "\(whose)\(whose.isEmpty ? note.capitalizedFirst : note)."
    }
  }
}
