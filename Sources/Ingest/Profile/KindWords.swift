internal import EventModel

/// Finds the kinds that the words of an event's name mean.
enum KindWords {
  enum Meaning: Equatable, Sendable {
    case kind(EventKind)
    /// The words fit several kinds, which a user must choose from.
    case ambiguous([EventKind])
    case none
  }

  static func meaning(of name: String) -> Meaning { meanings.value(of: name) }

  private static let meanings = KnownTexts { name -> Meaning in
    let words = Words(name)
    if let kind = EventKind(name: words.joined) { return .kind(kind) }
    if let kind = special(words) { return .kind(kind) }
    var kinds: [EventKind] = []
    func add(_ kind: EventKind, if isMeant: Bool) { if isMeant, !kinds.contains(kind) { kinds.append(kind) } }

    // A tap asks for something, which need not come about.
    let isTap = words.has("tap", "click", "press")
    // A payment that is due, or that a message asks for, has not happened.
    let isPaid =
      words.has("complete", "success", "succeed", "paid", "confirm", "made", "purchased", "bought")
      || !paidWords.isDisjoint(with: words.words)
    let isNotYet =
      words.isAnnouncement || words.has("eligible", "eligibility", "email", "mail", "push", "sms")
      || words.has("request", "attempt", "pending", "intent", "schedule") && !isPaid
    let isFailure = words.has("fail", "issue", "retry", "error", "decline", "problem")
    let isPaywall = words.has("paywall", "pw", "upsell", "offer", "upgrade")
    let isSubscription = words.has("sub", "subscription", "trial", "renew", "autorenew", "plan", "membership")
    let isStart = words.has("start", "begin", "began", "begun", "initiate", "tap", "click")
    add(
      .paywallImpression,
      if: isPaywall && !isFailure && !isNotYet
        && words.has(
          "view", "show", "shown", "open", "impression", "display", "seen", "see", "saw", "present", "appear", "render",
          "visit")
    )
    add(
      .paywallDismissal,
      if: isPaywall && words.has("close", "dismiss", "decline", "skip", "exit", "hide", "hidden", "abandon", "ignore"))
    // The stores revoke what they give the money back for.
    let isRevoked =
      words.has("revoke") && (words.isOnly("revoke") || isSubscription || words.has("purchase", "payment", "product"))
    let isRefund = words.has("refund", "chargeback") || (words.has("money") && words.has("back")) || isRevoked
    add(.refund, if: isRefund && !isTap)
    add(.billingIssue, if: words.has("billing", "payment", "charge", "invoice", "renew") && isFailure)
    let isCancel = words.has("cancel", "off", "disable", "unsubscribe")
    let isOnlyCancel = words.isOnly("cancel") || words.isOnly("cancellation")
    add(.cancellation, if: (words.has("unsubscribe") || (isSubscription && isCancel) || isOnlyCancel) && !isTap)
    let isResumed = words.has("resume", "reactivate", "uncancel") || (words.has("renew") && words.has("on", "enable"))
    add(.reactivation, if: isResumed && !isTap)
    let isExpiry =
      words.has("expire", "expiration", "churn", "lapse")
      || words.has("access") && words.has("lose", "lost") || words.has("subscription", "sub") && words.has("terminate")
      || (words.has("end") && words.has("subscription", "sub", "access", "trial", "membership", "premium"))
    add(.expiration, if: isExpiry && !isNotYet)
    let isOther = isRefund || isFailure || isCancel || isResumed || isExpiry || isNotYet
    // A status of the renewal may be on or off.
    let isOfStatus = words.has("status", "state", "preference", "pref")
    let isAgain = words.has("charge", "bill", "pay", "paid") && words.has("again")
    let isRenewal = words.has("renew", "renewal", "rebill", "recurring") || isAgain
    add(.renewal, if: isRenewal && !isOther && !isTap && !isOfStatus)
    add(
      .trialStart,
      if: words.has("trial") && words.has("start", "begin", "began", "begun", "activate", "new") && !isOther
        && !isTap)
    let isTrialAlone =
      words.isOnly("trial") || words.words.count == 2 && words.has("trial") && words.has("sub", "subscription")
    add(.trialStart, if: isTrialAlone || words.has("trialing", "trialling") && !isOther)
    add(.conversion, if: words.has("trial") && words.has("convert", "conversion") && !isOther)
    let isSheet =
      words.has("checkout", "purchase", "buy", "transaction") && isStart && !words.has("subscription", "sub")
    add(.purchaseStarted, if: isSheet)
    let isBought =
      words.has("subscribe", "subscription", "sub", "purchase", "buy", "bought", "order", "payment", "membership")
      && !words.has("trial", "renew") && !isRenewal
    let isFirst =
      words.has("first", "new", "initial", "start", "create", "activate", "begin") || words.isOnly("subscribe")
    if isBought, !isOther, !isSheet, !isPaywall {
      if isFirst {
        add(.conversion, if: true)
      } else if isPaid || words.isOnly("purchase") || words.isOnly("bought") || words.isOnly("payment")
        || words.isOnly("order")
      {
        add(.payment, if: true)
      }
    }
    add(.conversion, if: words.has("upgrade") && words.has("paid") && !isOther)
    let isPayer = words.has("subscriber", "member", "customer", "premium", "pro", "paying")
    add(.conversion, if: words.has("become", "became") && isPayer && !isOther)
    add(.payment, if: words.has("invoice", "charge") && isPaid && !isOther)
    add(.payment, if: ["transaction", "charge", "sale", "buy", "invoice", "pay"].contains { words.isOnly($0) })
    // Of what is charged or billed, the customer is; a charge alone may be a plan's price.
    let isCharged = words.words.contains("charged") || words.words.contains("billed")
    let isOfCustomer = words.has("sub", "subscription", "plan", "membership", "customer", "card")
    add(.payment, if: isCharged && isOfCustomer && !isOther && !isAgain)
    add(.payment, if: words.has("checkout") && isPaid && !isOther && !isTap)
    let isPlain = words.words.allSatisfy(["subscription", "sub", "membership", "payment"].contains)
    let isOfPayment = isSubscription && (words.has("purchase") || isPlain && words.has("payment"))
    add(.payment, if: isOfPayment && kinds.isEmpty && !isOther && !isTap && !isStart)
    add(.gateHit, if: words.has("limit", "gate", "locked") && !isPaywall)
    add(
      .exposure,
      if: (words.has("flag") && words.has("call")) || words.has("expose", "exposure")
        || (words.has("experiment") && words.has("assign", "view", "start", "enter"))
        // The Superwall SDK's name for a placement that may show a paywall.
        || words.joined == "trigger_fire")
    add(.identify, if: words.has("identify", "alias", "login"))
    add(
      .activity,
      if: words.has("app", "application", "session")
        && words.has("open", "start", "begin", "launch", "active", "foreground")
        && !isPaywall || words.isOnly("session") || words.isOnly("foreground") || words.isOnly("launch"))
    switch kinds.count {
    case 0: return .none
    case 1: return .kind(kinds[0])
    default: return .ambiguous(kinds)
    }
  }

  /// Words that say in this form alone that a payment came about: `processing` says that it is pending.
  private static let paidWords: Set<String> = [
    "successful", "done", "finished", "finalized", "processed", "received", "captured", "approved", "placed",
    "collected",
  ]

  /// Returns whether a name says that something is planned.
  static func isScheduled(_ name: String) -> Bool { Words(name).has("schedule") }

  /// Returns whether a name says that something did not come about.
  static func isFailure(_ name: String) -> Bool {
    Words(name).has("fail", "failure", "error", "decline", "refuse", "reject", "issue", "problem")
  }

  /// Returns whether a name says that a payment is to come or is held, or that something is called off.
  static func isHeld(_ name: String) -> Bool {
    let words = Words(name)
    return words.isAnnouncement || words.has("dispute", "pause", "hold", "cancel")
  }

  /// Returns whether a name says that a payment is taken back, or was never made.
  static func isReversal(_ name: String) -> Bool { Words(name).has("reverse", "reversal", "storno") }

  /// Returns why a subscription ended, such as `voluntary` for `UNSUBSCRIBE`; `nil` if no word says it.
  static func reason(of text: String) -> String? {
    let words = Words(text)
    if words.has("billing", "payment", "card", "charge") { return "billing" }
    if words.has("price") { return "price_increase" }
    return words.has("unsubscribe", "user", "customer", "voluntary") && !words.has("support") ? "voluntary" : nil
  }

  /// Returns whether a name says that something may be paid, and not that it was.
  static func isIntent(_ name: String) -> Bool { isOffer(name) || isStart(name) }

  /// Returns whether a name says that something began.
  static func isStart(_ name: String) -> Bool { Words(name).has("start", "begin", "initiate") }

  /// Returns whether a name says that something may be chosen; the start of something may be that of a trial.
  static func isOffer(_ name: String) -> Bool {
    Words(name).has(
      "view", "show", "shown", "see", "seen", "click", "tap", "press", "select", "add", "cart", "quote", "price",
      "offer",
      "intent", "abandon", "pending", "attempt")
  }

  /// Returns whether a name says that something was seen.
  static func isView(_ name: String) -> Bool {
    Words(name).has("view", "show", "shown", "impression", "display", "seen", "saw", "present", "render")
  }

  /// Returns whether a name says that something was seen, and not what: `viewed`, `impression`.
  static func isViewAlone(_ name: String) -> Bool { Words(name).words.count == 1 && isView(name) }

  /// Returns the kind of a payment by a text beside it, such as `Subscription creation`, `renewal` or `refund`.
  static func paymentKind(of text: String) -> EventKind? {
    let words = Words(text)
    if words.has("refund", "chargeback") { return .refund }
    if words.has("trial", "dispute") { return nil }
    if words.has("renew", "renewal", "recurring", "rebill") { return .renewal }
    return words.has("new", "initial", "first", "create", "creation", "signup") ? .conversion : nil
  }

  /// Returns the kind that the name of a table means: of `trials`, `paywall_views`, `refunds_2026-03`.
  static func tableKind(_ name: String) -> EventKind? {
    let words = ForeignWords.english(NameWords.words(of: name)).filter {
      !tableWords.contains($0) && !$0.allSatisfy(\.isNumber)
    }
    let joined = words.joined(separator: "_")
    switch meaning(of: joined) {
    case .kind(.identify), .ambiguous: return nil
    case .kind(let kind): return kind
    case .none: break
    }
    switch joined {
    case "paywalls", "paywall", "impressions", "views", "paywall_events": return .paywallImpression
    case "expirations", "churn": return .expiration
    case "credit_notes", "credit_memos": return .refund
    case "invoices", "periods", "subscription_periods", "billing_periods": return .payment
    case "assignments", "experiment_assignments", "variant_assignments", "ab_assignments": return .exposure
    default: return nil
    }
  }

  /// Words of the names of tables that say nothing of what they hold.
  private static let tableWords: Set<String> = [
    "table", "export", "exports", "report", "all", "data", "dump", "list", "log", "raw", "prod", "production", "public",
    "paddle", "stripe", "recurly", "chargebee", "braintree", "paypal", "fct", "fact", "dim", "stg", "tbl", "app",
    "unified", "history", "part", "csv", "dbt", "analytics", "user", "users",
  ]

  /// Returns the kind of names that several rules fit but that mean one.
  private static func special(_ words: Words) -> EventKind? {
    if words.has("renew", "autorenew") && words.has("off", "disable", "cancel") { return .cancellation }
    return nil
  }

  private struct Words {
    let words: [String]
    let joined: String

    init(_ name: String) {
      let all = ForeignWords.english(NameWords.words(of: name))
      // AppsFlyer's own events begin with it.
      words = all.count > 1 && all[0] == "af" ? Array(all.dropFirst()) : all
      joined = words.joined(separator: "_")
    }

    /// Returns whether a word is one of these, or a form of it.
    func has(_ stems: String...) -> Bool { stems.contains { stem in words.contains { Self.isForm($0, of: stem) } } }

    /// Whether they say that something is to come.
    var isAnnouncement: Bool { has("will", "soon", "upcoming", "remind") }

    func isOnly(_ stem: String) -> Bool {
      guard has(stem) else { return false }
      let rest = words.filter {
        ![
          "user", "customer", "event", "did", "has", "app", "in", "free", "premium", "pro", "plus",
        ].contains($0) && ProductPlans.plan(name: $0) == nil
      }
      return rest.count == 1 && Self.isForm(rest[0], of: stem)
    }

    private static func isForm(_ word: String, of stem: String) -> Bool {
      if word == stem { return true }
      guard stem.utf8.count >= 3 else { return false }
      let endsInVowel = stem.utf8.last == UInt8(ascii: "e") || stem.utf8.last == UInt8(ascii: "y")
      let base = stem.utf8.dropLast(endsInVowel ? 1 : 0)
      guard word.utf8.starts(with: base) else { return false }
      let ending = Substring(word.utf8.dropFirst(base.count))
      if endings.contains(ending) { return true }
      return ending.utf8.first == base.last && (ending.dropFirst() == "ed" || ending.dropFirst() == "ing")
    }

    private static let endings: Set<Substring> = [
      "e", "y", "s", "es", "ed", "d", "er", "ing", "al", "als", "ies", "ied", "ys", "yed", "ying", "lation", "ation",
    ]
  }
}
