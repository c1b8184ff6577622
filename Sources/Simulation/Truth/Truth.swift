/// Everything that is true of the sample: the rates by which its persons act, and what the reports should find.
///
/// The simulator reads its probabilities from here and nowhere else, and the rates that follow from them (such as
/// the share of trials that convert) are computed here by formula, never by counting a sample.
public struct Truth: Sendable {
  /// In byte order of their names, as in reports.
  public var apps: [AppTruth]

  public init(apps: [AppTruth]) {
    self.apps = apps
  }

  /// The four apps of the sample.
  public static let standard = Truth(apps: [.coach, .praxisen, .steps, .techniq])

  /// The app of that name in event files; `nil` when there is none.
  public func app(_ name: String) -> AppTruth? {
    apps.first { $0.name == name }
  }
}
