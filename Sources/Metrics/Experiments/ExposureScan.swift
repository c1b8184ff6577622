internal import EventModel
internal import Lifecycle
internal import Store

/// The exposures to an experiment since an instant, from events: for those who had met it before.
struct ExposureScan {
  static let table = "temp.later_exposure"

  private let facts: FactSource
  private let app: NameID
  private let experiment: NameID
  private let since: Int64

  init(_ facts: FactSource, app: NameID, experiment: NameID, since: Int64) {
    self.facts = facts
    self.app = app
    self.experiment = experiment
    self.since = since
  }

  private struct Key: Hashable {
    var person: Int32
    var variant: NameID
  }

  /// Keeps ``table``, with the columns of an exposure fact.
  func keep() throws {
    var variants: [Int32: NameID] = [:]
    try facts.forEachRow("SELECT id, variant FROM context WHERE experiment = \(experiment)") { row in
      variants[Int32(row[0])] = NameID(row[1])
    }
    var first: [Key: (ts: Int64, client: Int32)] = [:]
    try facts.forEachEvent(of: app) { event in
      guard event.kind == .exposure || event.kind == .paywallImpression, event.ts >= since,
        let variant = variants[event.context]
      else { return }
      let key = Key(person: event.person, variant: variant)
      if event.ts < first[key]?.ts ?? .max { first[key] = (event.ts, event.client) }
    }
    try facts.keep(
      "later_exposure",
      columns: ["person", "app", "experiment", "variant", "ts", "client"].map { "\($0) INTEGER NOT NULL" },
      rows: first.map { key, exposure in
        [
          Int64(key.person), Int64(app), Int64(experiment), Int64(key.variant), exposure.ts, Int64(exposure.client),
        ]
      })
  }
}
