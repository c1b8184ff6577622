internal import EventModel
public import Store

extension Health {
  /// The lines of one kind of event of an app, all of which were rejected.
  public struct RejectedKind: Sendable {
    var app: String
    var kind: EventKind
    /// Those kept in quarantine.
    var lines: Int
    /// The most frequent first.
    var reasons: [String]

    /// Such as ``all 262 trial_start lines of steps were rejected (invalid:trial_kind): `tollgate quarantine list` ``.
    public var sentence: String {
      let list = reasons.prefix(3).joined(separator: ", ") + (reasons.count > 3 ? ", ..." : "")
      let option = reasons.count == 1 ? " --reason \(list)" : ""
      let what =
        lines == 1 ? "the only \(kind.name) line of \(app) was" : "all \(lines) \(kind.name) lines of \(app) were"
      return "\(what) rejected (\(list)): `tollgate quarantine list\(option)`"
    }

    var check: HealthCheck {
      HealthCheck(
        app, "every \(kind.name) line rejected", lines, of: lines,
        affects: Health.affects(EventKind.families[kind.familyNumber]),
        "\(reasons.joined(separator: ", ")): no \(kind.name) is counted anywhere; see `tollgate quarantine list`")
    }
  }

  /// Returns the kinds of events of which an app has rejected lines only, the most lines first. Only lines of tollgate's
  /// own format tell their kind.
  public static func rejectedKinds(_ snapshot: StoreSnapshot) throws -> [RejectedKind] {
    let lines = try snapshot.rejectedEvents()
    if lines.isEmpty { return [] }
    let query = try ReportQuery(snapshot, ReportOptions(), defaultBy: [])
    var found: [RejectedKind] = []
    for app in query.apps {
      let own = lines.filter { $0.app.utf8.elementsEqual(app.name.utf8) }
      for kind in EventKind.inOrder {
        let ofKind = own.filter { $0.event == kind.name }.sorted { $0.lines > $1.lines }
        if ofKind.isEmpty { continue }
        if try hasEvent(of: kind, app, query) { continue }
        found.append(
          RejectedKind(
            app: app.name, kind: kind, lines: ofKind.reduce(0) { $0 + $1.lines }, reasons: ofKind.map(\.reason)))
      }
    }
    return found.sorted { $0.lines > $1.lines }
  }

  private static func hasEvent(of kind: EventKind, _ app: StoreSnapshot.App, _ query: ReportQuery) throws -> Bool {
    struct Found: Error {}
    do {
      try query.facts.forEachEvent([kind]) { if $0.app == app.id { throw Found() } }
      return false
    } catch is Found {
      return true
    }
  }
}
