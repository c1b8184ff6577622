internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

/// The users of an app who first saw a paywall or an experiment so long ago that all of their windows are over.
struct PastUsers {
  /// The users in an order that depends only on their own data.
  let people: [ReplayPerson]
  /// The currency of revenue: the one with most payers, then the first in byte order; `nil` if no user paid.
  let currency: String?

  /// A user with all data that an order can depend on.
  private struct Sight {
    var ts: Int64
    var hasOutcome: Bool
    var wasActive: Bool
    var revenues: [ExposureOutcome.Revenue]
  }

  /// - Returns: Past users by app; apps without any are omitted.
  static func read(_ query: ReportQuery, _ metric: ReplayMetric) throws -> [NameID: PastUsers] {
    let days = LocalDays(from: query.options.from, to: query.options.to).range
    var sights: [NameID: [Sight]] = [:]
    try query.facts.forEachFirstSight { app, sight in
      guard let asOf = query.asOfs[app], sight.ts + ExposureOutcome.revenueHorizon <= asOf,
        days.contains(query.localTime.day(of: sight.ts))
      else { return }
      sights[app, default: []].append(
        Sight(
          ts: sight.ts, hasOutcome: metric.isMet(sight.outcome),
          wasActive: sight.outcome.flags.contains(.wasActiveBefore),
          revenues: sight.outcome.revenues))
    }
    return sights.mapValues { PastUsers($0, query) }
  }

  private init(_ sights: [Sight], _ query: ReportQuery) {
    var payers: [NameID: Int] = [:]
    for sight in sights {
      for revenue in sight.revenues where revenue.hasPaid { payers[revenue.currency, default: 0] += 1 }
    }
    let named = payers.map { (id: $0.key, name: query.facts.name(Int($0.key)), payers: $0.value) }
    let most = named.max { left, right in
      left.payers != right.payers ? left.payers < right.payers : precedesInBytes(right.name, left.name)
    }
    currency = most?.name
    let found = sights.map { sight in
      let revenue = sight.revenues.first { $0.currency == most?.id }
      return (
        ts: sight.ts,
        person: ReplayPerson(
          day: Int(sight.ts / day), isConverted: sight.hasOutcome, revenue: Double(revenue?.net ?? 0) / 1e6,
          hasPaid: revenue?.hasPaid ?? false, wasActive: sight.wasActive,
          revenueBefore: Double(revenue?.netBefore ?? 0) / 1e6)
      )
    }
    people = found.sorted { left, right in
      if left.ts != right.ts { return left.ts < right.ts }
      if left.person.isConverted != right.person.isConverted { return right.person.isConverted }
      if left.person.revenue != right.person.revenue { return left.person.revenue < right.person.revenue }
      if left.person.revenueBefore != right.person.revenueBefore {
        return left.person.revenueBefore < right.person.revenueBefore
      }
      if left.person.wasActive != right.person.wasActive { return right.person.wasActive }
      return !left.person.hasPaid && right.person.hasPaid
    }.map(\.person)
  }
}

/// The metric that is compared between past users (Experiments.md, "Metrics").
public enum ReplayMetric: String, CaseIterable, Sendable {
  case paid
  case trialStart = "trial_start"
  case trialCancelled = "trial_cancelled"
  case refunded
  case retained

  func isMet(_ outcome: ExposureOutcome) -> Bool {
    ExperimentMetric.flag(of: rawValue).map(outcome.flags.contains) ?? false
  }
}
