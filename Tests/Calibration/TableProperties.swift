import Statistics

/// A property that must hold for every table of two arms.
private struct Property {
  var name: String
  /// Returns whether a table has the property; `nil` if the property does not apply.
  var holds: @Sendable (_ one: Proportion, _ two: Proportion) -> Bool?
}

/// Checks the properties over all tables with arms of the given sizes.
func propertyChecks(sizes: [Int]) -> [Check] {
  let tables = Tables(sizes: sizes)
  return properties.map { property in
    var (broken, asked) = (0, 0)
    var first: String?
    tables.forEach { one, two in
      guard let holds = property.holds(one, two) else { return }
      asked += 1
      if !holds {
        broken += 1
        first = first ?? "\(one.successes)/\(one.trials) and \(two.successes)/\(two.trials)"
      }
    }
    return Check(
      name: property.name, setting: "all tables with n to \(sizes.max() ?? 0)",
      outcome: .violations(broken, of: asked, first: first))
  }
}

private struct Tables {
  let sizes: [Int]

  func forEach(_ body: (_ one: Proportion, _ two: Proportion) -> Void) {
    for n1 in sizes {
      for n2 in sizes {
        for x1 in 0...n1 {
          for x2 in 0...n2 {
            body(
              Proportion(successes: Double(x1), trials: Double(n1)),
              Proportion(successes: Double(x2), trials: Double(n2)))
          }
        }
      }
    }
  }
}

/// Exactly on the edge, rounding decides.
private func isOnTheEdge(_ p: Double) -> Bool { abs(p - 0.05) < 1e-9 }

private func isNear(_ value: Double, _ other: Double, _ tolerance: Double) -> Bool { abs(value - other) <= tolerance }

private let properties: [Property] = [
  Property(name: "interval excludes a margin as its test rejects it") { one, two in
    guard let interval = miettinenNurminenDifference(one, two) else { return nil }
    return [-0.3, 0, 0.1].allSatisfy { margin in
      guard let test = miettinenNurminenTest(one, two, margin: margin), !isOnTheEdge(test.twoSidedP) else {
        return true
      }
      return interval.contains(margin) == (test.twoSidedP > 0.05)
    }
  },
  Property(name: "ratio excludes 1 as the difference excludes 0") { one, two in
    guard let test = miettinenNurminenTest(one, two), !isOnTheEdge(test.twoSidedP), let ratio = scoreRatio(one, two)
    else { return nil }
    return ratio.contains(1) == (test.twoSidedP > 0.05)
  },
  Property(name: "swapping arms negates differences and inverts ratios") { one, two in
    guard
      let there = miettinenNurminenDifference(one, two), let back = miettinenNurminenDifference(two, one),
      let newcombe = newcombeDifference(one, two), let mirrored = newcombeDifference(two, one),
      let ratio = scoreRatio(one, two), let inverse = scoreRatio(two, one)
    else { return nil }
    return isNear(there.low, -back.high, 1e-14) && isNear(there.high, -back.low, 1e-14)
      && isNear(newcombe.low, -mirrored.high, 1e-14)
      && (ratio.low == 0 ? inverse.high == .infinity : isNear(ratio.low * inverse.high, 1, 1e-11))
  },
  Property(name: "one more success raises both bounds") { one, two in
    guard one.failures > 0 else { return nil }
    let more = Proportion(successes: one.successes + 1, trials: one.trials)
    return [miettinenNurminenDifference, newcombeDifference].allSatisfy { method in
      guard let before = method(one, two, normalQuantile975), let after = method(more, two, normalQuantile975) else {
        return false
      }
      return after.low >= before.low - 1e-12 && after.high >= before.high - 1e-12
    }
  },
  Property(name: "intervals lie in -1…1 and contain the estimate") { one, two in
    let estimate = one.successes / one.trials - two.successes / two.trials
    return [miettinenNurminenDifference, newcombeDifference].allSatisfy { method in
      guard let interval = method(one, two, normalQuantile975) else { return false }
      return interval.low >= -1 && interval.high <= 1 && interval.low <= estimate + 1e-15
        && interval.high >= estimate - 1e-15
    }
  },
  Property(name: "Miettinen–Nurminen at 0 is the N − 1 test") { one, two in
    guard let score = miettinenNurminenTest(one, two), let chiSquare = nMinus1Test(one, two) else { return nil }
    return isNear(score.twoSidedP, chiSquare.p, 1e-12)
  },
]
