import EventModel
import Lifecycle
import Testing

/// Tests definitions 2.6–2.9; each test explains how its values follow from the rule.
@Suite struct SpellTests {
  @Test(arguments: [
    // Calendar lengths in UTC from 2026-03-02T00:00Z: March has 31 days and the year 365.
    (Plan.weekly, 7.0), (.monthly, 31), (.twoMonth, 61), (.quarterly, 92), (.semiannual, 184), (.yearly, 365),
  ])
  func coverIsThePlansCalendarLength(plan: Plan, days: Double) {
    var person = Person()
    person.pay(.conversion, 0, plan: plan)
    #expect(person.facts().spells[0].end == Person.at(days))
  }

  @Test func statedEndGoesBeforeThePlansLength() {
    var person = Person()
    person.pay(.conversion, 0, expires: 28)
    #expect(person.facts().spells[0].end == Person.at(28))
  }

  @Test func lifetimeNeverEnds() {
    var person = Person()
    person.pay(.conversion, 0, plan: .lifetime, expires: 28)
    #expect(person.facts().spells[0].end == .max)
  }

  @Test func paymentAtTheEndOfGraceContinuesTheSpellOneLaterBeginsTheNext() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.pay(.renewal, 33, expires: 63)
    person.pay(.renewal, 66, plus: 1, expires: 96)
    let spells = person.facts().spells
    #expect(spells.map(\.start) == [Person.at(0), Person.at(66) + 1])
    #expect(spells.map(\.paymentCount) == [2, 1])
    #expect(spells.map(\.isPurchase) == [true, false])
    #expect(spells.map(\.ordinal) == [1, 2])
  }

  /// 2.8: "the spell churned at the end of its last covered time": day 30, grace to day 33.
  @Test func latePaymentThatIsGivenBackAtOnceMovesNoEnd() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.pay(.renewal, 32, expires: 62)
    person.add(.refund, 32, subscription: "S")
    let spells = person.facts().spells
    #expect(spells.map(\.end) == [Person.at(30)] && spells.map(\.graceEnd) == [Person.at(33)])
    #expect(spells.map(\.paymentCount) == [2])
    // Nor does it bring later ones nearer: day 34 is past the grace of day 30.
    person.pay(.renewal, 34, expires: 64)
    #expect(person.facts().spells.map(\.end) == [Person.at(30), Person.at(64)])
    // Before any covered time, the next payment within grace of it is of the same spell.
    var first = Person()
    first.pay(.conversion, 0, expires: 30)
    first.add(.refund, 0, subscription: "S")
    first.pay(.renewal, 3, expires: 33)
    #expect(first.facts().spells.map(\.end) == [Person.at(33)])
  }

  @Test func billingIssueWithALaterGraceEndKeepsTheSpellOpen() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.add(.billingIssue, 30, subscription: "S", graceEnds: 46)
    person.pay(.renewal, 46, expires: 76)
    #expect(person.facts().spells.count == 1)
    var late = Person()
    late.pay(.conversion, 0, expires: 30)
    late.add(.billingIssue, 33, subscription: "S", graceEnds: 46)
    late.pay(.renewal, 46, expires: 76)
    #expect(late.facts().spells.count == 2)
  }

  @Test func coverEndsAtTheNextPaymentOfAnotherProduct() {
    var person = Person()
    person.pay(.conversion, 0, product: "year", plan: .yearly, expires: 365)
    person.pay(.planChange, 10, product: "month", expires: 40)
    let facts = person.facts()
    #expect(facts.payments.map(\.coverEnd) == [Person.at(10), Person.at(40)])
    #expect(facts.spells.map(\.end) == [Person.at(40)])
  }

  @Test func planChangeWithoutPriceIsNoPayment() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.pay(.planChange, 10, product: "year", plan: .yearly, price: 0, expires: 375)
    #expect(person.facts().payments.count == 1)
  }

  @Test func expirationAtThePaymentIsOfThePeriodBefore() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.add(.expiration, 0, subscription: "S")
    #expect(person.facts().spells[0].end == Person.at(30))
    person.add(.expiration, 12, subscription: "S")
    #expect(person.facts().spells[0].end == Person.at(12))
  }

  @Test func refundsAddUpAndTheCompletingOneEndsTheCover() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.add(.refund, 3, price: 300, subscription: "S")
    #expect(person.facts().spells[0].end == Person.at(30))
    person.add(.refund, 10, price: 399, subscription: "S")
    let spell = person.facts().spells[0]
    #expect(spell.end == Person.at(10))
    #expect(spell.firstRefundedAt == Person.at(10))
    #expect(spell.reason == .refund)
  }

  @Test func refundInAnotherCurrencyIsPartial() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.add(.refund, 3, price: 699, currency: "EUR", subscription: "S")
    #expect(person.facts().spells[0].firstRefundedAt == nil)
  }

  @Test func refundIsOfThePaymentThatItNames() {
    var person = Person()
    person.pay(.conversion, 0, transaction: "T1", expires: 30)
    person.pay(.renewal, 20, transaction: "T2", expires: 50)
    person.add(.refund, 25, subscription: "S", transaction: "T1")
    let facts = person.facts()
    #expect(facts.payments.map(\.refundedAt) == [Person.at(25), nil])
    #expect(facts.spells[0].end == Person.at(50))
    var unknown = Person()
    unknown.pay(.conversion, 0, transaction: "T1", expires: 30)
    unknown.add(.refund, 5, subscription: "S", transaction: "T9")
    #expect(unknown.facts().payments.map(\.refundedAt) == [Person.at(5)])
  }

  @Test func eventsWithoutIdGoToTheOnlySubscriptionOfTheirProduct() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.add(.cancellation, 5, product: "monthly")
    #expect(person.facts().spells[0].firstCancelledAt == Person.at(5))
    // With two subscriptions to the product, the event belongs to neither.
    person.pay(.conversion, 1, subscription: "S2", expires: 31)
    #expect(person.facts().spells.map(\.firstCancelledAt) == [nil, nil])
  }

  @Test func churnEventWithNeitherIsOfTheSubscriptionPaidLast() {
    var person = Person()
    person.pay(.conversion, 0, product: "a", subscription: "A", expires: 30)
    person.pay(.conversion, 1, product: "b", subscription: "B", expires: 31)
    person.add(.cancellation, 5)
    #expect(person.facts().spells.map(\.firstCancelledAt) == [nil, Person.at(5)])
  }

  @Test func spellThatBeginsWithARenewalIsNoPurchase() {
    var person = Person()
    person.pay(.renewal, 0, expires: 30)
    #expect(person.facts().spells.map(\.isPurchase) == [false])
  }

  @Test(arguments: [
    ([(EventKind.cancellation, 5.0, ChurnReason.unstated)], ChurnReason.voluntary),
    ([(.cancellation, 5, .priceIncrease)], .priceIncrease),
    // Only the last change before the end counts; a change at the end is too late.
    ([(.cancellation, 5, .unstated), (.reactivation, 6, .unstated)], .other),
    ([(.cancellation, 30, .unstated)], .other),
    // A billing issue counts until the grace period ends; a cancellation takes precedence.
    ([(.billingIssue, 32.9, .unstated)], .billing),
    ([(.billingIssue, 33, .unstated)], .other),
    ([(.billingIssue, 10, .unstated), (.cancellation, 5, .unstated)], .voluntary),
    // The reason stated by the last expiration counts, up to 60 d after the end; without a stated reason it is `other`.
    ([(.expiration, 31, .billing)], .billing),
    ([(.expiration, 31, .billing), (.expiration, 32, .unstated)], .billing),
    ([(.expiration, 90, .billing)], .other),
    ([(.expiration, 30, .unstated)], .other),
    ([(.billingIssue, 10, .unstated), (.expiration, 31, .voluntary)], .billing),
  ])
  func reasonsComeInTheirOrder(events: [(EventKind, Double, ChurnReason)], expected: ChurnReason) {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    for (kind, days, reason) in events { person.add(kind, days, subscription: "S", reason: reason) }
    #expect(person.facts().spells[0].reason == expected)
  }

  @Test func fullRefundWithinADayOfTheExpirationThatEndedItIsTheReason() {
    func reason(_ refund: Double) -> ChurnReason {
      var person = Person()
      person.pay(.conversion, 0, expires: 30)
      person.add(.expiration, 12, subscription: "S")
      person.add(.refund, refund, subscription: "S")
      return person.facts().spells[0].reason
    }
    #expect(reason(12.5) == .refund)
    #expect(reason(13) == .other)
  }

  @Test func autoRenewAtAnAgeIsTheLastChangeBeforeIt() {
    var person = Person()
    person.pay(.conversion, 0, expires: 400)
    person.add(.cancellation, 35, plus: -1, subscription: "S")
    person.add(.reactivation, 35, subscription: "S")
    let spell = person.facts().spells[0]
    #expect([spell.isOffAt35, spell.isOffAt95, spell.isOffAt370] == [true, false, false])
    // A payment turns auto-renew on again.
    var paid = Person()
    paid.pay(.conversion, 0, expires: 30)
    paid.add(.cancellation, 10, subscription: "S")
    paid.pay(.renewal, 30, expires: 60)
    #expect(!paid.facts().spells[0].isOffAt35)
  }

  @Test func factsOfAnAsOfAreThoseOfTheEventsBeforeIt() {
    var person = Person()
    person.pay(.conversion, 0, expires: 30)
    person.add(.cancellation, 5, subscription: "S")
    #expect(person.facts(asOf: 5).spells[0].firstCancelledAt == nil)
    #expect(person.facts(asOf: 5.001).spells[0].firstCancelledAt == Person.at(5))
  }
}
