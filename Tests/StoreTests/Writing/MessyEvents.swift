/// Hand-written events of one app, `demo`, and a few of others, with every case in which order matters.
///
/// Contents that contradict each other have the same `ts` here, so that a cut in time includes all or none of them;
/// ``conflictsAcrossTime`` has the others.
enum MessyEvents {
  /// Every valid line; some repeat an event, some contradict each other.
  static let lines = joined + paying + placed + untidy + twins + conflicts + others

  /// Lines that are quarantined, as bytes because one of them is not valid UTF-8.
  static let rejected: [[UInt8]] = [
    Array("not JSON at all".utf8),
    Array(#"{"event":"activity","event_id":"r1","app":"demo","user_id":"r"}"#.utf8),
    Array(eventLine("stroll", "r2", at(1), user: "r").utf8),
    Array(eventLine("conversion", "r3", at(1), user: "r", ["product_id": "p", "plan": "monthly", "price": "5"]).utf8),
    Array(#"{"event_id":"r4","user_id":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8),
  ]

  private static func payment(
    _ kind: String, _ id: String, _ ts: Int64, user: String, _ plan: String, _ price: String,
    _ fields: [String: Any] = [:]
  ) -> String {
    var all: [String: Any] = ["product_id": "pro.\(plan)", "plan": plan, "price": price, "currency": "EUR"]
    all.merge(fields) { _, own in own }
    return eventLine(kind, id, ts, user: user, all)
  }

  private static func identify(
    _ id: String, _ ts: Int64, user: String, was previous: String, received: Int64? = nil, _ fields: [String: Any] = [:]
  ) -> String {
    eventLine(
      "identify", id, ts, user: user, received: received,
      fields.merging(["previous_user_id": previous]) { _, own in own })
  }

  /// Chains of identities whose links arrive late, form a circle, join a user with itself, or are in the sandbox, which
  /// joins nobody.
  private static let joined = [
    impression("a1", at(0), user: "anon-1", ["variant": "x", "experiment": "e"]),
    impression("a2", at(0.5), user: "anon-2", ["entry_point": "route_map", "variant": "y", "experiment": "e"]),
    eventLine(
      "trial_start", "a3", at(1), user: "u-1",
      ["trial_days": 7, "plan": "monthly", "product_id": "pro.monthly", "subscription_id": "s-a"]),
    payment("conversion", "a4", at(8), user: "account-1", "monthly", "6.99", ["subscription_id": "s-a"]),
    identify("a5", at(1.1), user: "u-1", was: "anon-1"),
    identify("a6", at(2), user: "account-1", was: "u-1"),
    payment("renewal", "a7", at(39), user: "account-1", "monthly", "6.99", ["subscription_id": "s-a"]),
    identify("a8", at(30), user: "account-1", was: "anon-2"),
    identify("a9", at(31), user: "anon-1", was: "account-1"),
    identify("a10", at(31.5), user: "account-1", was: "account-1"),
    identify("a11", at(3), user: "account-1", was: "b-1", ["environment": "sandbox"]),
    identify("a12", at(60), user: "d-1", was: "named by identify alone"),
    identify("a13", at(70), user: "late-2", was: "late-1"),
    impression("a14", at(1), user: "late-1"),
    impression("a15", at(2), user: "late-2", ["entry_point": "widgets"]),
    payment("conversion", "a16", at(3), user: "late-2", "yearly", "39.99"),
  ]

  /// Payments that do not say which of their subscription they are: each case of definitions 2.12.
  private static let placed = [
    payment("payment", "p1", at(1), user: "p-1", "monthly", "6.99", ["subscription_id": "s-p1"]),
    payment("payment", "p2", at(32), user: "p-1", "monthly", "6.99", ["subscription_id": "s-p1"]),
    payment("payment", "p3", at(60), user: "p-2", "monthly", "6.99"),
    payment("payment", "p4", at(2), user: "p-3", "yearly", "39.99", ["subscription_started_at": at(1.5)]),
    payment("payment", "p5", at(3), user: "p-4", "monthly", "0"),
  ]

  private static let paying = [
    impression("b1", at(4), user: "b-1", ["price_monthly": "6.99", "price_yearly": "39.99", "currency": "EUR"]),
    payment("conversion", "b2", at(4.1), user: "b-1", "lifetime", "99", ["transaction_id": "t-b"]),
    eventLine("refund", "b3", at(9), user: "b-1", ["transaction_id": "t-b", "price": "40", "currency": "EUR"]),
    eventLine("refund", "b4", at(10), user: "b-1", ["transaction_id": "t-b", "price": "59", "currency": "EUR"]),
    impression("c1", at(5), user: "c-1", ["properties": ["channel": "search", "level": "B1"]]),
    eventLine("trial_start", "c2", at(5.5), user: "c-1", ["trial_kind": "app", "trial_days": 7]),
    eventLine("trial_nudge", "c3", at(11), user: "c-1"),
    payment("conversion", "c4", at(12.6), user: "c-1", "weekly", "2.49", ["entry_point": "trial_expired_gate"]),
    impression("d1", at(6), user: "d-1", ["properties": ["channel": "friend"]]),
    payment("conversion", "d2", at(6.2), user: "d-1", "monthly", "6.99"),
    eventLine("cancellation", "d3", at(8), user: "d-1", ["product_id": "pro.monthly"]),
    eventLine("reactivation", "d4", at(9), user: "d-1", ["product_id": "pro.monthly"]),
    eventLine("cancellation", "d5", at(10), user: "d-1", ["product_id": "pro.monthly", "reason": "price_increase"]),
    eventLine("expiration", "d6", at(37.2), user: "d-1", ["product_id": "pro.monthly"]),
    payment(
      "conversion", "d7", at(50), user: "d-1", "monthly", "0", ["offer_type": "win_back", "expires_at": at(60)]),
    payment("renewal", "d8", at(60), user: "d-1", "monthly", "6.99"),
    payment("renewal", "e1", at(0.2), user: "e-1", "monthly", "6.99", ["subscription_id": "s-e"]),
    eventLine("billing_issue", "e2", at(31.3), user: "e-1", ["subscription_id": "s-e", "grace_ends_at": at(47)]),
    payment("renewal", "e3", at(45), user: "e-1", "monthly", "6.99", ["subscription_id": "s-e"]),
    eventLine("expiration", "e4", at(46), user: "e-1", ["subscription_id": "s-e", "reason": "billing"]),
    eventLine("refund", "e5", at(46.5), user: "e-1", ["subscription_id": "s-e"]),
    eventLine(
      "plan_change", "f1", at(20), user: "c-1",
      ["product_id": "pro.yearly", "plan": "yearly", "price": "39.99", "currency": "EUR"]),
    eventLine("restore", "f2", at(21), user: "c-1"),
    eventLine("offer_redemption", "f3", at(22), user: "c-1", ["offer_code": "SPRING"]),
  ]

  private static let untidy = [
    // Neither event counts, but the second sets the as-of (definitions 1.5).
    payment("conversion", "g1", at(90), user: "g-1", "yearly", "39.99", ["environment": "sandbox"]),
    payment("conversion", "g2", at(75), user: "g-1", "yearly", "39.99", ["ownership": "family_shared"]),
    impression("g3", at(7), user: "g-1", ["environment": "sandbox"]),
    eventLine("exposure", "h1", at(3), user: "h-1", ["experiment": "e", "variant": "x"]),
    impression("h2", at(4), user: "h-1", ["experiment": "e", "variant": "y"]),
    // Events of one instant and kind are ordered by the bytes of their ids, so "10" comes before "9".
    impression("9", at(2), user: "i-1", ["entry_point": "nine"]),
    impression("10", at(2), user: "i-1", ["entry_point": "ten"]),
    impression("0a6e7d00-1111-4222-8333-444455556666", at(2), user: "i-1", ["entry_point": "uuid"]),
    impression("text", at(2), user: "i-1", ["entry_point": "text"]),
    payment("conversion", "i5", at(2.5), user: "i-1", "monthly", "4.99"),
    // Equal to Swift but different as bytes: two users, two variants.
    impression("j1", at(3), user: "zo\u{EB}", ["variant": "\u{E9}"]),
    impression("j2", at(3), user: "zoe\u{308}", ["variant": "e\u{301}"]),
    payment("conversion", "j3", at(3.1), user: "zo\u{EB}", "yearly", "39.99"),
  ]

  /// Lines that repeat an event above, or each other, in a different spelling.
  private static let twins = [
    #" { "user_id" : "anon-1","app":"d\u0065mo", "event":"paywall_impression","event_id":"a1","ts":"2026-03-01T01:00:00+01:00", "#
      + #""entry_point":"settings","variant":"x","experiment":"e","environment":"production","tier":"individual","country":null}"#,
    payment("conversion", "b2", at(4.1), user: "b-1", "lifetime", "99.0000000", ["transaction_id": "t-b"]),
    eventLine(
      "cancellation", "d3", at(8), user: "d-1", received: at(8.2), ["product_id": "pro.monthly", "reason": "voluntary"]),
    eventLine("activity", "n1", at(12), user: "n-1", received: at(12.5), ["country": "de"]),
    eventLine("activity", "n1", at(12), user: "n-1", received: at(12.1), ["country": "DE"]),
    eventLine("activity", "n1", at(12), user: "n-1", received: at(12.9), ["country": "De", "app_version": ""]),
  ]

  /// Contradictions, each with one instant.
  private static let conflicts = [
    // The contents differ in reception; the earlier one stays.
    impression("k1", at(5), user: "k-1", received: at(5.2), ["country": "AA"]),
    impression("k1", at(5), user: "k-1", received: at(5.1), ["country": "BB"]),
    // The contents were received together; the order of their canonical JSON decides.
    impression("k2", at(5), user: "k-2", received: at(5.2), ["entry_point": "d"]),
    impression("k2", at(5), user: "k-2", received: at(5.2), ["entry_point": "b"]),
    impression("k2", at(5), user: "k-2", received: at(5.2), ["entry_point": "a"]),
    impression("k2", at(5), user: "k-2", received: at(5.2), ["entry_point": "c"]),
    // One content has no `received_at` and counts as received at `ts`.
    impression("k3", at(6), user: "k-3", received: at(6.1), ["country": "AA"]),
    impression("k3", at(6), user: "k-3", ["country": "CC"]),
    impression("k3", at(6), user: "k-3", received: at(5.9), ["country": "DD"]),
    // The contents belong to different users.
    payment("conversion", "k4", at(7), user: "k-4", "monthly", "4.99"),
    payment("conversion", "k4", at(7), user: "k-3", "monthly", "4.99"),
    // The contents join different users.
    identify("k5", at(8), user: "k-5", was: "k-1", received: at(9)),
    identify("k5", at(8), user: "k-5", was: "k-2", received: at(8.5)),
    // Only one content joins users.
    identify("k6", at(8), user: "k-6", was: "k-4", received: at(9)),
    eventLine("activity", "k6", at(8), user: "k-6", received: at(8.4)),
    identify("k7", at(8), user: "k-7", was: "k-3", received: at(8.3)),
    identify("k7", at(8), user: "k-7", was: "k-3", received: at(8.4), ["environment": "sandbox"]),
  ]

  /// Equal ids in other apps are other events.
  private static let others = [
    impression("a1", at(0), user: "anon-1", app: "other"),
    eventLine("trial_start", "a3", at(1), user: "anon-1", app: "other", ["trial_days": 3, "plan": "yearly"]),
    eventLine("activity", "o1", at(40), user: "anon-1", app: "other"),
    impression("s1", at(1), user: "anon-1", app: "skewed", received: at(1.1)),
    // An event with a clock more than a day ahead sets no as-of (definitions 1.1).
    impression("s2", at(400), user: "anon-2", app: "skewed", received: at(2)),
    // Without `received_at`, the bound is the app's newest `received_at`.
    eventLine("activity", "s3", at(2.9), user: "anon-2", app: "skewed"),
    eventLine("activity", "s4", at(3.1), user: "anon-2", app: "skewed"),
  ]

  /// Contradictions about the time of an event: which content stays depends on everything that was received.
  static let conflictsAcrossTime = [
    impression("x1", at(3), user: "x-1", received: at(81)),
    impression("x1", at(80), user: "x-1", received: at(80.5)),
    payment("conversion", "x2", at(79.9), user: "x-1", "monthly", "6.99"),
    payment("conversion", "x2", at(5), user: "x-2", "monthly", "6.99"),
    // With equal receptions, the canonical JSON decides; it first differs in the digits of `ts`.
    identify("x3", at(12), user: "x-1", was: "x-2", received: at(14)),
    identify("x3", at(11), user: "x-1", was: "x-3", received: at(14)),
  ]
}
