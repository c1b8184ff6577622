import Metrics

extension ExperimentMetric {
  /// The name without a currency, such as `revenue`.
  var baseName: String { String(name.prefix { $0 != ":" }) }

  /// The name that readers see, such as `used again in week 2`; an own metric keeps the one that its plan gives it.
  var readerName: String {
    switch baseName {
    case "trial_start": "trials"
    case "trial_to_paid": "paid, of trials"
    case "revenue": "revenue a viewer"
    case "revenue_capped": "revenue a viewer, capped"
    case "revenue_per_payer": "revenue a payer"
    case "value_12": "value at 12 months"
    case "trial_cancelled": "cancelled, of trials"
    case "trial_cancelled_per_exposed": "cancelled trials, of all users"
    case "retained": "used again in week 2"
    default: visible(name)
    }
  }

  /// Which way is better (D10.1); `nil` of a metric whose change is neither good nor bad by itself.
  var goodDirection: Direction? { direction == .neither ? nil : direction }

  /// `↑` where more is better, `↓` where less is.
  var arrow: String { goodDirection.map { $0 == .up ? "↑" : "↓" } ?? "" }
}

extension MetricRole {
  var readerName: String {
    switch self {
    case .goal: "goal"
    case .money: "money"
    case .longTerm: "long term"
    case .guardrail: "guardrail"
    case .secondary: "secondary"
    }
  }
}

/// The name that readers see of a metric known by its identifier only.
func readerName(ofMetric name: String, in readout: ExperimentReadout) -> String {
  if let metric = readout.metrics.first(where: { $0.metric.name == name || $0.metric.baseName == name }) {
    return metric.metric.readerName
  }
  return visible(name)
}

/// Why something is missing, in words: a reason's code, or the sentence that it already is.
func reasonWords(_ reason: String) -> String {
  switch reason {
  case "no_usage_events": "no usage events"
  case "nothing_to_compare": "nothing to compare"
  default: visible(reason.contains(" ") ? reason : reason.replacing("_", with: " "))
  }
}
