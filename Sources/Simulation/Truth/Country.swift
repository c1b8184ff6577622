/// A country of users, its currency and its tax.
struct Country {
  var code: String
  /// Fraction of all users.
  var share: Double
  var currency: SampleCurrency
  /// Fraction of the price, as in `tax_percentage`.
  var tax: String

  static let all = [
    Country(code: "US", share: 0.50, currency: .usd, tax: "0"),
    Country(code: "CA", share: 0.07, currency: .usd, tax: "0"),
    Country(code: "AU", share: 0.05, currency: .usd, tax: "0.0909"),
    Country(code: "IN", share: 0.05, currency: .usd, tax: "0.1525"),
    Country(code: "BR", share: 0.05, currency: .usd, tax: "0"),
    Country(code: "DE", share: 0.07, currency: .eur, tax: "0.1597"),
    Country(code: "FR", share: 0.05, currency: .eur, tax: "0.1667"),
    Country(code: "NL", share: 0.03, currency: .eur, tax: "0.1736"),
    Country(code: "GB", share: 0.08, currency: .gbp, tax: "0.1667"),
    Country(code: "JP", share: 0.05, currency: .jpy, tax: "0.0909"),
  ]
  static let shares = all.map(\.share)
}
