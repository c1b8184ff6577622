/// Why a number of a report moved, in the order in which the causes are taken.
public enum ChangeCause: Int, CaseIterable, Sendable {
  /// The as-of moved, over the same events: windows closed, trials and spells ended.
  case maturity
  /// `identify` events that came.
  case identityJoins
  /// Events whose content is another.
  case restated
  /// Events that came and had happened before the earlier as-of.
  case late
  /// Events that came and happened since.
  case new
  /// Refunds that came: behind all payments, as one names a payment that may be new, too.
  case refunds
  /// Events that are gone.
  case removed

  public var name: String {
    switch self {
    case .maturity: "maturity"
    case .identityJoins: "identity_joins"
    case .restated: "restated"
    case .late: "late_events"
    case .refunds: "refunds"
    case .new: "new_events"
    case .removed: "removed"
    }
  }
}
