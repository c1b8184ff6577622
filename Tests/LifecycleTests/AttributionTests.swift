import EventModel
import Lifecycle
import Testing

/// Tests definitions 2.10 and 3.1; each test explains how its values follow from the rule.
@Suite struct AttributionTests {
  private func contexts(_ person: Person, _ attribution: Attribution = .last) -> [Int32] {
    let facts = person.facts(attribution: attribution)
    return facts.contexts[facts.trials[0].contexts].map(\.entryPoint)
  }

  @Test func windowIsSevenDaysOpenAtItsStartAndClosedAtTheEvent() {
    var person = Person()
    person.add(.paywallImpression, 0, entryPoint: "old")
    person.add(.trialStart, 7, plan: .monthly, trialDays: 7)
    #expect(contexts(person) == [1])  // (unattributed)
    person.add(.paywallImpression, 0, plus: 1, entryPoint: "first")
    #expect(contexts(person) == [person.name("first")])
    person.add(.paywallImpression, 7, entryPoint: "same instant")
    #expect(contexts(person) == [person.name("same instant")])
    person.add(.paywallImpression, 7, plus: 1, entryPoint: "later")
    #expect(contexts(person) == [person.name("same instant")])
    #expect(contexts(person, .first) == [person.name("first")])
  }

  @Test func allCreditsEachDistinctContextOnce() {
    var person = Person()
    for (days, name) in [(1.0, "a"), (2, "b"), (3, "a")] { person.add(.paywallImpression, days, entryPoint: name) }
    person.add(.trialStart, 4, plan: .monthly, trialDays: 7)
    #expect(contexts(person, .all) == [person.name("a"), person.name("b")])
  }

  @Test func ownContextComesFirstInEveryModeAndIsFilledFromItsEntryPoint() {
    var person = Person()
    person.add(.paywallImpression, 1, entryPoint: "a", experiment: "x", variant: "v", paywall: "w")
    person.add(.paywallImpression, 2, entryPoint: "b", experiment: "y", variant: "u", paywall: "z")
    person.add(.trialStart, 3, entryPoint: "a", plan: .monthly, trialDays: 7)
    for mode in Attribution.allCases {
      let facts = person.facts(attribution: mode)
      let context = facts.contexts[facts.trials[0].contexts]
      #expect(context.map(\.entryPoint) == [person.name("a")])
      #expect(context.map(\.experiment) == [person.name("x")])
      #expect(context.map(\.variant) == [person.name("v")])
      #expect(context.map(\.paywall) == [person.name("w")])
    }
  }

  /// 2.11: the event's own offering, else that of the impression that its context would come from.
  @Test func offeringIsTheEventsOwnOrThatOfItsImpression() {
    var person = Person()
    person.add(.paywallImpression, 1, entryPoint: "a", offering: "first")
    person.add(.paywallImpression, 2, entryPoint: "b", offering: "second")
    func offering(_ attribution: Attribution = .last) -> Int32 {
      person.facts(attribution: attribution).trials[0].dimensions.offer.offering
    }
    let without = person
    person.add(.trialStart, 3, plan: .monthly, trialDays: 7)
    #expect(offering() == person.name("second"))
    #expect(offering(.first) == person.name("first"))
    person = without
    person.add(.trialStart, 3, entryPoint: "a", plan: .monthly, trialDays: 7)
    for mode in Attribution.allCases { #expect(offering(mode) == person.name("first")) }
    person = without
    person.add(.trialStart, 3, plan: .monthly, trialDays: 7, offering: "own")
    #expect(offering() == person.name("own"))
    person = without
    person.add(.trialStart, 9, plus: 1, plan: .monthly, trialDays: 7)
    #expect(offering() == 0)
  }

  /// 2.11: the conversion of an introductory trial without an offering has its trial's, that of an app's trial has not.
  @Test func aConversionHasTheOfferingOfItsIntroductoryTrial() {
    for (kind, expected) in [(TrialKind.introductory, "of trial"), (.app, "seen")] {
      var person = Person()
      person.add(
        .trialStart, 1, product: "monthly", plan: .monthly, trialDays: 7, trialKind: kind, offering: "of trial")
      person.add(.paywallImpression, 5, entryPoint: "a", offering: "seen")
      person.pay(.conversion, 8, subscription: nil)
      let spell = person.facts().spells[0]
      #expect(spell.dimensions.trialKind == kind)
      #expect(spell.dimensions.offer.offering == person.name(expected))
    }
  }

  @Test func experimentAndVariantAreFilledTogetherOrNotAtAll() {
    var person = Person()
    person.add(.paywallImpression, 1, entryPoint: "a", experiment: "x", variant: "v")
    person.add(.trialStart, 3, entryPoint: "a", variant: "own", plan: .monthly, trialDays: 7)
    let facts = person.facts()
    let context = facts.contexts[facts.trials[0].contexts.lowerBound]
    #expect(context.experiment == 0)
    #expect(context.variant == person.name("own"))
  }

  @Test func contextWithoutEntryPointIsNotTheEventsOwn() {
    var person = Person()
    person.add(.paywallImpression, 1, entryPoint: "a", variant: "seen")
    person.add(.trialStart, 3, variant: "own", plan: .monthly, trialDays: 7)
    let facts = person.facts()
    #expect(facts.contexts[facts.trials[0].contexts.lowerBound].variant == person.name("seen"))
  }

  @Test func conversionOfAnIntroductoryTrialInheritsThatOfAnAppTrialDoesNot() {
    for (kind, expected) in [(TrialKind.introductory, "a"), (.app, "b")] {
      var person = Person()
      person.add(.paywallImpression, 0, entryPoint: "a")
      person.add(.trialStart, 1, trialDays: 7, trialKind: kind)
      person.add(.paywallImpression, 2, entryPoint: "b")
      person.pay(.conversion, 3)
      let facts = person.facts()
      #expect(facts.contexts[facts.spells[0].contexts].map(\.entryPoint) == [person.name(expected)])
      #expect(facts.contexts[facts.conversions[0].contexts].map(\.entryPoint) == [person.name(expected)])
      #expect(facts.spells[0].dimensions.trialKind == kind)
    }
  }

  @Test func entryIsTheFirstImpressionThatCounts() {
    var person = Person()
    person.add(.paywallImpression, 0, entryPoint: "shared", familyShared: true)
    person.add(.paywallImpression, 1, entryPoint: "a")
    person.add(.paywallImpression, 2, entryPoint: "b")
    #expect(person.facts().entry?.ts == Person.at(1))
    #expect(person.facts(asOf: 1).entry == nil)
  }

  @Test func exposuresAreTheFirstSightOfEachVariant() {
    var person = Person()
    person.add(.exposure, 1, experiment: "x", variant: "v")
    person.add(.paywallImpression, 2, entryPoint: "a", experiment: "x", variant: "v")
    person.add(.paywallImpression, 3, entryPoint: "a", experiment: "x", variant: "u")
    person.add(.paywallImpression, 4, entryPoint: "a", variant: "outside any test")
    let exposures = person.facts().exposures
    #expect(exposures.map(\.ts) == [Person.at(1), Person.at(3)])
    #expect(exposures.map(\.variant) == [person.name("v"), person.name("u")])
  }
}
