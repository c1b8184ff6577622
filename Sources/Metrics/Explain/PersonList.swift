internal import EventModel
internal import Store

/// The users behind a number; one page of them is shown with ids and events.
struct PersonList {
  struct Entry {
    var person: Int32
    /// The contribution to the number, or to the numerator.
    var amount: Explanation.Amount
    /// The contribution to the denominator, if there is one.
    var of: Explanation.Amount?
    var reasons: [String]
  }

  var entries: [Entry] = []

  var total: Explanation.Amount { entries.reduce(.zero) { $0 + $1.amount } }
  /// The divisor of the total, if there is one.
  var denominator: Explanation.Amount { entries.reduce(.zero) { $0 + ($1.of ?? .zero) } }

  /// Returns the users of a page: those that contribute first, then in byte order of their ids.
  ///
  /// - Parameters:
  ///   - offset: The number of users before the page.
  ///   - limit: The number of users on the page; `nil` for all.
  ///   - user: An id of the only user to show; `nil` for a page of all.
  ///   - isTold: Returns whether events of a kind may be among them.
  ///   - events: Returns the events to show for a user.
  /// - Returns: The page, and the number of users before it.
  /// - Throws: ``ExplanationError/unlisted(user:of:)``.
  func page(
    _ facts: FactSource, offset: Int, limit: Int?, user: String?, telling isTold: (EventKind) -> Bool = { _ in true },
    events: (PersonHistory) -> [PersonHistory.Event]
  ) throws -> (persons: [Explanation.Person], first: Int) {
    let users = try facts.users(of: entries.map(\.person))
    func name(_ entry: Entry) -> String { users[entry.person]?.first ?? "" }
    let keys = entries.map { (isZero: $0.amount.isZero, name: name($0)) }
    let sorted = entries.indices.sorted { left, right in
      let (a, b) = (keys[left], keys[right])
      return a.isZero == b.isZero ? precedesInBytes(a.name, b.name) : b.isZero
    }.map { entries[$0] }
    var (first, limit) = (min(max(0, offset), sorted.count), limit)
    if let user {
      guard let place = sorted.firstIndex(where: { users[$0.person]?.contains(user) ?? false }) else {
        throw ExplanationError.unlisted(user: user, of: sorted.count)
      }
      (first, limit) = (place, 1)
    }
    let page = sorted[first..<min(sorted.count, limit.map { first + $0 } ?? sorted.count)]
    var shown: [Int32: [PersonHistory.Event]] = [:]
    try facts.forEachHistory(of: page.map(\.person).sorted(), users: users, telling: isTold) {
      shown[$0.person] = events($0)
    }
    let persons = page.map { entry in
      Explanation.Person(
        user: name(entry), users: users[entry.person] ?? [], amount: entry.amount, of: entry.of, reasons: entry.reasons,
        events: shown[entry.person] ?? [])
    }
    return (persons, first)
  }
}
