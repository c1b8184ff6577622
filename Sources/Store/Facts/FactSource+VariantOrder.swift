public import Lifecycle

extension FactSource {
  /// Returns the variants of each app by the first exposure of any user, then by name, read once; filters and days do not
  /// count.
  public func variantOrder() throws -> [NameID: [String]] {
    if let readVariantOrder { return readVariantOrder }
    let ends = ends(of: .paywallImpression)
    var first: [NameID: [NameID: Int64]] = [:]
    func add(_ app: NameID, _ variant: NameID, _ ts: Int64) {
      guard let end = ends[app], ts < end else { return }
      first[app, default: [:]][variant] = min(first[app]?[variant] ?? .max, ts)
    }
    if let cells = try firstSightCells() {
      var units: [ExposureUnit] = []
      for facet in try cells.places(of: .exposure) {
        let cellKey = cells.cellKeys[facet]
        // Cells come day by day: the first one has the first exposure.
        do {
          try cells.forEachCell(.exposure, facet: facet, days: CellFamily.days) { cell in
            cell.exposures(into: &units)
            if let ts = units.map(\.ts).min() { add(cellKey.app, cellKey.context.variant, ts) }
            throw Found()
          }
        } catch is Found {}
      }
    } else {
      try forEachRow("SELECT app, variant, MIN(ts) FROM \(table(.exposure)) AS x GROUP BY app, variant") { row in
        add(row.int32(0), row.int32(1), row[2])
      }
    }
    let order = first.mapValues { instants in
      let variants = instants.map { (name: name(Int($0.key)), ts: $0.value) }
      let sorted = variants.sorted { left, right in
        left.ts == right.ts ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8) : left.ts < right.ts
      }
      return sorted.map(\.name)
    }
    readVariantOrder = order
    return order
  }
}

private struct Found: Error {}
