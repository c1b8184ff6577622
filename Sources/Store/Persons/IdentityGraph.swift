internal import GRDB
internal import Lifecycle

/// The persons; implements definitions 1.3: the connected components of the graph of `identify` events.
///
/// A person is identified by the least id of its users.
struct IdentityGraph {
  /// Users that are one person.
  private struct Component {
    /// In order once ``sort()`` has been called.
    var users: [Int32]
    var least: Int32
  }

  /// The component of each user that is joined with another, as one of its users.
  private var labels: [Int32: Int32] = [:]
  /// The users of `labels`: most are not among them.
  private var joinedUsers = UserSet()
  private var components: [Int32: Component] = [:]
  /// Labels of components that are not sorted.
  private var unsorted: Set<Int32> = []

  /// Creates the graph from `identify` events before an instant; sandbox and family-shared ones join nobody.
  ///
  /// - Parameter asOf: The instant by app; an app that is missing has no joins.
  init(_ db: Database, asOf: (NameID) -> Int64) throws {
    let statement = try SQLiteStatement(db, "SELECT app, ts, user, previous_user FROM user_join")
    let greatest = try StoredEntries.greatestUser(db)
    while try statement.step() {
      guard statement.int64(1) < asOf(statement.int32(0)) else { continue }
      try join(statement, 2, greatest)
    }
    sort()
  }

  /// Reads the joins that the store holds.
  init(stored db: Database) throws {
    let statement = try SQLiteStatement(db, "SELECT id, person FROM user WHERE person <> id ORDER BY id")
    let greatest = try StoredEntries.greatestUser(db)
    while try statement.step() { try join(statement, 0, greatest) }
    sort()
  }

  /// Joins the users in two columns of a row.
  private mutating func join(_ row: SQLiteStatement, _ first: Int32, _ greatest: Int) throws {
    let users = (row.int64(first), row.int64(first + 1))
    for user in [users.0, users.1] where user <= 0 || user > greatest {
      throw StoredDamage.lacks(user, of: "user", had: "a join")
    }
    _ = join(Int32(users.0), Int32(users.1))
  }

  func person(of user: Int32) -> Int32 {
    guard isJoined(user), let label = labels[user] else { return user }
    return components[label]?.least ?? user
  }

  /// The users of a person, in order.
  func users(of person: Int32) -> [Int32] {
    guard isJoined(person), let label = labels[person], let component = components[label] else { return [person] }
    return component.users
  }

  func isJoined(_ user: Int32) -> Bool { joinedUsers.contains(user) }

  /// Every joined user, with its person.
  var joined: [Int32: Int32] { labels.mapValues { components[$0]?.least ?? $0 } }

  /// Makes two users one person; ``sort()`` has to follow the last of several joins.
  ///
  /// Users of the smaller side get the other side's label, so each user changes label at most log2 n times.
  ///
  /// - Returns: The person that is no longer one, and the one that it is now; `nil` when the two were one already.
  mutating func join(_ first: Int32, _ second: Int32) -> (absorbed: Int32, into: Int32)? {
    if first == second { return nil }
    let (a, b) = (label(of: first), label(of: second))
    if a == b { return nil }
    let sizes = (components[a]?.users.count ?? 0, components[b]?.users.count ?? 0)
    let (large, small) = sizes.0 >= sizes.1 ? (a, b) : (b, a)
    guard let other = components.removeValue(forKey: small), let least = components[large]?.least else { return nil }
    unsorted.remove(small)
    for user in other.users { labels[user] = large }
    components[large]?.users.append(contentsOf: other.users)
    components[large]?.least = min(least, other.least)
    unsorted.insert(large)
    return (max(least, other.least), min(least, other.least))
  }

  /// The label of a user, which may be the first of its component.
  private mutating func label(of user: Int32) -> Int32 {
    if let label = labels[user] { return label }
    labels[user] = user
    joinedUsers.insert(user)
    components[user] = Component(users: [user], least: user)
    return user
  }

  /// Puts the users of each person in order.
  mutating func sort() {
    for label in unsorted { components[label]?.users.sort() }
    unsorted.removeAll()
  }
}
