import EventModel

/// Returns the effect of an event, without rule numbers and with instants as people write them.
///
/// - Parameter instant: When the event happened, in milliseconds since 1970; other years than its own are named.
func plainRole(_ role: String, at instant: Int64? = nil) -> String {
  let year = instant.map { CivilDate(daysSince1970: Int($0 / 86_400_000)).year }
  return role.replacing(#/ \([0-9]+\.[0-9]+(, [0-9]+\.[0-9]+)*\)/#, with: "")
    .replacing(#/([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}):[0-9.]+Z/#) { match in
      CivilDate(String(match.1)).map { "\(shortDayText($0, hasYear: $0.year != year)) \(match.2)" } ?? String(match.0)
    }
}

/// Returns an event's kind as people say it.
func eventWords(_ kind: String) -> String {
  switch kind {
  case "paywall_impression": "Saw a paywall"
  case "paywall_dismissal": "Closed the paywall"
  case "trial_start": "Started a trial"
  case "conversion": "Paid for the first time"
  case "renewal": "Paid again"
  case "payment": "Paid"
  case "cancellation": "Turned auto-renew off"
  case "expiration": "Subscription ended"
  case "refund": "Got money back"
  case "identify": "Signed in: ids joined"
  case "exposure": "Saw an experiment"
  case "gate_hit": "Hit a limit"
  case "activity": "Used the app"
  default: kind.replacing("_", with: " ").capitalizedFirst
  }
}
