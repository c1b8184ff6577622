internal import EventModel

/// The closed sets of words in fields; the code of a word is its index in the list.
struct Keywords: Sendable {
  static let shared = Keywords()

  let fields = KeywordTable(EventField.allCases.map(\.name))
  let kinds = KeywordTable(EventKind.allCases.map(\.name))
  let plans = KeywordTable(Plan.allCases.map(\.name))
  /// The default comes first, here and below.
  let environments = KeywordTable(["production", "sandbox"])
  let tiers = KeywordTable(["individual", "family"])
  let ownerships = KeywordTable(["purchased", "family_shared"])
  let offerTypes = KeywordTable(Self.offerTypeNames)
  let trialKinds = KeywordTable(["introductory", "app"])
  /// The reasons of `cancellation` and `expiration`.
  let reasons = KeywordTable(Self.reasonNames)

  static let offerTypeNames = ["introductory", "promotional", "offer_code", "win_back"]
  static let reasonNames = ["voluntary", "billing", "price_increase", "product_unavailable", "other"]

  private init() {}
}
