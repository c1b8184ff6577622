internal import EventModel
public import Store

extension Health {
  /// The lines of one kind of event of an app that were rejected or left out: all of them, or many.
  public struct RejectedKind: Sendable {
    var app: String
    var kind: EventKind
    /// Those kept in quarantine, or left out of a file.
    var lines: Int
    /// Events of the kind that the store has.
    var stored: Int
    /// The most frequent first; none if `init` left them out.
    var reasons: [String]
    /// The file that `init` left them out of.
    var leftOutOf: String?

    /// Such as ``all 262 trial_start lines of steps were rejected (invalid:trial_kind): `tollgate quarantine list` ``.
    public var sentence: String {
      if let leftOutOf {
        return
          "\(lines) \(kind.name) records of \(leftOutOf) were left out by `tollgate init`, so numbers on \(app) that "
          + "need them are too low or missing; run it again with the options in its lines with !, into a new store"
      }
      let list = reasons.prefix(3).joined(separator: ", ") + (reasons.count > 3 ? ", ..." : "")
      let option = reasons.count == 1 ? " --reason \(list)" : ""
      let all = stored == 0 ? "all \(lines)" : "\(lines) of \(lines + stored)"
      let what =
        lines == 1 ? "the only \(kind.name) line of \(app) was" : "\(all) \(kind.name) lines of \(app) were"
      return "\(what) rejected (\(list)): `tollgate quarantine list\(option)`"
    }

    var check: HealthCheck {
      let name =
        leftOutOf != nil
        ? "\(kind.name) records left out"
        : stored == 0 ? "every \(kind.name) line rejected" : "\(kind.name) lines rejected"
      let meaning =
        leftOutOf.map { "left out of \($0) by `tollgate init`, which said why in lines with !" }
        ?? "\(reasons.joined(separator: ", ")): "
        + "\(stored == 0 ? "no \(kind.name) is" : "these are not") counted anywhere; see `tollgate quarantine list`"
      return HealthCheck(
        app, name, lines, of: lines + stored, affects: Health.affects(EventKind.families[kind.familyNumber]), meaning)
    }
  }

  /// Returns the kinds of events of which an app has rejected lines only, or at least ten and a tenth, the most lines
  /// first; likewise for records that `init` left out.
  public static func rejectedKinds(_ snapshot: StoreSnapshot) throws -> [RejectedKind] {
    let lines = try snapshot.rejectedEvents() + snapshot.leftOutEvents()
    if lines.isEmpty { return [] }
    let query = try ReportQuery(snapshot, ReportOptions(), defaultBy: [])
    var found: [RejectedKind] = []
    for app in query.apps {
      let own = lines.filter { $0.app.utf8.elementsEqual(app.name.utf8) }
      for kind in EventKind.inOrder {
        let ofKind = own.filter { $0.event == kind.name }.sorted { $0.lines > $1.lines }
        if ofKind.isEmpty { continue }
        let stored = try eventCount(of: kind, app, query)
        func isMuch(_ lines: Int) -> Bool { stored == 0 || lines >= 10 && lines * 10 >= lines + stored }
        let rejected = ofKind.filter { $0.leftOutOf == nil }
        let count = rejected.reduce(0) { $0 + $1.lines }
        if count > 0, isMuch(count) {
          found.append(
            RejectedKind(app: app.name, kind: kind, lines: count, stored: stored, reasons: rejected.map(\.reason)))
        }
        for left in ofKind where left.leftOutOf != nil && isMuch(left.lines) {
          found.append(
            RejectedKind(
              app: app.name, kind: kind, lines: left.lines, stored: stored, reasons: [], leftOutOf: left.leftOutOf))
        }
      }
    }
    return found.sorted { $0.lines > $1.lines }
  }

  /// Returns whether one of the apps has an event of one of the kinds.
  static func hasEvents(of kinds: [EventKind], _ apps: [String], _ snapshot: StoreSnapshot) throws -> Bool {
    struct Found: Error {}
    let query = try ReportQuery(snapshot, ReportOptions(), defaultBy: [])
    let ids = query.apps.filter { apps.contains($0.name) }.map(\.id)
    do {
      try query.facts.forEachEvent(kinds) { if ids.contains($0.app) { throw Found() } }
      return false
    } catch is Found {
      return true
    }
  }

  private static func eventCount(of kind: EventKind, _ app: StoreSnapshot.App, _ query: ReportQuery) throws -> Int {
    var count = 0
    try query.facts.forEachEvent([kind]) { if $0.app == app.id { count += 1 } }
    return count
  }
}
