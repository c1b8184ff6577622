import Metrics
import Store

/// One bar over time of a user's subscription: trial, paid, set to cancel, grace, with payments and cancellations on it.
struct StatesBar {
  private let timeline: PersonTimeline
  private let domain: Range<Int64>

  /// - Returns: `nil` for a user who never had a trial or subscription.
  init?(_ timeline: PersonTimeline) {
    guard let first = timeline.spans.first else { return nil }
    self.timeline = timeline
    let start = min(timeline.events.first?.ts ?? first.start, first.start)
    let ends = timeline.spans.map(\.end).filter { $0 < .max }
    // A plan without an end goes on a little past the data.
    let last = max(timeline.asOf, ends.max() ?? 0)
    domain = start..<max(last, start + 1)
  }

  private func x(_ instant: Int64) -> Double {
    2 + 96 * min(1, Double(instant - domain.lowerBound) / Double(domain.upperBound - domain.lowerBound))
  }

  private let top = 30.0
  private let height = 20.0

  var markup: Markup {
    var marks: [Markup] = []
    var hits: [Markup] = []
    // On a narrow screen, 3 pixels are a per cent.
    var (labelEnd, narrowEnd) = (-100.0, -100.0)
    for span in timeline.spans {
      let (from, to) = (x(span.start), x(min(span.end, domain.upperBound)))
      let look: Markup =
        switch span.state {
        case .trial: #" class="f1s""#
        case .paid: #" class="f1""#
        case .cancelled: #" fill="url(#k1)""#
        case .grace: #" fill="url(#kn)""#
        }
      let box: Markup =
        #"x="\#(from)%" width="\#(max(0.4, to - from))%" y="\#(top)" height="\#(height)""#
      marks.append("<rect\(look) \(box)/>")
      // A date stands where it is.
      let runsOut = span.state == .cancelled && span.end < .max
      let name = runsOut ? "runs out \(day(span.end))" : Self.name(span.state)
      let width = chartTextWidth(name) / 3
      let place = min(runsOut ? max(from, to - width) : from, 100 - width)
      if place > narrowEnd {
        marks.append(#"<text class="narrowonly" x="\#(place)%" y="\#(top + height + 16)">\#(name)</text>"#)
        narrowEnd = place + width
      }
      if to - from > 6, from > labelEnd {
        let isAtEnd = runsOut && to - from > chartTextWidth(name) / 7
        let place: Markup = isAtEnd ? #"x="\#(to)%" text-anchor="end""# : #"x="\#(from)%""#
        marks.append(#"<text class="wideonly" \#(place) y="\#(top + height + 16)">\#(name)</text>"#)
        labelEnd = isAtEnd ? to : from + chartTextWidth(name) / 8
      }
      hits.append(hit(box, "\(Self.name(span.state).capitalizedFirst): \(day(span.start)) to \(day(span.end))"))
    }
    var (textEnd, narrowTextEnd) = (-100.0, -100.0)
    for event in timeline.events {
      guard let (name, look) = Self.mark(event) else { continue }
      let place = x(event.ts)
      marks.append(#"<circle class="\#(look) dot" cx="\#(place)%" cy="\#(top + height / 2)" r="6"/>"#)
      if place > textEnd {
        let anchor: Markup = place > 90 ? "end" : place < 6 ? "start" : "middle"
        marks.append(#"<text class="l wideonly" x="\#(place)%" y="18" text-anchor="\#(anchor)">\#(name)</text>"#)
        textEnd = place + chartTextWidth(name) / 7
      }
      let width = chartTextWidth(name) / 3
      let start = max(0, min(place - width / 2, 100 - width))
      if start > narrowTextEnd {
        marks.append(#"<text class="l narrowonly" x="\#(start)%" y="18">\#(name)</text>"#)
        narrowTextEnd = start + width + 1
      }
      hits.append(
        hit(#"x="\#(place - 1)%" width="2%" y="\#(top - 4)" height="\#(height + 8)""#, "\(name): \(instant(event.ts))"))
    }
    let end = x(timeline.asOf)
    marks.append(
      #"<line class="mark" x1="\#(end)%" x2="\#(end)%" y1="\#(top - 8)" y2="\#(top + height + 4)"/>"#)
    marks.append(
      #"<text x="\#(end)%" y="\#(top + height + 36)" text-anchor="\#(end > 90 ? "end" : "middle")">data end</text>"#)
    return """
      <figure class="chart covers"><svg height="92" role="group" aria-label="States of the subscription">\(marks)\(hits)\
      </svg></figure>

      """
  }

  private func hit(_ box: Markup, _ text: String) -> Markup {
    #"<rect class="hit" \#(box) role="img"><title>\#(text)</title></rect>"#
  }

  private func day(_ instant: Int64) -> String {
    instant == .max ? "no end" : shortDay(Int(instant / 86_400_000))
  }

  private func instant(_ instant: Int64) -> String {
    "\(day(instant)) \(instantText(instant).dropFirst(11).prefix(5))"
  }

  private static func name(_ state: PersonTimeline.Span.State) -> String {
    switch state {
    case .trial: "trial"
    case .paid: "paid"
    case .cancelled: "set to cancel"
    case .grace: "grace period"
    }
  }

  /// The name and class of what is marked on the bar; `nil` for other events.
  private static func mark(_ event: PersonHistory.Event) -> (String, String)? {
    switch event.kind.name {
    case "conversion", "renewal", "payment", "plan_change":
      guard let price = event.price, price != 0 else { return nil }
      return (ChartUnit.text(Double(price) / 1e6, decimals: readableMoneyDecimals(event.currency)), "fgood")
    case "cancellation": return ("cancelled", "fbad")
    case "refund": return ("refunded", "fbad")
    case "reactivation": return ("back", "fgood")
    default: return nil
    }
  }
}
