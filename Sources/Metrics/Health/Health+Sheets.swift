internal import Lifecycle
internal import Store

extension Health {
  /// Finds app versions that send no `purchase_started`, although their users started trials or paid, by
  /// ``CheckoutPath/sheets(_:)``. Apps without any such event are left out: they do not log the store's sheet.
  ///
  /// - Returns: By app.
  static func missingSheets(_ query: ReportQuery) throws -> [NameID: HealthCheck] {
    let options = query.options.split(by: [.platform, .appVersion])
    let versions = try ReportQuery(query.snapshot, options, defaultBy: [])
    let rows = try CheckoutPath.sheets(versions)
    let tells = Set(rows.filter(\.value.areSent).map(\.key.app))
    var checks: [NameID: HealthCheck] = [:]
    for app in query.apps where tells.contains(app.id) {
      let own = rows.filter { $0.key.app == app.id && $0.value.hasStarts }
      let lacking = own.filter { !$0.value.areSent }.map { versions.labels($0.key).dropFirst().joined(separator: " ") }
      let names = lacking.sorted(by: precedesInBytes)
      checks[app.id] = HealthCheck(
        app.name, "app versions that never send purchase_started", names.count, of: own.count, affects: ["paths"],
        names.isEmpty
          ? "every version whose users start trials or pay reports the store's sheet"
          : "paths has no count of opened sheets for them: \(names.prefix(5).joined(separator: ", "))"
            + (names.count > 5 ? ", ..." : ""))
    }
    return checks
  }
}
