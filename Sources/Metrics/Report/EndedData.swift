/// Data of an app that end long before those of other apps: files are missing, or the app has stopped.
enum EndedData {
  /// Data that end fewer days before others may only be late.
  static let leastDays = 7

  /// - Parameters:
  ///   - last: The last day of an app's data, in days since 1970.
  ///   - newest: That of the newest data of any app.
  static func hasEnded(_ last: Int, before newest: Int) -> Bool { newest - last >= leastDays }
}

extension Report {
  /// Returns the apps whose data end at least a week before the newest of all.
  public static func ended(_ apps: [AppInstant]) -> [AppInstant] {
    func lastDay(_ asOf: Int64) -> Int { Int(floorDays(asOf - 1)) }
    guard let newest = apps.map({ lastDay($0.asOf) }).max() else { return [] }
    return apps.filter { EndedData.hasEnded(lastDay($0.asOf), before: newest) }
  }
}
