import Basics
import Dashboard
import Metrics
import Store

extension StoreReports: PageSource {
  func facts() throws -> StoreFacts {
    try Store.open(readOnly: storePath).read { snapshot in
      var facts = StoreFacts()
      facts.apps = try snapshot.apps().compactMap { app in
        guard let newest = app.newestAsOf else { return nil }
        let day = 86_400_000 as Int64
        return DataApp(name: app.name, days: Int(app.firstDay / day)..<Int((newest - 1) / day) + 1)
      }
      facts.experiments = try ReportKind.experiments.cached(snapshot).map(StoreFacts.Experiment.all)
      facts.warnings = try ReportKind.health.cached(snapshot)?.rows.count { row in
        row.contains(.text("warning"))
      }
      return facts
    }
  }

  func home(
    apps: [String], timeZone: String?, days: Overview.Days, comparison: Overview.Comparison,
    deadline: ContinuousClock.Instant
  ) throws(ReportFault) -> HomeReports {
    var options = ReportOptions()
    options.apps = apps
    if let timeZone { options.timeZone = timeZone }
    // The checks take as long as all numbers: neither waits for the other.
    let parts = [true, false].concurrentMap { [options] isHealth in
      Result { () throws(ReportFault) -> (home: HomeReports?, health: Report?) in
        try made(deadline) { snapshot in
          if isHealth { return (nil, try ReportKind.health.report(snapshot, options)) }
          return (
            try HomeReports(snapshot, options, days: days, comparison: comparison, plans: plans, isWhole: false), nil
          )
        }
      }
    }
    let (health, home) = (try parts[0].get().health, try parts[1].get().home)
    guard var home else { throw ReportFault(.unexpected, "the overview has no numbers") }
    home.health = health
    return home
  }

  func person(user: String, app: String?, deadline: ContinuousClock.Instant) throws(ReportFault) -> PersonTimeline? {
    try made(deadline) { snapshot in
      var options = ReportOptions()
      options.apps = app.map { [$0] } ?? []
      return try PersonTimeline.find(user, snapshot, options)
    }
  }

  private func made<Made>(
    _ deadline: ContinuousClock.Instant, _ make: (StoreSnapshot) throws -> Made
  ) throws(ReportFault) -> Made {
    do {
      return try Store.open(readOnly: storePath).read(until: deadline, make)
    } catch {
      throw Self.fault(error)
    }
  }
}
