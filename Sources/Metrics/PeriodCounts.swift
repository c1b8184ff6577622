internal import Statistics

/// How many spells had the chance to make each payment, and made it (definitions 6.4).
struct PeriodCounts {
  /// By payment number from 2: those whose due date + grace is over.
  private(set) var chances: [Int] = []
  /// Of those, who made it.
  private(set) var paid: [Int] = []
  /// Of those with the chance, who had made the payment before.
  private(set) var atRisk: [Int] = []

  /// - Parameters:
  ///   - last: The last payment that the spell had the chance to make, from 1.
  ///   - payments: That it made.
  mutating func add(chancesUpTo last: Int, payments: Int) {
    while chances.count < last - 1 {
      chances.append(0)
      paid.append(0)
      atRisk.append(0)
    }
    for number in stride(from: 2, through: last, by: 1) {
      chances[number - 2] += 1
      if payments >= number { paid[number - 2] += 1 }
      if payments >= number - 1 { atRisk[number - 2] += 1 }
    }
  }

  mutating func add(_ other: PeriodCounts) {
    for place in other.chances.indices {
      if place == chances.count {
        chances.append(0)
        paid.append(0)
        atRisk.append(0)
      }
      chances[place] += other.chances[place]
      paid[place] += other.paid[place]
      atRisk[place] += other.atRisk[place]
    }
  }

  func chances(of number: Int) -> Int { number - 2 < chances.count ? chances[number - 2] : 0 }
  func paid(of number: Int) -> Int { number - 2 < paid.count ? paid[number - 2] : 0 }
  func atRisk(of number: Int) -> Int { number - 2 < atRisk.count ? atRisk[number - 2] : 0 }

  /// Kaplan–Meier over payment numbers: of those that made a payment and had the chance of the next, who made that.
  var survival: KaplanMeier<Int> {
    let numbers = chances.indices.map { $0 + 2 }
    return KaplanMeier(
      times: numbers, events: numbers.map { atRisk(of: $0) - paid(of: $0) },
      censored: numbers.map { paid(of: $0) - atRisk(of: $0 + 1) }, entered: atRisk(of: 2))
  }

  /// What a retention fit takes: who left and who stayed at each renewal, up to the last that anybody came to.
  var renewals: RenewalCounts {
    let last = atRisk.lastIndex { $0 > 0 }.map { $0 + 1 } ?? 0
    return RenewalCounts(
      lost: (0..<last).map { Double(atRisk[$0] - paid[$0]) }, kept: (0..<last).map { Double(paid[$0]) })
  }
}
