internal import EventModel

/// A reason why a number in a report changed, in the order in which the causes are applied.
public enum ChangeCause: Int, CaseIterable, Sendable {
  /// The as-of moved over the same events: windows closed, trials and spells ended.
  case maturity
  /// New `identify` events joined users.
  case identityJoins
  /// The content of known events changed.
  case restated
  /// New events that happened before the earlier as-of.
  case lateEvents
  /// New events that happened since the earlier as-of.
  case newEvents
  /// New refunds; they come after all payments because a refund can name a payment that is new, too.
  case refunds
  /// Events that are no longer in the store.
  case removed

  private static let names = CaseNames<ChangeCause>()

  public var name: String { Self.names[self] }
}
