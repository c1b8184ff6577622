internal import Lifecycle

/// How long ago the first payment of an active purchase was at an origin.
struct AgeBand: Hashable, Comparable {
  /// That of open trials, which have paid nothing yet.
  static let trial = AgeBand(place: -1)

  /// The number of ``DueTable/horizons`` that the purchase has lived through; -1 for a trial.
  private let place: Int

  private init(place: Int) { self.place = place }

  /// - Parameter age: Milliseconds.
  init(age: Int64) { place = DueTable.horizons.count { Int64($0) * day <= age } }

  /// Days, such as `30-89`, or `trial`.
  var name: String {
    if self == .trial { return "trial" }
    let first = place == 0 ? 0 : DueTable.horizons[place - 1]
    return place < DueTable.horizons.count ? "\(first)-\(DueTable.horizons[place] - 1)" : "\(first)+"
  }

  static func < (left: Self, right: Self) -> Bool { left.place < right.place }
}
