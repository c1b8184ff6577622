internal import Statistics

/// How many spells had the chance to make each payment, and made it (definitions 6.4).
struct PeriodCounts {
  private struct Payment {
    /// Those whose due date + grace is over.
    var chances = 0
    /// Of those, who made it.
    var paid = 0
    /// Of those with the chance, who had made the payment before.
    var atRisk = 0
  }

  /// By payment number from 2.
  private var numbers: [Payment] = []

  /// - Parameters:
  ///   - last: The last payment that the spell had the chance to make, from 1.
  ///   - payments: That it made.
  mutating func add(chancesUpTo last: Int, payments: Int) {
    for number in stride(from: 2, through: last, by: 1) {
      if number - 2 == numbers.count { numbers.append(Payment()) }
      numbers[number - 2].chances += 1
      if payments >= number { numbers[number - 2].paid += 1 }
      if payments >= number - 1 { numbers[number - 2].atRisk += 1 }
    }
  }

  /// Adds a spell with each payment that it made, and with the one behind if that one had its chance.
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

  /// Kaplan–Meier over payment numbers: of those that made a payment and had the chance of the next, who made that.
  var survival: KaplanMeier<Int> {
    let times = numbers.indices.map { $0 + 2 }
    return KaplanMeier(
      times: times, events: times.map { atRisk(of: $0) - paid(of: $0) },
      censored: times.map { paid(of: $0) - atRisk(of: $0 + 1) }, entered: atRisk(of: 2))
  }

  /// What a retention fit takes: who left and who stayed at each renewal, up to the last that anybody came to.
  var renewals: RenewalCounts {
    let known = numbers[..<(numbers.lastIndex { $0.atRisk > 0 }.map { $0 + 1 } ?? 0)]
    return RenewalCounts(lost: known.map { Double($0.atRisk - $0.paid) }, kept: known.map { Double($0.paid) })
  }
}
