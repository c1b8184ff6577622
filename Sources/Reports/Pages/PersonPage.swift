import Basics
import EventModel
public import Metrics
import Store

/// One user: what happened and what each event did, and the reports that the user counts in.
public struct PersonPage: Sendable {
  private let timeline: PersonTimeline
  private let links: PageLinks

  public init(_ timeline: PersonTimeline, links: PageLinks) { (self.timeline, self.links) = (timeline, links) }

  public var subtitle: String {
    let others = timeline.users.dropFirst()
    let also = others.isEmpty ? [] : ["also \(others.joined(separator: ", "))"]
    let end = "data to \(shortDay(Int((timeline.asOf - 1) / 86_400_000), hasYear: true))"
    return (also + [timeline.app, counted(timeline.events.count, "event"), end]).joined(separator: " · ")
  }

  public var markup: Markup {
    """
    \(facts)<div class="row c21">\(story)\(places)</div>

    """
  }

  private var payments: [PersonHistory.Event] { timeline.events.filter { $0.price ?? 0 != 0 && isPayment($0) } }

  private func isPayment(_ event: PersonHistory.Event) -> Bool {
    ["conversion", "renewal", "payment", "plan_change"].contains(event.kind.name)
  }

  private var facts: Markup {
    let paid = payments.inGroups(by: \.currency).map { currency, payments in
      money(payments.reduce(0) { $0 + ($1.price ?? 0) }, currency)
    }.joined(separator: ", ")
    let plan = timeline.events.last { $0.plan != nil }?.plan?.name
    let list = [
      ("Now", state), ("Plan", plan ?? undefinedMark),
      (
        "Paid so far",
        paid.isEmpty ? "nothing" : "\(paid), \(payments.count) \(payments.count == 1 ? "payment" : "payments")"
      ),
      ("Variant", timeline.variant ?? undefinedMark),
      ("Entry point", timeline.entryPoint ?? undefinedMark),
      ("First seen", timeline.events.first.map { shortDay(Int($0.ts / 86_400_000), hasYear: true) } ?? undefinedMark),
    ].map { "<div><dt>\($0.0)</dt><dd><bdi>\($0.1)</bdi></dd></div>" as Markup }
    return "<section class=\"card\"><dl class=\"facts\">\(list)</dl>\(StatesBar(timeline)?.markup ?? "")</section>\n"
  }

  /// The user's state at the end of the data.
  private var state: String {
    switch timeline.spans.last(where: { $0.end > timeline.asOf })?.state {
    case .trial: "In a trial"
    case .paid: "Subscribed"
    case .cancelled: "Subscribed, set to cancel"
    case .grace: "In the grace period"
    case nil:
      switch timeline.spans.last?.state {
      case nil: "Never subscribed"
      case .trial: "Did not pay after the trial"
      default: "Churned"
      }
    }
  }

  private func money(_ microUnits: Int64, _ currency: String) -> String {
    "\(ChartUnit.text(Double(microUnits) / 1e6, decimals: readableMoneyDecimals(currency))) \(currency)"
  }

  private var story: Markup {
    var last = ""
    let items = timeline.events.map { event -> Markup in
      let text = instantText(event.ts)
      let day = shortDay(Int(event.ts / 86_400_000))
      defer { last = day }
      let shown: Markup = day == last ? "" : "<b class=\"soft\">\(day)</b> "
      let look =
        isPayment(event)
        ? " p"
        : event.role.isEmpty ? "" : ["cancellation", "expiration", "refund"].contains(event.kind.name) ? " x" : " k"
      let price: Markup =
        isPayment(event) && event.price ?? 0 != 0
        ? " <span class=\"good\">\(money(event.price ?? 0, event.currency))</span>" : ""
      let role =
        event.role.isEmpty ? "Counts in no number." : plainRole(event.role, at: event.ts).capitalizedFirst + "."
      // Nothing is said twice.
      let did: Markup =
        role == "\(eventWords(event.kind.name))."
        ? "" : "<p class=\"\(event.role.isEmpty ? "muted" : "did")\"><bdi>\(role)</bdi></p>"
      return """
        <li><time datetime="\(text)">\(shown)\(String(text.dropFirst(11).prefix(5)))</time>\
        <span class="node\(look)" aria-hidden="true"></span><div><h3>\(eventWords(event.kind.name)) \
        <code>\(event.kind.name)</code>\(price)</h3>\(did)</div></li>

        """
    }
    let isMixed = Set(timeline.events.map(\.role.isEmpty)).count > 1
    return pageCard(
      "What happened, and what each event did", subtitle: isMixed ? "UTC; filled: counts in a number" : "UTC",
      "<ol class=\"line\">\n\(items)</ol>\n")
  }

  private var places: Markup {
    func name(_ place: PersonTimeline.Place) -> String {
      place.isExperiment ? place.name : ReportKind.named(place.name)?.title ?? place.name
    }
    let items = timeline.places.filter(\.isCounted).map { place -> Markup in
      let address =
        place.isExperiment
        ? links.experiment(timeline.app, place.name) : links.report(place.name, [("app", timeline.app)])
      let link = linked("\(name(place))", to: address)
      return """
        <li><span class="i n" aria-hidden="true">✓</span><div><b>\(link)</b><p><bdi>\(words(place))</bdi></p></div></li>

        """
    }
    let missing = timeline.places.filter { !$0.isCounted }.map { "\(name($0)): \(words($0))." }.joined(separator: " ")
    let notCounted: Markup =
      missing.isEmpty
      ? ""
      : """
      <li><span class="i w" aria-hidden="true">–</span><div><b>Not counted</b><p><bdi>\(missing)</bdi></p></div></li>

      """
    let others: Markup =
      timeline.otherApps.isEmpty
      ? "" : "<p class=\"note\">Other apps have this id, too: \(listText(timeline.otherApps)).</p>"
    return pageCard(
      "Where this user counts",
      """
      <ul class="finds">
      \(items)\(notCounted)</ul>\(others)<p class="note">To erase this user: <code>tollgate forget --user \(timeline.users[0])</code></p>

      """)
  }

  private func words(_ place: PersonTimeline.Place) -> String { plainRole(place.words, at: timeline.asOf) }
}
