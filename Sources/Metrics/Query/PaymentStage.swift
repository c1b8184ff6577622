internal import Lifecycle
internal import Store

/// The number of a payment in its subscription, in groups (definitions 2.11).
enum PaymentStage: Int, CaseIterable {
  /// The subscription began before the data.
  case unknown
  case first
  case second
  case thirdToFifth
  case sixthToTwelfth
  case later
  /// Of failed charges only: no payment came before.
  case trial

  static let names = ["?", "1", "2", "3-5", "6-12", "13+", "trial"]

  /// - Parameter number: From 1.
  init(number: Int) {
    switch number {
    case ...1: self = .first
    case 2: self = .second
    case 3...5: self = .thirdToFifth
    case 6...12: self = .sixthToTwelfth
    default: self = .later
    }
  }

  /// The stage of the last payment before a failed charge.
  init(before charge: FailedChargeFact) {
    self = charge.isOfTrial ? .trial : charge.paymentsMade.map { PaymentStage(number: $0) } ?? .unknown
  }
}

extension PersonMoney {
  /// The stage of each payment, in their order.
  var stages: [PaymentStage] {
    var isKnown = false
    var number = 0
    return payments.indices.map { place in
      let spell = spells[payments[place].spell]
      if spell.ordinal == 1, spell.payments.lowerBound == place { (isKnown, number) = (spell.isPurchase, 0) }
      number += 1
      return isKnown ? PaymentStage(number: number) : .unknown
    }
  }
}
