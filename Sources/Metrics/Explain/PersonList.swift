internal import EventModel
internal import Store

/// The persons behind a number, of whom a page is named and shown with events.
struct PersonList {
  struct Entry {
    var person: Int32
    /// What it adds to the number, or to the numerator.
    var amount: Explanation.Amount
    /// What it adds to the denominator, where there is one.
    var of: Explanation.Amount?
    var reasons: [String]
  }

  var entries: [Entry] = []

  var total: Explanation.Amount { entries.reduce(.zero) { $0 + $1.amount } }
  /// What the total is divided by, where it is.
  var denominator: Explanation.Amount { entries.reduce(.zero) { $0 + ($1.of ?? .zero) } }

  /// The persons of a page: those that add something first, then in byte order of their ids.
  ///
  /// - Parameters:
  ///   - offset: Persons before the page.
  ///   - limit: Persons of the page; `nil` for all.
  ///   - events: What is shown of a person.
  /// - Returns: The page, and how many are before it.
  func page(
    _ facts: FactSource, offset: Int, limit: Int?, events: (PersonHistory) -> [Explanation.Event]
  ) throws -> (persons: [Explanation.Person], first: Int) {
    let users = try facts.users(of: entries.map(\.person))
    func name(_ entry: Entry) -> String { users[entry.person]?.first ?? "" }
    let sorted = entries.sorted { left, right in
      let (a, b) = (left.amount.isZero, right.amount.isZero)
      return a == b ? precedesInBytes(name(left), name(right)) : b
    }
    let first = min(max(0, offset), sorted.count)
    let page = sorted[first..<min(sorted.count, limit.map { first + $0 } ?? sorted.count)]
    var shown: [Int32: [Explanation.Event]] = [:]
    try facts.forEachHistory(of: page.map(\.person).sorted()) { shown[$0.person] = events($0) }
    let persons = page.map { entry in
      Explanation.Person(
        user: name(entry), users: users[entry.person] ?? [], amount: entry.amount, of: entry.of, reasons: entry.reasons,
        events: shown[entry.person] ?? [])
    }
    return (persons, first)
  }
}
