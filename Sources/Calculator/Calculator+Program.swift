internal import Statistics

extension Calculator {
  static let programMethods: [String: Method] = [
    "shrunken_effects": { fields in
      try fields.requireEqualCounts("log_lift", "se", "shipped")
      let (values, errors) = (try fields.numbers("log_lift"), try fields.numbers("se"))
      let shipped = try fields.flags("shipped")
      guard (1...1_000).contains(values.count) else {
        throw CalculatorError.invalid("input.log_lift must have 1 to 1000 tests")
      }
      guard values.allSatisfy({ abs($0) <= 20 }), errors.allSatisfy({ $0 >= 1e-4 && $0 <= 100 }) else {
        throw CalculatorError.invalid("input.log_lift must be from -20 to 20, input.se from 1e-4 to 100")
      }
      let effects = ShrunkenEffects(zip(values, errors).map { LogLift(value: $0, variance: $1 * $1) })
      let sum = effects.sum(of: shipped.indices.filter { shipped[$0] })
      var result: Values = [
        "shrunken": effects.means, "sum": sum?.mean, "sum_low": sum?.interval.low, "sum_high": sum?.interval.high,
      ]
      if sum == nil { result["reason"] = "not estimable: nothing is shipped" }
      return result
    }
  ]
}

extension Fields {
  /// Reads a list whose items are `true` or `false`, or 1 or 0.
  fileprivate func flags(_ name: String) throws -> [Bool] {
    guard case .array(let items)? = values[name] else {
      throw CalculatorError.invalid("\(place).\(name) is \(values[name]?.text ?? "missing"), but must be a list")
    }
    return try items.map { item in
      switch item {
      case .bool(let value): value
      case .number(1): true
      case .number(0): false
      default:
        throw CalculatorError.invalid("\(place).\(name) has \(item.text), but must be a list of true and false")
      }
    }
  }
}
