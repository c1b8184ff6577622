import EventModel
import Lifecycle
import Testing

@Suite struct PartsTests {
  /// Parts together have what the whole fold gives; a subscription's payments may be in several of them.
  @Test(arguments: [1, 2, 3, 100])
  func partsTogetherAreTheWhole(most: Int) throws {
    var person = Person()
    person.add(.paywallImpression, 0, entryPoint: "home", experiment: "x", variant: "b")
    person.add(.trialStart, 0, product: "monthly", subscription: "T", trialDays: 7)
    person.pay(.conversion, 7, subscription: "T")
    for number in 0..<5 {
      person.pay(.conversion, Double(number), subscription: "S\(number)", entryPoint: number == 2 ? "settings" : nil)
      person.pay(.renewal, Double(number) + 30, subscription: "S\(number)")
      person.add(.refund, Double(number) + 31, product: "monthly", subscription: "S\(number)")
    }
    let whole = person.facts()

    var fold = PersonFold(options: FoldOptions(asOf: .max, grace: 3 * day, attribution: .last))
    var events = person.events
    var parts: [PersonFacts] = []
    fold.fold(taking: &events, dictionaries: person.dictionaries, most: most) { parts.append(copy $0) }
    #expect(parts.allSatisfy { $0.trials.isEmpty && $0.exposures.isEmpty && $0.entry == whole.entry })
    #expect(most == 100 ? parts.isEmpty : parts.count >= 11 / most)
    parts.append(fold.facts)
    #expect(fold.facts.trials == whole.trials)
    #expect(fold.facts.exposures == whole.exposures)
    #expect(parts.flatMap(\.conversions).map(\.ts) == whole.conversions.map(\.ts))
    #expect(parts.flatMap(\.payments) == whole.payments)
    #expect(parts.flatMap(\.refunds) == whole.refunds)
    #expect(parts.flatMap(\.spells).map(\.start) == whole.spells.map(\.start))
    let contexts = { (facts: PersonFacts) in facts.spells.flatMap { facts.contexts[$0.contexts] } }
    #expect(parts.flatMap(contexts) == contexts(whole))
    // Each part begins where the one before it ends.
    var count = 0
    for part in parts {
      #expect(part.before.payments == count)
      count += part.payments.count
    }
  }
}
