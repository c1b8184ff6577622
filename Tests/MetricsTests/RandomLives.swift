import Basics

/// Event lines of random subscribers whose payments come early, on time, late and after grace, with plan changes,
/// refunds, expirations and cancellations; a seed gives identical lines on every machine.
struct RandomLives {
  private var random: SplitMix64
  private(set) var lines: [(ts: Int64, text: String)] = []

  private static let day: Int64 = 86_400_000
  /// 2026-01-01T00:00:00Z.
  private static let firstDay: Int64 = 1_767_225_600_000

  init(seed: UInt64, persons: Int) {
    random = SplitMix64(seed: seed)
    for person in 0..<persons { live("u\(person)") }
    lines.sort { $0.ts < $1.ts }
  }

  private mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  private mutating func pick<Element>(_ list: [Element]) -> Element { list[number(below: list.count)] }

  private mutating func add(_ kind: String, _ ts: Int64, _ user: String, _ fields: String) {
    lines.append(
      (
        ts,
        """
        {"event_id":"\(lines.count)","event":"\(kind)","ts":\(ts),"app":"\(user.utf8.count % 2 == 0 ? "steps" : "coach")",\
        "user_id":"\(user)"\(fields)}
        """
      ))
  }

  private mutating func live(_ user: String) {
    var ts = Self.firstDay + Int64(number(below: 90)) * Self.day + pick([0, 0, 1, 43_200_000])
    let subscription = #","subscription_id":"\#(user)""#
    let entryPoint = #","entry_point":"\#(pick(["widgets", "settings"]))","variant":"\#(pick(["a", "b"]))""#
    if number(below: 3) == 0 {
      add("trial_start", ts, user, subscription + entryPoint + #","trial_days":7,"plan":"monthly""#)
      ts += 7 * Self.day
    }
    var (plan, price) = (
      pick(["weekly", "monthly", "yearly", "quarterly", "lifetime"]), pick(["2.99", "9.99", "0.01"])
    )
    let currency = pick(["USD", "USD", "EUR"])
    for payment in 0...number(below: 8) {
      if number(below: 5) == 0 {
        (plan, price) = (pick(["weekly", "monthly", "yearly"]), pick(["1.49", "7", "59.99"]))
      }
      let kind = payment > 0 || number(below: 5) == 0 ? pick(["renewal", "renewal", "plan_change"]) : "conversion"
      add(
        kind, ts, user,
        subscription + entryPoint
          + #","product_id":"\#(plan)","plan":"\#(plan)","price":"\#(price)","currency":"\#(currency)""#)
      let length = plan == "weekly" ? 7 : plan == "yearly" ? 365 : plan == "quarterly" ? 91 : 31
      if number(below: 4) == 0 {
        let churn = pick(["cancellation", "refund", "expiration", "billing_issue", "reactivation", "refund"])
        let amount = churn == "refund" && number(below: 2) == 0 ? #","price":"1.00","currency":"\#(currency)""# : ""
        add(churn, ts + Int64(number(below: length)) * Self.day + pick([0, 1]), user, subscription + amount)
      }
      ts +=
        Int64(length) * Self.day
        + pick([0, 0, 0, 1, -1, Self.day, -Self.day, 3 * Self.day, 5 * Self.day, 40 * Self.day])
    }
  }
}
