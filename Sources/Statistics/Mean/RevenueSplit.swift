internal import RealModule

/// An arm's revenue: its users, its payers and their payments.
public struct RevenueArm: Hashable, Sendable {
  public var users: Double
  /// The payments of payers only.
  public var payments: Moments

  public init(users: Double, payments: Moments) {
    precondition(payments.count <= users, "payers are \(payments.count), but must be at most users, \(users)")
    self.users = users
    self.payments = payments
  }

  public var conversion: Proportion { Proportion(successes: payments.count, trials: users) }

  /// Revenue per user, including zeros.
  public var perUser: Moments {
    var all = Moments(count: users - payments.count, sum: 0, sumOfSquares: 0)
    all.merge(payments)
    return all
  }
}

/// The lift of revenue per user, split by revenue / user = conversion × revenue / payer.
public struct RevenueSplit: Hashable, Sendable {
  /// ln of the ratio treatment / control of revenue per user: the sum of the two below.
  public var logRatio: Double
  public var logConversionRatio: Double
  public var logRevenuePerPayerRatio: Double
  /// Miettinen–Nurminen interval of the ratio of conversions.
  public var conversionRatio: Interval
  /// Fieller's set of the ratio of revenue per payer, by Welch's critical value.
  public var revenuePerPayerRatio: FiellerSet
  public var revenuePerPayer: WelchTest
}

/// Splits the lift of revenue per user into the lifts of conversion and of revenue per payer.
///
/// The treatment itself determines who pays, so revenue per payer is descriptive and not an effect on any user.
///
/// - Returns: `nil` unless both arms have two or more payers, a positive revenue, and payments that vary.
public func revenueSplit(
  treatment: RevenueArm, control: RevenueArm, confidence: Double = 0.95
) -> RevenueSplit? {
  guard
    let own = MeanArm(treatment.payments), let other = MeanArm(control.payments), own.mean > 0, other.mean > 0,
    let test = welchTest(own, other, confidence: confidence),
    let rate1 = treatment.conversion.estimate, let rate0 = control.conversion.estimate,
    let conversion = scoreRatio(
      treatment.conversion, control.conversion, z: NormalDistribution.criticalValue(confidence: confidence))
  else { return nil }
  let (byConversion, byPayer) = (Double.log(rate1 / rate0), Double.log(own.mean / other.mean))
  return RevenueSplit(
    logRatio: byConversion + byPayer, logConversionRatio: byConversion, logRevenuePerPayerRatio: byPayer,
    conversionRatio: conversion,
    revenuePerPayerRatio: fiellerRatio(own.estimate, other.estimate, critical: test.critical), revenuePerPayer: test)
}
