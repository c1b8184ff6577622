import EventModel
import Lifecycle
import Testing

/// Tests definitions 2.12; each test explains how its values follow from the rule.
@Suite struct PaymentPlaceTests {
  /// The app's first payment is at day 0; a month later is 2026-04-02, day 31, and grace takes 3 days.
  private static func person(_ fill: (inout Person) -> Void) -> PersonFacts {
    var person = Person()
    person.dictionaries.firstPayments = [0: Person.at(0)]
    fill(&person)
    return person.facts()
  }

  @Test func withoutEvidenceAPaymentIsARenewal() {
    let facts = Self.person { $0.pay(.payment, 34) }
    #expect(facts.payments.map(\.kind) == [.renewal] && facts.conversions.isEmpty)
    #expect(facts.spells.map(\.isPurchase) == [false])
  }

  @Test func afterAFullPeriodAnEarlierOneWouldHaveBeenSeen() {
    #expect(Self.person { $0.pay(.payment, 34, plus: 1) }.spells.map(\.isPurchase) == [true])
    // A year after day 0 is day 365.
    #expect(Self.person { $0.pay(.payment, 368, plan: .yearly) }.spells.map(\.isPurchase) == [false])
    #expect(Self.person { $0.pay(.payment, 368, plus: 1, plan: .yearly) }.spells.map(\.isPurchase) == [true])
  }

  @Test func oneThatFollowsAnotherIsARenewal() {
    let facts = Self.person {
      $0.pay(.payment, 40, expires: 70)
      $0.pay(.payment, 70, expires: 100)
    }
    #expect(facts.payments.map(\.kind) == [.conversion, .renewal] && facts.spells.map(\.paymentCount) == [2])
  }

  @Test func aTrialOfTheSubscriptionMakesItTheFirst() {
    let facts = Self.person {
      $0.add(.trialStart, 0, product: "monthly", plan: .monthly, subscription: "S", trialDays: 7)
      $0.pay(.payment, 7, subscription: "S")
      $0.pay(.payment, 7, product: "other", subscription: "T")
    }
    #expect(facts.trials.map(\.convertedAt) == [Person.at(7)])
    #expect(facts.spells.map(\.isPurchase) == [true, false])
  }

  @Test func theStartOfTheSubscriptionTells() {
    #expect(Self.person { $0.pay(.payment, 5, started: 4) }.spells.map(\.isPurchase) == [false])
    #expect(Self.person { $0.pay(.payment, 5, started: 4.001) }.spells.map(\.isPurchase) == [true])
  }

  @Test func aLifetimeIsBoughtOnce() {
    #expect(Self.person { $0.pay(.payment, 5, plan: .lifetime) }.spells.map(\.isPurchase) == [true])
  }

  @Test func aPriceOfZeroIsNoPayment() {
    #expect(Self.person { $0.pay(.payment, 40, price: 0) }.payments.isEmpty)
  }

  @Test func afterAGrantItIsItsConversion() {
    let facts = Self.person {
      $0.pay(.conversion, 1, price: 0, offer: true)
      $0.pay(.payment, 8, expires: 38)
      $0.pay(.renewal, 38)
    }
    #expect(facts.conversions.map(\.ts) == [Person.at(8)])
  }
}
