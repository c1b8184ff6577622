/// A way to call a difference significant, as it is tried on users who were treated alike.
public enum ReplayMethod: Hashable, Sendable, CaseIterable {
  /// The score test of conversion at a fixed level.
  case conversionScore
  /// "Chance to win above 95 %" with a flat prior, in the normal approximation, for either arm.
  case conversionChanceToWin
  case conversionObrienFleming
  case conversionPocock
  case conversionAsymptoticSequence
  case conversionShare
  /// Welch's test of revenue per user at a fixed level.
  case revenueWelch
  /// The same after the pooled 99.9 % cap.
  case revenueWelchCapped
  case revenueObrienFleming
  case revenueAsymptoticSequence

  /// As it is printed.
  public var name: String {
    switch self {
    case .conversionScore: "conversion: score test"
    case .conversionChanceToWin: "conversion: chance to win > 95 %"
    case .conversionObrienFleming: "conversion: Lan–DeMets O'Brien–Fleming"
    case .conversionPocock: "conversion: Lan–DeMets Pocock"
    case .conversionAsymptoticSequence: "conversion: asymptotic sequence"
    case .conversionShare: "conversion: conversion share"
    case .revenueWelch: "revenue: Welch"
    case .revenueWelchCapped: "revenue: Welch, capped at 99.9 %"
    case .revenueObrienFleming: "revenue: Lan–DeMets O'Brien–Fleming"
    case .revenueAsymptoticSequence: "revenue: asymptotic sequence"
    }
  }

  /// The same without what it is a method for.
  public var ownName: String { String(name[(name.firstIndex(of: " ") ?? name.startIndex)...].dropFirst()) }

  /// Whether it looks at conversions, and not at revenue.
  public var isOfConversion: Bool { name.hasPrefix("conversion: ") }

  /// Whether daily looks are what the method is made for: then its rate must stay at the level.
  public var allowsDailyLooks: Bool {
    switch self {
    case .conversionScore, .conversionChanceToWin, .revenueWelch, .revenueWelchCapped: false
    default: true
    }
  }
}

/// How often a method was wrong on users who were treated alike.
public struct ReplayRate: Hashable, Sendable {
  public var method: ReplayMethod
  /// Alarms at the one look at the end; of a method for daily looks, by its bound there.
  public var atEnd: Int
  /// Alarms at any daily look.
  public var daily: Int
  public var repetitions: Int

  /// Fractions of 1.
  public var endRate: Double { Double(atEnd) / Double(repetitions) }
  public var dailyRate: Double { Double(daily) / Double(repetitions) }
}
