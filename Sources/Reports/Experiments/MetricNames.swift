public import Metrics

extension ExperimentMetric {
  /// The name without a currency, such as `revenue`.
  var baseName: String { String(name.prefix { $0 != ":" }) }

  /// The name shown to readers, such as `week-2 usage`; an own metric keeps the name from its plan.
  public var readerName: String {
    switch baseName {
    case "trial_start": "trials"
    case "trial_to_paid": "paid, of trials"
    case "revenue": "revenue a user"
    case "revenue_capped": "revenue a user, capped"
    case "revenue_per_payer": "revenue a payer"
    case "value_12": "value at 12 months"
    case "trial_cancelled": "cancelled, of trials"
    case "trial_cancelled_per_exposed": "cancelled trials, of all users"
    case "retained": "week-2 usage"
    default: visible(name)
    }
  }

  /// Returns ``readerName`` with the time after the first exposure, such as `paid within 14 days`.
  func readerNameWithTime(_ plan: ExperimentPlan) -> String {
    if let own = plan.metrics.first(where: { $0.name == name }) {
      return own.window.lowerBound == 0
        ? "\(readerName) within \(Self.days(own.window.upperBound)) days"
        : "\(readerName), \(Self.days(own.window.lowerBound)) to \(Self.days(own.window.upperBound)) days later"
    }
    let days = Self.days(horizon)
    switch baseName {
    case "trial_start", "paid", "refunded": return "\(readerName) within \(days) days"
    case "trial_to_paid": return "\(readerName), within \(days) days"
    case "revenue", "revenue_capped", "revenue_per_payer": return "\(readerName), first \(days) days"
    case "trial_cancelled": return "cancelled in trial, of trials"
    case "trial_cancelled_per_exposed": return "cancelled in trial, of all users"
    case "retained": return "used again in week 2"
    default: return readerName
    }
  }

  /// Returns ``readerNameWithTime(_:)`` in fewer letters, such as `paid by 14 d`, with the currency of money.
  func shortName(_ plan: ExperimentPlan) -> String {
    if let own = plan.metrics.first(where: { $0.name == name }) {
      let (first, last) = (own.window.lowerBound, own.window.upperBound)
      return first == 0
        ? "\(readerName) by \(Self.days(last)) d" : "\(readerName), \(Self.days(first)) to \(Self.days(last)) d"
    }
    let days = Self.days(horizon)
    let currency = if case .money(let code) = unit { code } else { "" }
    switch baseName {
    case "trial_start", "paid", "refunded": return "\(readerName) by \(days) d"
    case "trial_to_paid": return "trials paid, \(days) d"
    case "revenue", "revenue_capped": return "\(currency) a user, \(days) d"
    case "revenue_per_payer": return "\(currency) a payer, \(days) d"
    case "value_12": return "\(currency) at 12 months"
    case "trial_cancelled": return "trials cancelled"
    case "retained": return "used in week 2"
    default: return readerNameWithTime(plan)
    }
  }

  private static func days(_ milliseconds: Int64) -> String {
    let days = Double(milliseconds) / 86_400_000
    return fixed(days, days == days.rounded() ? 0 : 1)
  }

  /// The better direction; `nil` for a metric whose change is neither good nor bad by itself.
  var goodDirection: Direction? { direction == .neither ? nil : direction }

  /// `↑` if more is better, `↓` if less is better.
  var arrow: String { goodDirection.map { $0 == .up ? "↑" : "↓" } ?? "" }
}

extension MetricRole {
  var readerName: String { rawValue.replacing("_", with: " ") }
}

/// Returns the name shown to readers for a metric's identifier.
func readerName(ofMetric name: String, in readout: ExperimentReadout) -> String {
  if let metric = readout.metrics.first(where: { $0.metric.name == name || $0.metric.baseName == name }) {
    return metric.metric.readerName
  }
  return visible(name)
}

/// Returns the words for a missing value's reason, from its code or as the sentence that it already is.
func reasonWords(_ reason: String) -> String {
  switch reason {
  case "no_usage_events": "no usage events"
  case "nothing_to_compare": "nothing to compare"
  default: visible(reason.contains(" ") ? reason : reason.replacing("_", with: " "))
  }
}
