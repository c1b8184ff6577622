import Metrics
import Reports
import Testing

/// Tables that compare January with February 2026. Day 0 is 1 January.
struct ComparedTableTests {
  private typealias Events = ExperimentEvents

  private static func text(
    _ kind: ReportKind, by: String, _ lines: [String], _ words: [String: String] = [:], why column: String? = nil,
    first: Int64 = 0
  ) throws -> String {
    let days = ["by": by, "from": "2026-02-01", "to": "2026-03-01", "compare": "previous"]
    var request = try ReportRequest(
      kind, days.merging(words) { $1 }.map { ReportRequest.Given($0.key, [$0.value]) })
    if let column { request.drivers = DriverQuestion(column: column) }
    let ends = [first, 100].map { Events.line("activity", "end", ms: Events.days($0)) }
    let store = try TestStore(lines: lines + ends)
    return try render(#require(try store.store.read { try request.table($0) }), as: .table)
  }

  private static func paid(_ kind: String, _ user: String, day: Int64, _ plan: String = "monthly") -> String {
    Events.line(
      kind, user, ms: Events.days(day), #","plan":"\#(plan)","product_id":"\#(plan)","price":10,"currency":"USD""#)
  }

  /// 12 users buy a month on 6 January and 12 on 7 February, and all pay again; one buys a year in either month.
  @Test func retentionByPaymentNamesPaymentsAndRows() throws {
    let lines = [Int64(5), 37].flatMap { day in
      (0..<12).flatMap { user in
        [
          Self.paid("conversion", "m\(day)-\(user)", day: day),
          Self.paid("renewal", "m\(day)-\(user)", day: day == 5 ? 36 : 65),
        ]
      } + [Self.paid("conversion", "y\(day)", day: day, "yearly")]
    }
    let text = try Self.text(.retention, by: "plan", lines, ["by-period": "true"])
    #expect(text.contains("made payment 2") && !text.contains("still subscribed"), "\(text)")
    #expect(text.contains("made payment 2 (yearly)"), "\(text)")
  }

  /// 31 days before 28.
  @Test func driversOfAmountsSayThatMonthsDiffer() throws {
    let lines = (0..<20).map { Self.paid("conversion", "u\($0)", day: $0 < 10 ? 5 : 40) }
    let text = try Self.text(.revenue, by: "none", lines, why: "revenue")
    #expect(text.contains("Changes of counts and amounts are per 28 days: before has 31."), "\(text)")
  }

  /// 30 users of each country pay in January. In February, 30 pay in US and 60 in DE.
  @Test func partsOfMoneyAreInPlainWords() throws {
    let lines = [("DE", 90), ("US", 60)].flatMap { country, users in
      (0..<users).map { user in
        Events.line(
          "conversion", "\(country)\(user)", ms: Events.days(user < 30 ? 5 : 40),
          #","plan":"monthly","product_id":"m","price":10,"currency":"USD","country":"\#(country)""#)
      }
    }
    let text = try Self.text(.revenue, by: "none", lines, why: "revenue")
    #expect(text.contains("number of payments, 30 to 60"), "\(text)")
  }

  /// Twenty users, of two apps, pay 10 each in January, and 35 others in February. Before counts 28 ÷ 31 of its amounts:
  /// 350 − 180.645 is 169.355, its error √(20 · 9.0323² + 35 · 10²) = 71.636, the interval 169.355 ± 1.95996 · 71.636, and
  /// all three by 180.645 are the percents.
  @Test func totalsAddAppsUp() throws {
    let lines = [("demo", 10, 20), ("other", 10, 15)].flatMap { app, before, now in
      (0..<before + now).map { user in
        Self.paid("conversion", "\(app)\(user)", day: user < before ? 5 : 40)
          .replacing(#""app":"demo""#, with: #""app":"\#(app)""#)
      }
    }
    let ends = [0, 100].map {
      Events.line("activity", "end-of-other", ms: Events.days($0)).replacing(#""app":"demo""#, with: #""app":"other""#)
    }
    let text = try Self.text(.revenue, by: "none", lines + ends)
    #expect(text.contains("All apps: net 350.00, before 200.00: +94% (+16% to +171%), up."), "\(text)")
    // The data of one app begin on 6 January, so the amounts of January are too low.
    let later = try Self.text(.revenue, by: "none", lines + ends, first: 5)
    #expect(
      later.replacing("\n", with: " ").contains(
        "All apps: net 350.00, before 200.00: not comparable, as the data lack some of the days before."), "\(later)")
    // Of both apps, this is said once.
    let both = try Self.text(.revenue, by: "none", lines + [ends[1]], first: 5)
    #expect(both.contains("demo and other: the data begin on 2026-01-06"), "\(both)")
    #expect(try !Self.text(.revenue, by: "none", lines.prefix(30) + []).contains("All apps"))
  }

  /// Forty users pay from 6 January on, and eighty in February: whether the data begin on 1 or on 6 January, the sums are
  /// as they are, but only of all days of January is it known that they rose.
  @Test(arguments: [(Int64(0), true), (5, false)])
  func sumsOfDaysThatTheDataLackAreNotCompared(first: Int64, isKnown: Bool) throws {
    let lines = (0..<120).map { Self.paid("conversion", "u\($0)", day: $0 < 40 ? 5 : 40) }
    let text = try Self.text(.revenue, by: "none", lines, first: first)
    let net = try #require(text.split(separator: "\n").first { $0.hasPrefix("net") })
    #expect(net.hasSuffix(isKnown ? "up" : "not known") && net.contains("400.00") && net.contains("800.00"), "\(text)")
    #expect(text.contains("2026-01-06..2026-02-01") != isKnown)
    let why = try Self.text(.revenue, by: "none", lines, why: "revenue", first: first)
    #expect(why.contains("Not known: the data begin on 2026-01-06") != isKnown, "\(why)")
  }

  /// Four users pay in January and one, or eight, in February: fewer than 10 say nothing of a change.
  @Test(arguments: [(1, true), (8, false)])
  func fewPayersAreNotCompared(now: Int, areFew: Bool) throws {
    let lines = (0..<4 + now).map { Self.paid("conversion", "u\($0)", day: $0 < 4 ? 5 : 40) }
    let text = try Self.text(.revenue, by: "none", lines)
    #expect(text.contains(" to +") != areFew, "\(text)")
  }

  @Test(arguments: [(14, true), (7, false)])
  func longerTrialsAreSaid(days: Int, isSaid: Bool) throws {
    let lines = (0..<10).flatMap { user in
      [
        Events.trial("a\(user)", ms: Events.days(3)), Events.trial("b\(user)", ms: Events.days(33), days: days),
      ]
    }
    let text = try Self.text(.trials, by: "none", lines)
    #expect(!text.contains("can end"), "bounds, which the trials that are open move, are no change")
    let note = "Most trials last 14 days now and lasted 7 days before, so fewer are over at the same age."
    #expect(text.contains(note) == isSaid, "\(text)")
  }
}
