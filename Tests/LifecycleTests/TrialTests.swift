import EventModel
import Lifecycle
import Testing

/// Tests definitions 2.2–2.5 and 1.7; each test explains how its values follow from the rule.
@Suite struct TrialTests {
  @Test func deadlineIsTheEndPlusGrace() {
    var person = Person()
    person.add(.trialStart, 0, plan: .monthly, trialDays: 7, trialKind: .introductory)
    let trial = person.facts().trials[0]
    #expect(trial.end == Person.at(7))
    #expect(trial.deadline == Person.at(10))
    #expect(person.facts(graceDays: 16).trials[0].deadline == Person.at(23))
  }

  @Test func statedEndGoesBeforeTheNumberOfDays() {
    var person = Person()
    person.add(.trialStart, 0, plan: .monthly, trialEnds: 3.5, trialDays: 7)
    #expect(person.facts().trials[0].end == Person.at(3.5))
  }

  @Test func startWhileOpenRepeatsTheTrialEvenWhenConverted() {
    var person = Person()
    person.add(.trialStart, 0, plan: .monthly, subscription: "S", trialDays: 7)
    person.pay(.conversion, 1)
    person.add(.trialStart, 2, plan: .monthly, subscription: "S", trialDays: 7)
    // A trial is open until its deadline at 10 d, exclusive; a start at that instant is a new trial.
    person.add(.trialStart, 10, plan: .monthly, subscription: "S", trialDays: 7)
    #expect(person.facts().trials.map(\.start) == [Person.at(0), Person.at(10)])
  }

  @Test func repeatMovesTheEndOnlyByAStatedLaterEnd() {
    var person = Person()
    person.add(.trialStart, 0, plan: .monthly, trialDays: 7)
    person.add(.trialStart, 1, plan: .monthly, trialDays: 14)
    #expect(person.facts().trials.map(\.end) == [Person.at(7)])
    person.add(.trialStart, 2, plan: .monthly, trialEnds: 9)
    #expect(person.facts().trials.map(\.end) == [Person.at(9)])
    person.add(.trialStart, 3, plan: .monthly, trialEnds: 8)
    #expect(person.facts().trials.map(\.end) == [Person.at(9)])
  }

  @Test func otherSubscriptionsProductsAndKindsAreOtherTrials() {
    var ids = Person()
    ids.add(.trialStart, 0, product: "p", plan: .monthly, subscription: "A", trialDays: 7)
    ids.add(.trialStart, 1, product: "p", plan: .monthly, subscription: "B", trialDays: 7)
    #expect(ids.facts().trials.count == 2)
    var products = Person()
    products.add(.trialStart, 0, product: "p", plan: .monthly, subscription: "A", trialDays: 7)
    products.add(.trialStart, 1, product: "q", plan: .monthly, trialDays: 7)
    #expect(products.facts().trials.count == 2)
    var kinds = Person()
    kinds.add(.trialStart, 0, plan: .monthly, trialDays: 7, trialKind: .introductory)
    kinds.add(.trialStart, 1, trialDays: 7, trialKind: .app)
    #expect(kinds.facts().trials.count == 2)
  }

  @Test func billingIssueBeforeTheGraceEndsMovesItsEnd() {
    var person = Person()
    person.add(.trialStart, 0, plan: .monthly, subscription: "S", trialDays: 7)
    person.add(.billingIssue, 9.9, subscription: "S", graceEnds: 23)
    #expect(person.facts().trials[0].deadline == Person.at(23))
    // An event at the deadline itself is too late.
    var late = Person()
    late.add(.trialStart, 0, plan: .monthly, subscription: "S", trialDays: 7)
    late.add(.billingIssue, 10, subscription: "S", graceEnds: 23)
    #expect(late.facts().trials[0].deadline == Person.at(10))
  }

  @Test func conversionAtTheDeadlineIsDirect() {
    var person = Person()
    person.add(.trialStart, 0, plan: .monthly, subscription: "S", trialDays: 7)
    person.pay(.conversion, 10, plus: -1)
    #expect(person.facts().trials[0].convertedAt == Person.at(10) - 1)
    var late = Person()
    late.add(.trialStart, 0, plan: .monthly, subscription: "S", trialDays: 7)
    late.pay(.conversion, 10)
    #expect(late.facts().trials[0].convertedAt == nil)
    #expect(late.facts().conversions[0].trialStart == nil)
  }

  @Test func conversionsGoFirstToEqualIdsThenToEqualProductsThenToTheNewestTrial() {
    var person = Person()
    person.add(.trialStart, 0, product: "p", plan: .monthly, subscription: "A", trialDays: 7)
    person.add(.trialStart, 1, product: "q", plan: .monthly, subscription: "B", trialDays: 7)
    person.add(.trialStart, 2, trialDays: 7, trialKind: .app)
    // In time order, the first has no id, the second has B's id, and the third has A's product.
    person.pay(.conversion, 3, product: "r", subscription: nil)
    person.pay(.conversion, 4, product: "z", subscription: "B")
    person.pay(.conversion, 5, product: "p", subscription: "C")
    let trials = person.facts().trials
    #expect(trials.map(\.convertedAt) == [Person.at(5), Person.at(4), Person.at(3)])
  }

  @Test func aTrialHasAtMostOneConversion() {
    var person = Person()
    person.add(.trialStart, 0, plan: .monthly, trialDays: 7)
    person.pay(.conversion, 1, subscription: "A")
    person.pay(.conversion, 2, subscription: "B")
    let facts = person.facts()
    #expect(facts.trials[0].convertedAt == Person.at(1))
    #expect(facts.conversions.map(\.trialStart) == [Person.at(0), nil])
  }

  @Test func grantConvertsNothingAndTheNextPaidRenewalIsItsConversion() {
    var person = Person()
    person.add(.trialStart, 0, plan: .monthly, subscription: "S", trialDays: 7)
    person.pay(.conversion, 1, price: 0, offer: true)
    #expect(person.facts().trials[0].convertedAt == nil)
    #expect(person.facts().payments.isEmpty)
    person.pay(.renewal, 5)
    #expect(person.facts().trials[0].convertedAt == Person.at(5))
    #expect(person.facts().spells[0].isPurchase)
  }

  @Test func lastChangeBeforeTheEndAndTheConversionDecidesWhetherItIsCancelled() {
    func isCancelled(_ changes: [(EventKind, Double)], paid: Double? = nil) -> Bool {
      var person = Person()
      person.add(.trialStart, 0, plan: .monthly, subscription: "S", trialDays: 7)
      for (kind, days) in changes { person.add(kind, days, subscription: "S") }
      if let paid { person.pay(.conversion, paid) }
      return person.facts().trials[0].isCancelled
    }
    #expect(isCancelled([(.cancellation, 1)]))
    #expect(!isCancelled([(.cancellation, 1), (.reactivation, 2)]))
    #expect(!isCancelled([(.cancellation, 7)]))  // [start, end)
    #expect(isCancelled([(.cancellation, 1), (.reactivation, 7)]))
    #expect(!isCancelled([(.cancellation, 5)], paid: 4))
    #expect(isCancelled([(.cancellation, 3), (.reactivation, 5)], paid: 4))
    // At one instant, the conversion comes before the cancellation (1.2).
    #expect(!isCancelled([(.cancellation, 4)], paid: 4))
  }

  @Test func appTrialIsNeverCancelled() {
    var person = Person()
    person.add(.trialStart, 0, trialDays: 7, trialKind: .app)
    person.add(.cancellation, 1)
    #expect(!person.facts().trials[0].isCancelled)
  }

  @Test func cancellationWithoutIdsIsOfTheNewestTrial() {
    var person = Person()
    person.add(.trialStart, 0, product: "p", plan: .monthly, trialDays: 7)
    person.add(.trialStart, 1, product: "q", plan: .monthly, trialDays: 7)
    person.add(.cancellation, 2)
    #expect(person.facts().trials.map(\.isCancelled) == [false, true])
  }
}
