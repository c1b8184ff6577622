internal import Statistics

/// The input of a request, with typed access to its fields and messages for the ones that do not fit.
///
/// Checks every range that a method requires of its arguments, because the methods trap on arguments out of range.
struct Fields {
  let values: [String: JSONValue]
  /// The path of the fields, such as `input.control`.
  var place = "input"

  func invalid(_ name: String, _ needed: String) -> CalculatorError {
    .invalid("\(place).\(name) is \(values[name]?.text ?? "missing"), but must be \(needed)")
  }

  /// Beyond this, the cube overflows.
  private static let largest = 1e100

  func number(_ name: String) throws -> Double {
    guard case .number(let value)? = values[name] else { throw invalid(name, "a number") }
    guard abs(value) <= Self.largest else { throw invalid(name, "from -1e100 to 1e100") }
    return value
  }

  func number(_ name: String, default value: Double) throws -> Double {
    values[name] == nil ? value : try number(name)
  }

  /// Reads a number above 0, in the range that doubles can divide by.
  func positive(_ name: String) throws -> Double {
    let value = try number(name)
    guard value >= 1e-100, value <= 1e100 else { throw invalid(name, "a number above 0, from 1e-100 to 1e100") }
    return value
  }

  /// Reads a parameter of a beta, gamma or t distribution; beyond 10¹² its continued fractions take seconds.
  func shape(_ name: String) throws -> Double {
    let value = try number(name)
    guard value >= 1e-6, value <= 1e12 else { throw invalid(name, "a number above 0, from 1e-6 to 1e12") }
    return value
  }

  func notNegative(_ name: String) throws -> Double {
    let value = try number(name)
    guard value >= 0 else { throw invalid(name, "a number, 0 or more") }
    return value
  }

  func notZero(_ name: String) throws -> Double {
    let value = try number(name)
    guard value != 0 else { throw invalid(name, "a number other than 0") }
    return value
  }

  /// Reads a number in (0, 1).
  func share(_ name: String, default standard: Double? = nil) throws -> Double {
    if let standard, values[name] == nil { return standard }
    let value = try number(name)
    guard value > 0, value < 1 else { throw invalid(name, "a number between 0 and 1") }
    return value
  }

  /// Reads a number in [0, 1].
  func probability(_ name: String) throws -> Double {
    let value = try number(name)
    guard value >= 0, value <= 1 else { throw invalid(name, "a number from 0 to 1") }
    return value
  }

  func confidence() throws -> Double { try level("conf", default: 0.95) }

  func alpha() throws -> Double { try level("alpha", default: 0.05) }

  /// Reads a number in (0, 1), far enough from both ends that 1 minus it is in (0, 1) too.
  func level(_ name: String, default standard: Double) throws -> Double {
    let value = try share(name, default: standard)
    guard value >= 1e-15, value <= 1 - 1e-15 else { throw invalid(name, "between 1e-15 and 1 - 1e-15") }
    return value
  }

  /// More users than anyone counts, and the limit for enumeration and continued fractions.
  static let mostUsers = 1e12

  /// Reads a whole number, at least `atLeast`.
  func count(_ name: String, atLeast least: Double = 0) throws -> Double {
    let value = try number(name)
    guard value >= least, value.rounded() == value, value <= Self.mostUsers else {
      throw invalid(name, "a whole number from \(Int(least)) to 1e12")
    }
    return value
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int {
    let value = try number(name)
    guard value.rounded() == value, value >= Double(range.lowerBound), value <= Double(range.upperBound) else {
      throw invalid(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return Int(value)
  }

  func proportion(_ successes: String, _ trials: String) throws -> Proportion {
    let (x, n) = (try count(successes), try count(trials))
    guard x <= n else { throw invalid(successes, "at most \(place).\(trials), \(n)") }
    return Proportion(successes: x, trials: n)
  }

  func numbers(_ name: String) throws -> [Double] {
    guard case .array(let items)? = values[name] else { throw invalid(name, "a list of numbers") }
    return try items.map { item in
      guard case .number(let value) = item, abs(value) <= Self.largest else {
        throw invalid(name, "a list of numbers from -1e100 to 1e100")
      }
      return value
    }
  }

  /// Reads a list of whole numbers, 0 or more.
  func counts(_ name: String) throws -> [Double] {
    let values = try numbers(name)
    guard values.allSatisfy({ $0 >= 0 && $0.rounded() == $0 && $0 <= Self.mostUsers }) else {
      throw invalid(name, "a list of whole numbers from 0 to 1e12")
    }
    return values
  }

  func rows(_ name: String) throws -> [[Double]] {
    guard case .array(let items)? = values[name] else { throw invalid(name, "a list of lists of numbers") }
    return try items.map { item in try Fields(values: [name: item], place: place).numbers(name) }
  }

  func fields(_ name: String) throws -> Fields {
    guard case .object(let inner)? = values[name] else { throw invalid(name, "an object") }
    return Fields(values: inner, place: "\(place).\(name)")
  }

  func objects(_ name: String) throws -> [Fields] {
    guard case .array(let items)? = values[name] else { throw invalid(name, "a list of objects") }
    return try items.enumerated().map { index, item in
      guard case .object(let inner) = item else { throw invalid(name, "a list of objects") }
      return Fields(values: inner, place: "\(place).\(name)[\(index)]")
    }
  }

  /// Throws unless the lists in the given fields have equal length.
  func requireEqualCounts(_ names: String...) throws {
    let counts = try names.map { name -> Int in
      guard case .array(let items)? = values[name] else { throw invalid(name, "a list") }
      return items.count
    }
    guard Set(counts).count == 1 else {
      throw CalculatorError.invalid("\(place): \(names.joined(separator: ", ")) must be of one length")
    }
  }
}
