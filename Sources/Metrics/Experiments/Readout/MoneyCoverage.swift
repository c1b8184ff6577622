internal import Statistics

/// The decision currency of an experiment and the number of payers covered by rates to it.
struct MoneyCoverage: Sendable, Equatable {
  /// The least covered share of a variant's payers; below it, money is partial.
  static let leastShare = 0.95
  /// The level of the test for equal coverage; with p below it, money is partial too.
  static let alpha = 0.01

  /// ISO 4217.
  var currency: String
  /// Users who paid above 0, by arm.
  var payers: [Int]
  /// The payers all of whose payments have a rate, by arm.
  var covered: [Int]
  /// Payments and refunds without a rate, by currency; they count as 0.
  var missing: [String: Int]

  /// The covered shares by arm; `nil` without payers.
  var shares: [Double?] { zip(covered, payers).map { $1 == 0 ? nil : Double($0) / Double($1) } }

  /// p of equal coverage in all arms with payers, by the N − 1 χ²; `nil` if nothing differs or there is nothing to
  /// compare.
  var equalityP: Double? {
    Homogeneity(zip(covered, payers).map { [$0, $1 - $0] })?.pOfFew
  }

  /// Whether too few payers are covered, or unequally many; implements D6.3.
  var isPartial: Bool {
    shares.contains { ($0 ?? 1) < Self.leastShare } || (equalityP ?? 1) < Self.alpha
  }
}
