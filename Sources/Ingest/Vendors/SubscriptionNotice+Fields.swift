extension SubscriptionNotice {
  /// How a vendor spells the names of the common fields.
  enum Spelling {
    /// `purchased_at_ms`
    case snake
    /// `purchasedAt`
    case camel

    /// - Parameter words: In lower case, joined by `_`.
    func callAsFunction(_ words: String) -> String {
      switch self {
      case .snake: return words.hasSuffix("_at") ? words + "_ms" : words
      case .camel:
        let parts = words.split(separator: "_")
        return parts.prefix(1).joined() + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
      }
    }
  }

  /// Takes the fields that all vendors' notices have; the others are for `properties`.
  ///
  /// - Parameter currencyName: The name of the field with the currency of the price.
  mutating func take(_ fields: inout PayloadFields, _ name: Spelling, currencyName: String) {
    periodType = fields.text(name("period_type"))
    purchasedAt = fields.take(name("purchased_at"))
    expiresAt = fields.take(name("expiration_at"))
    graceEndsAt = fields.take(name("grace_period_expiration_at"))
    productID = fields.text(name("product_id"))
    newProductID = fields.take(name("new_product_id"))
    price = fields.take(name("price_in_purchased_currency"))
    currency = fields.take(currencyName)
    dollars = fields.take("price")
    if price == nil, let dollars {
      price = dollars
      currency = "USD"
    }
    transactionID = fields.take(name("transaction_id"))
    subscriptionID = fields.take(name("original_transaction_id"))
    isTrialConversion = fields.flag(name("is_trial_conversion")) ?? false
    isFamilyShared = fields.flag(name("is_family_share")) ?? false
    let cancelReason = fields.text(name("cancel_reason"))
    reason = fields.text(name("expiration_reason")) ?? cancelReason
    store = fields.text("store")
    country = fields.country(name("country_code"))
    offerCode = fields.take(name("offer_code"))
    taxPercentage = fields.share(name("tax_percentage"))
    commissionPercentage = fields.share(name("commission_percentage"))
  }
}
