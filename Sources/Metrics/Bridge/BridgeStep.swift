/// A step from our number to a vendor's, in the order in which they are taken (definitions 13.1).
public enum BridgeStep: String, CaseIterable, Sendable {
  case zone
  case cohort
  case unit
  case base
  case link
  case window
  case refund
  case access
  case renewalOff = "renewal_off"
  case resubscription
  case change
  case week

  /// As people read it, in tables, notes and errors.
  public var title: String {
    switch self {
    case .zone: "time zone"
    case .cohort: "day that counts"
    case .unit: "counted"
    case .base: "out of"
    case .link: "paid by"
    case .window: "within"
    case .refund: "refunds"
    case .access: "active until"
    case .renewalOff: "auto-renew off"
    case .resubscription: "resubscriptions"
    case .change: "another product"
    case .week: "weeks in a month"
    }
  }
}
