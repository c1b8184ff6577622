public import EventModel
internal import Lifecycle
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
    fileprivate var sentence: String {
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

  /// Returns a sentence for each rejected kind, and one for all kinds that were left out of a file.
  public static func sentences(of kinds: [RejectedKind]) -> [String] {
    kinds.enumerated().compactMap { place, kind in
      guard let file = kind.leftOutOf else { return kind.sentence }
      func isAlike(_ other: RejectedKind) -> Bool { other.leftOutOf == file && other.app == kind.app }
      if kinds[..<place].contains(where: isAlike) { return nil }
      let counts = kinds.filter(isAlike).map { "\($0.lines) \($0.kind.name)" }.joined(separator: " and ")
      return
        "\(counts) records of \(file) were left out by `tollgate init`, so numbers on \(kind.app) that need them are too "
        + "low or missing; run it again with the options in its lines with !, into a new store"
    }
  }

  /// Returns the kinds of events of which an app has rejected lines only, or many, the most lines first; likewise for
  /// records that `init` left out.
  ///
  /// - Parameters:
  ///   - kinds: The kinds to look at.
  ///   - apps: The names of the apps to look at; none for all.
  public static func rejectedKinds(
    _ snapshot: StoreSnapshot, of kinds: [EventKind] = EventKind.inOrder, apps: [String] = []
  ) throws -> [RejectedKind] {
    let names = Set(kinds.map(\.name))
    let lines = try (snapshot.rejectedEvents() + snapshot.leftOutEvents()).filter { names.contains($0.event) }
    if lines.isEmpty { return [] }
    let query = try ReportQuery(snapshot, ReportOptions(), defaultBy: [])
    var found: [RejectedKind] = []
    for app in query.apps where apps.isEmpty || apps.contains(app.name) {
      let own = lines.filter { $0.app.utf8.elementsEqual(app.name.utf8) }
      for kind in kinds {
        let ofKind = own.filter { $0.event == kind.name }.sorted { $0.lines > $1.lines }
        if ofKind.isEmpty { continue }
        let rejected = ofKind.filter { $0.leftOutOf == nil }
        let count = rejected.reduce(0) { $0 + $1.lines }
        // More stored events than 9 for each line are not counted: beside so many, the lines are few.
        let stored = try eventCount(of: [kind], [app.id], query, atMost: 9 * max(count, ofKind[0].lines) + 1)
        if areMany(count, beside: stored) {
          found.append(
            RejectedKind(app: app.name, kind: kind, lines: count, stored: stored, reasons: rejected.map(\.reason)))
        }
        for left in ofKind where left.leftOutOf != nil && areMany(left.lines, beside: stored) {
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
    let query = try ReportQuery(snapshot, ReportOptions(), defaultBy: [])
    return try eventCount(of: kinds, query.apps.filter { apps.contains($0.name) }.map(\.id), query, atMost: 1) > 0
  }

  /// Returns whether so many lines were lost that numbers without them mislead: all, or at least ten and a tenth.
  ///
  /// - Parameter stored: Events of the same kind that were not lost.
  public static func areMany(_ lost: Int, beside stored: Int) -> Bool {
    lost > 0 && (stored == 0 || lost >= 10 && lost * 10 >= lost + stored)
  }

  /// Counts events of apps, and stops at a number of them.
  private static func eventCount(
    of kinds: [EventKind], _ apps: [NameID], _ query: ReportQuery, atMost most: Int
  ) throws -> Int {
    struct Enough: Error {}
    var count = 0
    do {
      try query.facts.forEachEvent(kinds) { event in
        guard apps.contains(event.app) else { return }
        count += 1
        if count == most { throw Enough() }
      }
    } catch is Enough {}
    return count
  }
}
