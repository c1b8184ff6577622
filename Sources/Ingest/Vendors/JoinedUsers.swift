internal import EventModel

/// The settings that adapters read, and what they remember of earlier payloads.
struct VendorContext {
  let app: String?
  let userKeys: [String]
  let plans: ProductPlans
  let joined = JoinedUsers()

  init(_ settings: SourceSettings) {
    (app, userKeys, plans) = (settings.app, settings.userKeys, ProductPlans(settings))
  }

  /// Adds that the customer of a billing service and the app's user are one.
  func withJoin(_ events: [NativeEvent], user: String?, customer: String?, at ts: Int64?) -> [NativeEvent] {
    guard let app, let user, let customer, user != customer, let ts,
      let join = joined.join(app: app, user: user, previous: customer, at: ts)
    else { return events }
    return events + [join]
  }
}

/// Gives an `identify` for each pair of ids of one user that a file has, once a day.
final class JoinedUsers {
  private struct Pair: Hashable {
    var app: String
    var user: String
    var previous: String
    var day: Int64
  }

  private var met: Set<Pair> = []

  /// Returns the event; `nil` if it was given before, as far as the last million pairs tell.
  ///
  /// - Parameter ts: The time of the record with both ids, in milliseconds.
  func join(app: String, user: String, previous: String, at ts: Int64) -> NativeEvent? {
    let length = Instant.millisecondsPerDay
    let day = ts - ((ts % length) + length) % length
    if met.count > 1_000_000 { met.removeAll() }
    guard met.insert(Pair(app: app, user: user, previous: previous, day: day)).inserted else { return nil }
    return NativeEvent.join(app: app, user: user, previous: previous, day: day)
  }
}
