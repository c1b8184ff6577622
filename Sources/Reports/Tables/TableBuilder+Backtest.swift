import Metrics

/// The sentences below the table of tested forecasts.
extension TableBuilder {
  var backtestNotes: [String] {
    let held = "In range: share of the 90% ranges, computed from earlier errors, that contained the outcome."
    return [held, waiting].compactMap(\.self) + unknown + ["Later returns are left out."]
  }

  /// How long rows have to wait for a range, by horizon.
  private var waiting: String? {
    guard let days = places["horizon_days"] else { return nil }
    var needed: [String: [(count: Int, unit: String)]] = [:]
    for row in rows {
      for part in notes(row) where part.hasPrefix("range needs") {
        guard let count = part.firstMatch(of: /[0-9]+/).flatMap({ Int($0.output) }),
          let unit = part.split(separator: " ").last
        else { continue }
        needed[row[days].textValue ?? "", default: []].append((count, String(unit)))
      }
    }
    let parts = needed.sorted { (Int($0.key) ?? 0) < (Int($1.key) ?? 0) }.compactMap { days, waits -> String? in
      guard let least = waits.map(\.count).min(), let most = waits.max(by: { $0.count < $1.count }) else { return nil }
      let count = least == most.count ? "\(least)" : "\(least) to \(most.count)"
      return "\(days) days (\(count) more \(most.unit) needed)"
    }
    return parts.isEmpty ? nil : "No range yet: \(parts.joined(separator: "; "))."
  }

  /// Why rows have no forecast, the first few.
  private var unknown: [String] {
    guard let app = places["app"] else { return [] }
    var found: [String] = []
    for row in rows {
      for part in notes(row) where !part.isEmpty && !part.hasPrefix("range needs") && !part.hasSuffix("was closer") {
        let whose = isOneApp ? "" : "\(text(row[app].textValue ?? "")): "
        found.append("\(whose)\(whose.isEmpty ? text(part).capitalizedFirst : text(part)).")
      }
    }
    return found.count > 4 ? found.prefix(3) + ["\(countText(found.count - 3)) more rows have none yet."] : found
  }

  private func notes(_ row: [ReportValue]) -> [String] { places["note"].map { row[$0].parts } ?? [] }
}
