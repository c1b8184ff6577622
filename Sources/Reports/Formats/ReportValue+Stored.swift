import Metrics

extension ReportValue {
  /// The value as CSV and JSON have it, `nil` when undefined; implements definitions 1.8.
  var storedText: String? {
    switch self {
    case .text(let text): text
    case .count(let count): String(count)
    case .rate(let value), .number(let value): value.flatMap(sixDecimalText)
    case .money(let microUnits, let currency):
      microUnits.map {
        fixedPointText(
          printedUnits(microUnits: $0, decimals: moneyDecimals(currency)), decimals: moneyDecimals(currency))
      }
    case .estimate(let microUnits, let currency):
      microUnits.flatMap { printedUnits(estimate: $0, decimals: moneyDecimals(currency)) }
        .map { fixedPointText($0, decimals: moneyDecimals(currency)) }
    case .percent(let percent): percent.map { String($0) }
    case .probability(let chance): chance.flatMap(sixDigitText)
    }
  }

  var isText: Bool { if case .text = self { true } else { false } }
}
