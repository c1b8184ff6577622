internal import Lifecycle
internal import Store

extension ReportQuery {
  /// Returns the variants of each app by the first exposure of any user, then by name; filters and days do not count.
  func variantOrder() throws -> [NameID: [String]] {
    var first: [NameID: [NameID: Int64]] = [:]
    func add(_ app: NameID, _ variant: NameID, _ ts: Int64) {
      guard let asOf = facts.asOf[app], ts < asOf else { return }
      first[app, default: [:]][variant] = min(first[app]?[variant] ?? .max, ts)
    }
    if let cells = try facts.firstSightCells() {
      var units: [ExposureUnit] = []
      for (facet, value) in cells.facets.enumerated() {
        // Cells come day by day: the first one has the first exposure.
        do {
          try cells.forEachCell(.exposure, facet: facet, days: CellFamily.days) { cell in
            cell.exposures(into: &units)
            if let ts = units.map(\.ts).min() { add(value.segment.app, value.segment.context.variant, ts) }
            throw Found()
          }
        } catch is Found {}
      }
    } else {
      try facts.forEachRow(
        "SELECT app, variant, MIN(ts) FROM \(facts.table(.exposure)) AS x GROUP BY app, variant"
      ) { row in add(row.int32(0), row.int32(1), row[2]) }
    }
    return first.mapValues { variants in
      variants.map { (name: facts.name(Int($0.key)), ts: $0.value) }.sorted { left, right in
        left.ts == right.ts ? precedesInBytes(left.name, right.name) : left.ts < right.ts
      }.map(\.name)
    }
  }
}

private struct Found: Error {}
