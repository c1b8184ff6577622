import EventModel
import Lifecycle
import Testing

/// Tests the money around an exposure (D6.1): payments less refunds, each at its own instant.
@Suite struct ExposureTests {
  private static func outcome(_ build: (inout Person) -> Void) -> ExposureOutcome? {
    var person = Person()
    person.add(.exposure, 40, experiment: "e", variant: "b")
    build(&person)
    return person.facts().exposures.first?.outcome
  }

  /// The window is day 40 to before day 70, and the one before it day 10 to before day 40.
  @Test func eachPaymentAndRefundCountsAtItsOwnInstant() throws {
    let outcome = try #require(
      Self.outcome { person in
        person.pay(.conversion, 9, price: 1, subscription: "A")
        person.pay(.conversion, 10, price: 10, subscription: "B")
        person.pay(.conversion, 40, plus: -1, price: 20, subscription: "C", transaction: "C")
        person.pay(.conversion, 40, price: 100, subscription: "D", transaction: "D")
        person.pay(.renewal, 70, plus: -1, price: 200, subscription: "D")
        person.pay(.renewal, 70, price: 400, subscription: "E")
        person.pay(.conversion, 50, price: 7, currency: "EUR", subscription: "F")
        person.add(.refund, 39, price: 5, subscription: "B")
        person.add(.refund, 41, price: 3, subscription: "C", transaction: "C")
      })
    // In cents: 100 + 200 − 3 after the exposure, 10 + 20 − 5 before it, and 7 of the other currency.
    #expect(outcome.revenues.map(\.net) == [2_970_000, 70_000])
    #expect(outcome.revenues.map(\.netBefore) == [250_000, 0])
    #expect(outcome.revenues.map(\.hasPaid) == [true, true] && outcome.revenues.map(\.hadPaidBefore) == [true, false])
    #expect(outcome.flags.contains(.hasPaid) && !outcome.flags.contains(.isRefunded))
  }

  /// A price has 18 digits at most, in millionths: ten of them are more than an `Int64` can be.
  @Test func sumsBeyondTheGreatestNumberAreTheGreatestNumber() throws {
    let price: Int64 = 99_999_999_999_999
    let paid = try #require(
      Self.outcome { person in
        for number in 0..<30 { person.pay(.conversion, 41, price: price, subscription: "S\(number)") }
      })
    #expect(paid.revenues.map(\.net) == [.max])
    let refunded = try #require(
      Self.outcome { person in
        person.pay(.conversion, 39, price: price)
        for number in 0..<30 { person.add(.refund, 41 + Double(number) / 10, price: price, subscription: "S") }
      })
    #expect(refunded.revenues.map(\.net) == [.min] && refunded.flags.contains(.isRefunded))
  }
}
