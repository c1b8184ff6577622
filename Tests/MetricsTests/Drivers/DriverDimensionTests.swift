import Metrics
import Testing

/// The dimensions that the search takes without `--cut` (definitions 10.1). Counts are derived by hand.
struct DriverDimensionTests {
  private static func payment(_ kind: String, _ ts: String, _ user: String, _ plan: String) -> String {
    """
    {"event_id":"\(kind)-\(user)-\(ts)","event":"\(kind)","ts":"2026-\(ts)T12:00:00Z","app":"steps","user_id":"\(user)",\
    "product_id":"\(plan)","plan":"\(plan)","price":10,"currency":"USD","subscription_id":"\(user)"}
    """
  }

  private static func refund(_ user: String) -> String {
    """
    {"event_id":"refund-\(user)","event":"refund","ts":"2026-03-11T12:00:00Z","app":"steps","user_id":"\(user)",\
    "product_id":"monthly","subscription_id":"\(user)"}
    """
  }

  private static let end =
    #"{"event_id":"z","event":"activity","ts":"2026-05-01T12:00:00Z","app":"steps","user_id":"z"}"#

  /// Returns the driver's segment, part and units on both sides.
  private func drivers(
    _ kind: ReportKind, _ column: String, _ lines: [String], where filter: String...
  ) throws -> [String] {
    var request = ReportRequest(kind)
    request.options = try ReportOptions(
      arguments: ["--from", "2026-03-01", "--to", "2026-04-01"] + filter.flatMap { ["--where", $0] })
    request.drivers = DriverQuestion(column: column)
    let store = try TestStore(lines: lines)
    let report = try #require(try store.store.read { try request.table($0) })
    let names = ["segment", "part", "before_n", "now_n"]
    let places = try names.map { name in try #require(report.columns.firstIndex { $0.name == name }) }
    let place = try #require(report.columns.firstIndex { $0.name == "verdict" })
    return report.rows.filter { $0[place] == .text("driver") }.map { row in
      places.map { place in
        switch row[place] {
        case .text(let text): text
        case .count(let count): "\(count)"
        default: "?"
        }
      }.joined(separator: " ")
    }
  }

  /// 100 users pay monthly from 10 January on, 100 yearly. All are active on 1 February and 1 March. Nobody leaves in
  /// February; 50 of the monthly users do not pay again on 10 March and churn.
  @Test func churnOfOnePlanIsItsDriver() throws {
    let lines = (0..<100).flatMap { (number: Int) -> [String] in
      [
        Self.payment("conversion", "01-10", "y\(number)", "yearly"),
        Self.payment("conversion", "01-10", "m\(number)", "monthly"),
        Self.payment("renewal", "02-10", "m\(number)", "monthly"),
      ] + (number < 50 ? [] : [Self.payment("renewal", "03-10", "m\(number)", "monthly")])
    }
    #expect(try drivers(.subscriptions, "churn_rate", lines + [Self.end]) == ["plan=monthly rate 100 100"])
  }

  /// As above with one plan: the 50 who leave came by an advertisement, as 50 who stay did; 100 others came by search.
  @Test func churnOfOnePropertyIsItsDriver() throws {
    func payment(_ kind: String, _ ts: String, _ user: String) -> String {
      let channel = user.hasPrefix("a") ? "ad" : "search"
      return Self.payment(kind, ts, user, "monthly").replacing(
        #""price""#, with: #""properties":{"channel":"\#(channel)","session":"\#(user)"},"price""#)
    }
    let lines = (0..<100).flatMap { (number: Int) -> [String] in
      ["a\(number)", "s\(number)"].flatMap { user in
        [payment("conversion", "01-10", user), payment("renewal", "02-10", user)]
          + (user.hasPrefix("a") && number < 50 ? [] : [payment("renewal", "03-10", user)])
      }
    }
    #expect(try drivers(.subscriptions, "churn_rate", lines + [Self.end]) == ["property:channel=ad rate 100 100"])
  }

  /// 100 first payments and 100 second ones in February and in March, of other users. In March, 40 of the first payments are
  /// refunded.
  @Test func refundsOfFirstPaymentsAreTheirDriver() throws {
    let lines = (0..<100).flatMap { (number: Int) -> [String] in
      [
        Self.payment("conversion", "01-10", "a\(number)", "monthly"),
        Self.payment("renewal", "02-10", "a\(number)", "monthly"),
        Self.payment("conversion", "02-10", "b\(number)", "monthly"),
        Self.payment("renewal", "03-10", "b\(number)", "monthly"),
        Self.payment("conversion", "03-10", "c\(number)", "monthly"),
      ] + (number < 40 ? [Self.refund("c\(number)")] : [])
    }
    #expect(try drivers(.refunds, "refund_rate", lines + [Self.end]) == ["stage=1 rate 100 100"])
    // Of first payments alone, no dimension has two values. Prices shown have no stage, which is no reason to refuse it.
    #expect(try drivers(.refunds, "refund_rate", lines + [Self.end], where: "stage=1").isEmpty)
  }

  /// Two monthly products, with 100 first payments each in February and in March; 40 of one product are refunded in March.
  private static let refundsOfOneProduct = (0..<100).flatMap { (number: Int) -> [String] in
    ["a", "b"].flatMap { product in
      [("02-10", "old"), ("03-10", "new")].map { ts, age in
        payment("conversion", ts, "\(age)-\(product)\(number)", "monthly").replacing(
          #""product_id":"monthly""#, with: #""country":"US","product_id":"\#(product)""#)
      }
    } + (number < 40 ? [refund("new-b\(number)").replacing(#""monthly""#, with: #""b""#)] : [])
  }

  @Test func refundsOfOneProductAreTheirDriver() throws {
    #expect(
      try drivers(.refunds, "refund_rate", Self.refundsOfOneProduct + [Self.end]) == ["product=b rate 100 100"])
  }

  /// The command lists the users of the driver's row: it repeats the conditions and options of the question.
  @Test func theCommandForADriverHasTheConditionsOfTheQuestion() throws {
    let given = [
      ("from", "2026-03-01"), ("to", "2026-04-01"), ("where", "country=US"), ("timezone", "Europe/Berlin"),
      ("column", "refund_rate"),
    ]
    let request = try ReportRequest(.refunds, given.map { .init($0, [$1]) }, .drivers)
    let store = try TestStore(lines: Self.refundsOfOneProduct + [Self.end])
    let report = try #require(try store.store.read { try request.table($0) })
    #expect(
      try report.values(ofVerdict: "driver", ["explain"]) == [
        [
          .text(
            "tollgate explain refunds --from 2026-03-01 --to 2026-04-01 --as-of 2026-05-01T12:00:00.001Z "
              + "--cell app=steps,product=b --column refund_rate --timezone Europe/Berlin --where country=US")
        ]
      ])
  }
}
