/// The truth behind the sample: the rates by which its users act, and the values that the reports should find.
///
/// The simulator takes all probabilities from here. Rates that follow from them (such as the share of trials that
/// convert) are computed here by formula, never by counting a sample.
public struct Truth: Sendable {
  /// In byte order of their names, as in reports.
  public var apps: [AppTruth]

  /// The four apps of the sample.
  public static let standard = Truth(apps: [.coach, .praxisen, .steps, .techniq])

  /// Returns the app with a name in event files; `nil` if there is none.
  public func app(_ name: String) -> AppTruth? {
    apps.first { $0.name == name }
  }
}
