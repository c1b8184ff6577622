internal import Basics
internal import EventModel

/// Scores how well a column's name fits a field of events.
enum FieldSynonyms {
  /// Returns 0–1: 1 for the field's own name, 0.5 or more for a synonym, 0 for another word.
  static func score(of name: String, for field: EventField) -> Double {
    let words = words(of: name)
    if words.isEmpty { return 0 }
    let joined = words.joined(separator: "_")
    if joined == field.name { return 1 }
    guard let entry = table[field] else { return 0 }
    // Such a column gives way to one with the amount that was paid.
    let less = entry.less.isDisjoint(with: words) ? 0 : 0.3
    if entry.whole.contains(joined) { return 1 - less }
    if entry.not.contains(where: words.contains) { return 0 }
    if NearName.of(joined, in: [field.name]) != nil, joined.utf8.count > 4 { return 0.8 }
    var best = 0.0
    for (words:synonym, score:score) in entry.parts where contains(words, synonym) {
      // Words that say nothing of this field make it a weaker sign.
      let others = words.filter { !synonym.contains($0) && !common.contains($0) }.count
      best = max(best, score - 0.1 * Double(min(3, others)))
    }
    return max(0, best - less)
  }

  /// Returns whether a name is the field's own.
  static func isOwn(_ name: String, of field: EventField) -> Bool {
    words(of: name).joined(separator: "_") == field.name
  }

  /// Returns whether a name means a user, and not as well an event.
  static func isUser(_ name: String) -> Bool {
    let score = score(of: name, for: .userID)
    return score >= 0.9 && score > self.score(of: name, for: .eventID) && !isTrait(name)
  }

  /// Returns whether a name means a fact about a user, such as `user_segment`, that many users share.
  static func isTrait(_ name: String) -> Bool { words(of: name).last.map(traitWords.contains) ?? false }

  private static let traitWords: Set<String> = [
    "segment", "type", "group", "tier", "status", "state", "country", "region", "city", "language", "locale", "plan",
    "property", "properties", "cohort", "role", "level", "category", "class", "kind", "gender", "age", "bucket",
    "variant", "platform", "version", "model",
  ]

  /// Returns whether a name means a user or an id.
  static func isID(_ name: String) -> Bool {
    let last = words(of: name).last ?? ""
    return isUser(name) || ["id", "uid", "uuid", "guid", "hash", "key", "ref", "token", "identifier"].contains(last)
  }

  /// Returns whether a name means a device, a connection or a moment, and so no place in an app.
  static func isNoPlace(_ name: String) -> Bool {
    let others: Set = [
      "network", "connection", "orientation", "battery", "weekday", "hour", "device", "carrier", "locale", "language",
    ]
    return !others.isDisjoint(with: words(of: name))
  }

  /// Returns whether a name means the state of a record.
  static func isState(_ name: String) -> Bool {
    ForeignWords.english(NameWords.words(of: lastStep(of: name))).last.map { $0 == "status" || $0 == "state" } ?? false
  }

  /// Returns the name at the end of a path: of `event_params[key=NAME].value`, NAME; of `a.b`, `b`.
  static func lastStep(of path: String) -> String {
    if let key = path.lastIndex(of: "="), let close = path[key...].firstIndex(of: "]") {
      return String(path[path.index(after: key)..<close])
    }
    let steps = path.split(separator: ".")
    guard let last = steps.last else { return path }
    // Of `'metadata[user_id]'`, `user_id`; of `items[0]`, all.
    if let open = last.lastIndex(of: "["), let close = last[open...].firstIndex(of: "]") {
      let inner = last[last.index(after: open)..<close]
      if inner.contains(where: \.isLetter) { return String(inner) }
    }
    return String(steps.count > 1 && typeNames.contains(String(last)) ? steps[steps.count - 2] : last)
  }

  /// Names that tell the type of a value alone, in MongoDB's extended JSON and DynamoDB's.
  private static let typeNames: Set<String> = [
    "$date", "$oid", "$numberDecimal", "$numberDouble", "$numberInt", "$numberLong", "S", "N", "BOOL",
  ]

  /// Returns the words of the name at the end of a path, with those of the object that it is in where it says nothing
  /// alone: of `subscription.id`, `subscription` and `id`.
  private static func words(of path: String) -> [String] { knownWords.value(of: path) }

  private static let knownWords = KnownTexts { path -> [String] in
    var words = ForeignWords.english(NameWords.words(of: lastStep(of: path)))
    // Stripe's tables name a key of the metadata `user_id (metadata)`.
    if words.count > 1, words.last == "metadata" { words.removeLast() }
    let steps = path.split(separator: ".")
    guard words.allSatisfy(generic.contains), words != ["created", "at"], steps.count > 1, !path.contains("[") else {
      return words
    }
    let parent = parent(of: path)
    return words.count == 1 || parent == ["trial"] ? parent + words : words
  }

  /// Returns the words of the object that the value at a path is in; none of one that only holds others.
  static func parent(of path: String) -> [String] {
    let steps = path.split(separator: ".")
    guard steps.count > 1, !path.contains("[") else { return [] }
    let parent = ForeignWords.english(NameWords.words(of: String(steps[steps.count - 2])))
    return parent.count == 1 && containers.contains(parent[0]) ? [] : parent
  }

  /// Names that belong to the object that they are in.
  static let generic: Set<String> = [
    "id", "key", "name", "code", "type", "value", "days", "length", "start", "end", "ends", "at", "date", "time",
    "version", "started", "ended", "expires",
  ]
  /// Objects that only hold others.
  private static let containers: Set<String> = [
    "props", "properties", "data", "payload", "attributes", "params", "context", "meta", "metadata", "fields", "object",
    "body", "message", "record", "events", "actions", "activities", "history",
  ]

  private static func contains(_ words: [String], _ part: [String]) -> Bool {
    guard words.count >= part.count else { return false }
    return (0...(words.count - part.count)).contains { Array(words[$0..<($0 + part.count)]) == part }
  }

  /// Words that go with any field.
  private static let common: Set<String> = [
    "id", "name", "ref", "key", "value", "code", "the", "event", "app", "context", "properties", "source",
    "type",
    "subscription", "purchase", "payment", "user", "screen",
  ]

  private struct Entry {
    var whole: Set<String>
    var parts: [(words: [String], score: Double)]
    var not: Set<String> = []
    var less: Set<String> = []

    /// - Parameters:
    ///   - whole: Names that are the field, words joined by `_`.
    ///   - strong: Words, or words joined by `_`, that mean the field.
    ///   - weak: Those that may mean it.
    ///   - not: Words that never belong to it.
    ///   - less: Words of columns that give way to others.
    init(_ whole: String, strong: String, weak: String = "", not: String = "", less: String = "") {
      func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
      self.whole = Set(words(whole))
      parts =
        words(strong).map { ($0.split(separator: "_").map(String.init), 0.9) }
        + words(weak).map { ($0.split(separator: "_").map(String.init), 0.6) }
      self.not = Set(words(not))
      self.less = Set(words(less))
    }
  }

  private static let table: [EventField: Entry] = [
    .userID: Entry(
      "user who customer account member profile distinct_id uuid uid userid person subscriber user_pseudo_id actor_id",
      strong: "user customer account member profile distinct person subscriber who uid client visitor actor",
      weak: "uuid owner device anonymous", not: "event count agent name email type status country number"),
    .eventID: Entry(
      "id uuid event_id insert_id message_id evt_id evt_uuid row_id record_id key",
      strong: "event_id event_uuid insert_id message_id evt_uuid evt_id evt",
      weak: "id uuid guid key row record message",
      not:
        "user customer account member profile person subscription transaction order product experiment paywall app name"
    ),
    .ts: Entry(
      "ts time timestamp at when date datetime happened occurred created event_time event_timestamp event_date happened_at "
        + "occurred_at created_at",
      strong: "timestamp happened occurred when time datetime event_time", weak: "at date created day logged ts",
      not:
        "received expires expiry paid until valid end ends ending trial period zone uploaded sent updated loaded processed"
    ),
    .event: Entry(
      "event event_name action name type kind activity event_type",
      strong: "event action event_name event_type", weak: "name type kind activity verb what",
      not: "id time timestamp date source product plan user paywall app experiment screen country currency uuid at"),
    .app: Entry(
      "app app_id app_name application bundle_id", strong: "app_id bundle application app_name", weak: "app bundle",
      not: "version build"),
    .receivedAt: Entry("received_at", strong: "received_at received", weak: "loaded ingested uploaded"),
    .platform: Entry(
      "platform os os_name operating_system device_os", strong: "platform os operating_system", weak: "device",
      not: "version id model"),
    .store: Entry("store", strong: "store", not: "id name"),
    .country: Entry(
      "country geo region market country_code", strong: "country", weak: "geo region market territory locale",
      not: "currency city"),
    .appVersion: Entry(
      "version app_version build release", strong: "version", weak: "build release", not: "os api sdk schema paywall"),
    .environment: Entry(
      "environment env is_sandbox is_test is_test_user is_test_account is_internal is_internal_user is_internal_account "
        + "internal_user internal_account is_employee is_staff is_staff_account test_account test_mode testmode test_user "
        + "is_debug debug livemode live_mode is_live "
        + "is_production mode build_type build_configuration account_type user_type",
      strong: "environment", weak: "env sandbox"),
    .entryPoint: Entry(
      "entry_point source screen placement trigger entry surface origin screen_source paywall_source presented_by_event_name",
      strong: "entry placement trigger surface",
      weak: "source screen origin location from where page place referrer context feature label",
      not: "version traffic utm"),
    .experiment: Entry(
      "experiment test experiment_name experiment_id test_name flag", strong: "experiment test",
      weak: "flag ab",
      not: "variant arm group bucket variation is mode user"),
    .variant: Entry(
      "variant variant_id arm group bucket variation test_arm paywall_variant pw_variant",
      strong: "variant variation arm bucket",
      weak: "group cohort treatment cell",
      not: "paywall user"),
    .paywall: Entry(
      "paywall paywall_id paywall_name paywall_identifier", strong: "paywall", weak: "template design",
      not: "shown viewed closed variant arm source location placement screen trigger position place surface",
      less: "version"),
    .offering: Entry("offering", strong: "offering"),
    .tier: Entry("tier", strong: "tier", weak: "level edition"),
    .productID: Entry(
      "product sku product_id price_id item_price_id item plan_name plan item_id af_content_id",
      strong: "product sku price_id plan_id",
      weak: "plan item package price_id", not: "price amount previous old"),
    .plan: Entry(
      "plan period interval billing_period", strong: "plan", weak: "period interval duration cycle",
      not: "end start ends trial until id"),
    .price: Entry(
      "price amount value revenue total gross amount_minor amount_cents price_paid amount_paid paid_amount amount_charged",
      strong: "price amount revenue",
      weak: "value total gross paid cents charge",
      not: "id usd currency tax until at weekly monthly yearly lifetime end",
      less: "list original base regular full msrp before"),
    .currency: Entry("currency ccy currency_code", strong: "currency ccy"),
    .taxPercentage: Entry("tax_percentage tax_rate", strong: "tax_percentage tax_rate"),
    .commissionPercentage: Entry("commission_percentage", strong: "commission_percentage"),
    .subscriptionID: Entry(
      "subscription subscription_id original_transaction_id sub_id contract",
      strong: "subscription sub original_transaction",
      weak: "contract membership order", not: "date start started end ends until status state type period plan"),
    .transactionID: Entry(
      "transaction transaction_id order order_id invoice receipt payment_id",
      strong: "transaction order invoice receipt payment_id",
      weak: "charge payment txn tx", not: "original date time amount"),
    .expiresAt: Entry(
      "expires_at valid_until paid_until expiry expires end_date period_end paid_through",
      strong:
        "expires expiry paid_until valid_until paid_through period_end current_period_end next_renewal next_billing",
      weak: "until end ends valid expiration renews", not: "trial reason grace started start"),
    .offerType: Entry("offer_type", strong: "offer_type"),
    .offerCode: Entry("offer_code promo_code coupon", strong: "offer_code promo_code coupon"),
    .limitName: Entry("limit_name", strong: "limit_name"),
    .limit: Entry("limit", strong: "limit", not: "name"),
    .used: Entry("used", strong: "used"),
    .trialDays: Entry(
      "trial_days trial_length trial_period trial_duration free_days free_period",
      strong: "trial_days trial_length trial_period trial_duration free_days",
      weak: "trial", not: "end ends start started is kind at"),
    .trialEndsAt: Entry(
      "trial_ends_at trial_end trial_expires_at",
      strong: "trial_end trial_ends trial_ended trial_expires trial_until trial_to end_trial"),
    .reason: Entry("reason why cancel_reason cancellation_reason", strong: "reason why"),
    .previousUserID: Entry(
      "previous_user_id anonymous_id anon_id alias device_id previous_id", strong: "anonymous anon previous_user alias",
      weak: "device previous"),
    .previousProductID: Entry("previous_product_id", strong: "previous_product old_product"),
    .graceEndsAt: Entry("grace_ends_at", strong: "grace_end grace_ends"),
    .priceUSD: Entry("price_usd", strong: "price_usd amount_usd revenue_usd value_usd"),
  ]
}

/// Cuts names into lower-case words.
enum NameWords {
  /// Returns the words of `auto-renew off`, `RENEWAL`, `subRenewed`, cut at everything but letters and digits and before
  /// a capital after a small letter.
  static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var last: Character?
    for character in name {
      let isLetter = character.isLetter || character.isNumber
      if !isLetter || (character.isUppercase && last?.isLowercase == true) {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if isLetter { word += character.lowercased() }
      last = character
    }
    if !word.isEmpty { words.append(word) }
    return words
  }
}
