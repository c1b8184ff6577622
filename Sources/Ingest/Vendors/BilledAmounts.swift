internal import Basics
internal import EventModel

/// Amounts as billing services write them: whole numbers of a currency's smallest unit.
enum BilledAmounts {
  /// Returns an amount in units of the currency; `nil` if the currency is unknown.
  ///
  /// - Parameter decimals: The digits of the smallest unit; `nil` for those of ISO 4217.
  static func amount(_ minor: Int64, _ currency: String, decimals: Int? = nil) -> JSONNode? {
    guard let decimals = decimals ?? CurrencyTable.decimals(of: currency),
      let amount = ExactDecimal("\(minor)")
    else { return nil }
    return .string(amount.shifted(by: -decimals).text)
  }

  /// Returns the share of a part in a total, to six digits; `nil` if it is not between 0 and 1.
  static func share(_ part: Int64?, of total: Int64?) -> JSONNode? {
    guard let part, let total, total > 0, total < 1 << 40, (0...total).contains(part) else { return nil }
    let millionths = (part * 1_000_000 + total / 2) / total
    return .number(ExactDecimal("\(millionths)")?.shifted(by: -6).text ?? "0")
  }
}

extension NativeEvent {
  /// Sets an amount in the smallest unit of the currency that a field of the payload names.
  ///
  /// - Parameter decimals: The digits of that unit, by currency, where they are not those of ISO 4217.
  mutating func setPrice(
    _ minor: Int64, in payload: JSONNode, currency field: String, decimals: [String: Int] = [:]
  ) throws(PayloadRejection) {
    guard let currency = payload[field]?.text?.uppercased(),
      let price = BilledAmounts.amount(minor, currency, decimals: decimals[currency])
    else { throw .invalid(field) }
    self[.price] = price
    self[.currency] = .string(currency)
  }
}

/// The app's own ids of users in the payloads of billing services.
enum BilledUsers {
  private static let keys = [
    "user_id", "app_user_id", "userId", "uid", "firebase_uid", "client_reference_id",
  ]

  /// Returns the id in the data that a shop added to its objects.
  ///
  /// - Parameter own: Names that count before the usual ones.
  static func user(in metadata: JSONNode?, _ own: [String]) -> String? {
    for name in own + keys { if let user = metadata?[name]?.text { return user } }
    return nil
  }
}

extension ProductPlans {
  /// Returns the plan that is billed once in so many days, weeks, months or years.
  static func plan(every count: Int64, _ interval: String?) -> Plan? {
    let unit = ["day": "D", "week": "W", "month": "M", "year": "Y"][interval ?? ""]
    return unit.flatMap { plan(duration: "P\(count)\($0)") }
  }
}
