internal import GRDB
internal import Lifecycle

/// The persons (definitions 1.3): the connected components of the graph of `identify` events.
///
/// A person is identified by the least id of its users.
struct IdentityGraph {
  /// The root of each user that is joined with another, including roots.
  private var roots: [Int32: Int32] = [:]
  /// The users in `roots`; most users are not among them.
  private var joinedUsers = UserSet()
  /// The users of each root that has others, in order.
  private var members: [Int32: [Int32]] = [:]

  /// Creates a graph in which nobody is joined.
  init() {}

  /// Creates the graph from `identify` events before an instant; sandbox and family-shared ones join nobody
  /// (definitions 1.5).
  ///
  /// - Parameter asOf: The instant by app; an app that is missing has no joins.
  init(_ db: Database, asOf: (NameID) -> Int64) throws {
    let statement = try SQLiteStatement(db, "SELECT app, ts, user, previous_user FROM user_join")
    while try statement.step() {
      guard statement.int64(1) < asOf(statement.int32(0)) else { continue }
      _ = join(statement.int32(2), statement.int32(3))
    }
  }

  /// Reads the joins that the store holds.
  init(stored db: Database) throws {
    let statement = try SQLiteStatement(db, "SELECT id, person FROM user WHERE person <> id ORDER BY id")
    while try statement.step() { _ = join(statement.int32(0), statement.int32(1)) }
  }

  func person(of user: Int32) -> Int32 { isJoined(user) ? roots[user] ?? user : user }

  /// Returns the users of a person, in order.
  func users(of person: Int32) -> [Int32] { members[person] ?? [person] }

  /// Returns whether the user is joined with another.
  func isJoined(_ user: Int32) -> Bool { joinedUsers.contains(user) }

  /// Every joined user with its person.
  var joined: [Int32: Int32] { roots }

  /// Joins two users into one person.
  ///
  /// - Returns: The person that no longer exists and the one that its users now belong to; `nil` if they were one
  ///   person already.
  mutating func join(_ first: Int32, _ second: Int32) -> (absorbed: Int32, into: Int32)? {
    let a = person(of: first)
    let b = person(of: second)
    if a == b { return nil }
    let (root, absorbed) = (min(a, b), max(a, b))
    let union = (users(of: root) + users(of: absorbed)).sorted()
    for user in union {
      roots[user] = root
      joinedUsers.insert(user)
    }
    members[absorbed] = nil
    members[root] = union
    return (absorbed, root)
  }
}
