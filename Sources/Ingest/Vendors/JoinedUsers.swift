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

  /// Returns that all ids of a user are one.
  func joins(_ user: String?, _ others: [String?], app: String? = nil, at ts: Int64?) -> [NativeEvent] {
    guard let app = app ?? self.app, let user, let ts else { return [] }
    return others.compactMap { other in
      other.flatMap { $0 == user ? nil : joined.join(app: app, user: user, previous: $0, at: ts) }
    }
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
