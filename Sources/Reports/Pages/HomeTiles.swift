import EventModel
import Metrics

/// The six key numbers of a home page, each with its change, the test of the change, and its course.
struct HomeTiles {
  let overview: Overview
  let links: PageLinks
  /// The app that the page is of; `nil` for all.
  let part: Overview.Part

  var markup: Markup {
    let tiles = [
      sum("Net revenue", part.revenue, "revenue", unit: currency),
      recurring,
      sum("New payers", part.newPayers, "retention", unit: part.sellsLifetime ? "incl. lifetime" : ""),
      share("Viewers who pay", part.viewersWhoPay, "funnel", of: "viewers", isUpGood: true),
      trials,
      share(
        "Weekly churn", part.churn, "subscriptions", of: "subscriptions", isUpGood: false,
        caveat: overview.isYoung
          ? "more than chance explains, but few renewals were due before: data begin "
            + shortDay(overview.data.lowerBound) : nil),
    ]
    return "<section class=\"tiles\" aria-label=\"Key numbers\">\(tiles)</section>\n"
  }

  private var parameters: [(name: String, value: String)] { part.app.map { [("app", $0)] } ?? [] }

  private func tile(
    _ title: String, _ value: String, unit: String, _ delta: Markup, _ spark: Markup, report: String,
    days: Range<Int>, filter: String? = nil
  ) -> Markup {
    let body: Markup = """
      <h2>\(title)</h2><p class="big">\(value) <small>\(unit)</small></p><p class="delta">\(delta)</p>\(spark)
      """
    let period = [("from", days.lowerBound), ("to", days.upperBound)].map {
      (name: $0.0, value: CivilDate(daysSince1970: $0.1).description)
    }
    let narrowed = filter.map { [(name: "where", value: $0)] } ?? []
    // Revenue is the tile whose comparison its page says in the same words.
    let compared = report == "revenue" && overview.before != nil ? [(name: "compare", value: "previous")] : []
    guard let address = links.report(report, parameters + [("by", "week")] + period + narrowed + compared) else {
      return #"<div class="tile">\#(body)</div>"#
    }
    return #"<a class="tile" href="\#(address)">\#(body)</a>"#
  }

  private func sum(_ title: String, _ number: Overview.Number, _ report: String, unit: String) -> Markup {
    tile(
      title, number.value.map { ChartUnit.text($0, decimals: 0) } ?? undefinedMark, unit: unit,
      relative(number), sparkline(closed(number.weeks.map(\.value))), report: report, days: number.days)
  }

  /// Marked where amounts of other currencies have no rate.
  private var currency: String {
    overview.otherCurrencies.isEmpty ? overview.currency : "\(overview.currency) only"
  }

  private var trials: Markup {
    share(
      part.isOfStoreTrials ? "Store trials that pay" : "App trials that pay", part.trialsThatPay, "trials",
      of: "trials", isUpGood: true, filter: part.isOfStoreTrials ? "trial_kind=introductory" : nil)
  }

  private var recurring: Markup {
    let number = part.recurring
    var delta: Markup = ""
    if let value = number.value, let before = number.before, overview.before != nil, before > 0 {
      let change = value - before
      // Plans and prices that changed, subscriptions that came back, and ends that may still be within their grace.
      let other = change.rounded() - part.gained.rounded() - part.lost.rounded()
      delta = """
        <b>\(percentChange(change / before))</b> <span class="muted">\(signed(change))</span><br>\
        <span class="muted">\(ChartUnit.text(part.gained, decimals: 0)) new, \
        \(ChartUnit.text(-part.lost, decimals: 0)) churned\(other == 0 ? "" : ", \(signed(other)) other changes")</span>
        """
    } else if number.value != nil {
      delta = #"<span class="muted">at the end of these days</span>"#
    }
    if !part.ended.isEmpty {
      let most = 3
      let apps =
        part.ended.prefix(most).map { "\($0.app) (data to \(shortDay($0.lastDay)))" }
        + (part.ended.count > most ? [counted(part.ended.count - most, "more app")] : [])
      delta = """
        \(delta)\(number.value == nil ? "" : "<br>" as Markup)<span class="muted">without \(listText(apps))</span>
        """
    }
    return tile(
      "Monthly recurring", number.value.map { ChartUnit.text($0, decimals: 0) } ?? undefinedMark,
      unit: currency, delta, sparkline(number.weeks.map(\.value)), report: "mrr", days: number.days)
  }

  private func share(
    _ title: String, _ number: Overview.Number, _ report: String, of units: String, isUpGood: Bool,
    filter: String? = nil, caveat: String? = nil
  ) -> Markup {
    let weeks = number.weeks
    let open = weeks.firstIndex { !$0.isSettled }
    let isFew = number.of > 0 && number.of < fewestCompared
    // Each subscription counts once in each week.
    let unit = report == "subscriptions" ? "subscription week" : String(units.dropLast())
    let counts = "\(countText(number.events)) of \(counted(number.of, unit))"
    let isUnpaid = overview.currency.isEmpty && number.of > 0
    var delta: Markup
    if isUnpaid {
      delta = #"<span class="muted">no payments yet<br>\#(shortDays(number.days))</span>"#
    } else if let change = number.change {
      let isGood = (change.difference > 0) == isUpGood
      let isJudged = change.isMoreThanChance && caveat == nil
      let words = (change.isMoreThanChance ? caveat : nil) ?? chanceWords(change.isMoreThanChance, isGood)
      let tone: Markup = isJudged ? (isGood ? "good" : "bad") : "muted"
      delta = """
        <b\(changeLook(isJudged, isGood))>\(points(change.difference)) pp</b> <span class="muted">\(pointsBounds(change.low, change.high) ?? "")\
        </span><span class="vh">, before \(ChartUnit.share.value(number.before ?? 0))</span><br><span class="\(tone)">\(words)</span><br>\
        <span class="muted">\(shortDays(number.days))</span>
        """
    } else if isFew {
      delta = #"<span class="muted">\#(counts): too few to say<br>\#(shortDays(number.days))</span>"#
    } else if number.value == nil {
      let hasNone = weeks.allSatisfy { $0.of == 0 && $0.open == 0 && $0.isSettled }
      delta = #"<span class="muted">\#(hasNone ? "no \(units) yet" : "too recent to count")</span>"#
    } else {
      let before = number.before.map { "before \(ChartUnit.share.value($0)): too few to compare<br>" as Markup } ?? ""
      delta = #"<span class="muted">\#(counts)<br>\#(number.isOfFew ? before : "")\#(shortDays(number.days))</span>"#
    }
    return tile(
      title, isFew || isUnpaid ? undefinedMark : number.value.map { ChartUnit.share.value($0) } ?? undefinedMark,
      unit: "", delta,
      sparkline(weeks.map { $0.of > 0 ? $0.value : nil }, openFrom: open), report: report, days: number.days,
      filter: filter)
  }

  /// A change in percent of what was before, with its bounds.
  private func relative(_ number: Overview.Number) -> Markup {
    guard let change = number.change, let before = number.before, before > 0 else {
      if number.isOfFew, let before = number.before {
        return #"<span class="muted">before \#(ChartUnit.text(before, decimals: 0)): too few to say</span>"#
      }
      let isOpen = overview.before == nil || part.ended.isEmpty == false
      return #"<span class="muted">\#(isOpen ? "nothing before to compare with" : "")</span>"#
    }
    let (isSure, isGood) = (change.isMoreThanChance, change.difference > 0)
    let tone: Markup = isSure ? (isGood ? "good" : "bad") : "muted"
    let words = chanceWords(isSure, isGood)
    return """
      <b\(changeLook(isSure, isGood))>\(percentChange(change.difference / before))</b> <span class="muted">\(liftBounds(change, before))</span>\
      <br><span class="\(tone)">\(words)</span><br>\
      <span class="muted">before \(ChartUnit.text(before, decimals: 0))</span>
      """
  }

  /// Weeks of which days are missing are left out: they would look like a fall.
  private func closed(_ values: [Double?]) -> [Double?] {
    zip(overview.mondays, values).map { overview.isWhole($0) ? $1 : nil }
  }
}

func chanceWords(_ isSure: Bool, _ isGood: Bool) -> String {
  isSure ? "more than chance: \(isGood ? "better" : "worse")" : "not more than chance"
}

/// The class of a change that is to be colored.
func changeLook(_ isSure: Bool, _ isGood: Bool) -> Markup {
  isSure ? (isGood ? #" class="good""# : #" class="bad""#) : ""
}

/// A relative change in percent, one decimal, such as `+4.6%`.
func percentChange(_ share: Double) -> String {
  ChartUnit.text(share * 100, decimals: 1, hasPlus: true) + "%"
}

/// The bounds of a change in percent of what was before; nothing falls by more than all of it.
func liftBounds(_ change: Overview.Change, _ before: Double) -> String {
  let leavesOutZero = change.low > 0 || change.high < 0
  func text(_ value: Double) -> String {
    (boundText(max(value / before * 100, -100), decimals: 0, leavesOutZero: leavesOutZero) ?? undefinedMark) + "%"
  }
  return "\(text(change.low)) to \(text(change.high))"
}

/// A difference of shares in percentage points, without the unit.
func points(_ difference: Double) -> String {
  ChartUnit.text(difference * 100, decimals: 1, hasPlus: true)
}

private func signed(_ amount: Double) -> String {
  ChartUnit.text(amount, decimals: 0, hasPlus: true)
}
