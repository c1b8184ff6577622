internal import Lifecycle

/// How long ago the first payment of an active purchase was at an origin.
struct AgeBand: Hashable, Comparable {
  /// The number of ``DueTable/horizons`` that the purchase has lived through.
  private let place: Int

  /// - Parameter age: Milliseconds.
  init(age: Int64) { place = DueTable.horizons.count { Int64($0) * day <= age } }

  /// Days, such as `30-89`.
  var name: String {
    let first = place == 0 ? 0 : DueTable.horizons[place - 1]
    return place < DueTable.horizons.count ? "\(first)-\(DueTable.horizons[place] - 1)" : "\(first)+"
  }

  static func < (left: Self, right: Self) -> Bool { left.place < right.place }
}
