internal import Statistics

/// Counts the spells that had the chance to make each payment, and those that made it, by ``DueDates``.
struct PeriodCounts {
  private struct Payment {
    /// Spells whose due date + grace is over.
    var chances = 0
    /// The spells among them that made the payment.
    var paid = 0
    /// Spells with the chance that had made the previous payment.
    var atRisk = 0
  }

  /// Counts by payment number from 2.
  private var numbers: [Payment] = []

  /// - Parameters:
  ///   - last: The last payment that the spell had the chance to make, from 1.
  ///   - payments: The number of payments made.
  mutating func add(chancesUpTo last: Int, payments: Int) {
    for number in stride(from: 2, through: last, by: 1) {
      if number - 2 == numbers.count { numbers.append(Payment()) }
      numbers[number - 2].chances += 1
      if payments >= number { numbers[number - 2].paid += 1 }
      if payments >= number - 1 { numbers[number - 2].atRisk += 1 }
    }
  }

  /// Adds a spell with each payment made, and the next one if it had its chance.
  mutating func add(_ dates: DueDates) {
    add(chancesUpTo: dates.lastChance(limit: dates.payments + 1), payments: dates.payments)
  }

  mutating func add(_ other: PeriodCounts) {
    for (place, payment) in other.numbers.enumerated() {
      if place == numbers.count { numbers.append(Payment()) }
      numbers[place].chances += payment.chances
      numbers[place].paid += payment.paid
      numbers[place].atRisk += payment.atRisk
    }
  }

  private func payment(_ number: Int) -> Payment {
    number - 2 < numbers.count ? numbers[number - 2] : Payment()
  }

  func chances(of number: Int) -> Int { payment(number).chances }
  func paid(of number: Int) -> Int { payment(number).paid }
  func atRisk(of number: Int) -> Int { payment(number).atRisk }

  /// Kaplan–Meier over payment numbers: of the spells that made a payment and had the chance of the next, those that
  /// made it.
  var survival: KaplanMeier<Int> {
    let times = numbers.indices.map { $0 + 2 }
    return KaplanMeier(
      times: times, events: times.map { atRisk(of: $0) - paid(of: $0) },
      censored: times.map { paid(of: $0) - atRisk(of: $0 + 1) }, entered: atRisk(of: 2))
  }

  /// The input of a retention fit: spells lost and kept at each renewal, up to the last renewal that any spell reached.
  var renewals: RenewalCounts {
    let known = numbers[..<(numbers.lastIndex { $0.atRisk > 0 }.map { $0 + 1 } ?? 0)]
    return RenewalCounts(lost: known.map { Double($0.atRisk - $0.paid) }, kept: known.map { Double($0.paid) })
  }
}
