public import EventModel
public import Lifecycle

/// The complete history of a person in the store: every event of its ids, and the facts at the as-of.
public struct PersonHistory: Sendable {
  public struct Event: Sendable {
    public var id: String
    public var kind: EventKind
    public var ts: Int64
    /// The id that the event was sent under.
    public var user: String
    /// The path of the file that the event came from.
    public var file: String
    public var context: Context
    public var product: String
    public var plan: Plan?
    /// The price in micro-units of ``currency``; `nil` if absent.
    public var price: Int64?
    public var currency: String
    /// The prices that an impression shows, in micro-units; `nil` if absent.
    public var monthlyPrice: Int64?
    public var yearlyPrice: Int64?
    public var hasOfferType: Bool
    public var reason: ChurnReason
    /// The name of a gate: its limit, or otherwise its entry point.
    public var gate: String
    /// The id that an `identify` event joins.
    public var previousUser: String
    /// When the trial began whose auto-renew a `cancellation` or `reactivation` turns (definitions 2.4); `nil` of none.
    public var churnedTrial: Int64?
    /// Why the event counts for nothing; `nil` where it counts.
    public var exclusion: Exclusion?
    /// The effect of the event, with the rules' numbers; empty if it decided nothing, and until `EventRoles` tells it.
    public var role = ""
  }

  /// A reason why an event does not count (definitions 1.5).
  public enum Exclusion: Sendable {
    case afterAsOf
    case sandbox
    case familyShared
  }

  public var person: Int32
  public var app: NameID
  /// The ids in byte order.
  public var users: [String]
  /// The events, in event order.
  public var events: [Event]
  public var facts: PersonFacts
}
