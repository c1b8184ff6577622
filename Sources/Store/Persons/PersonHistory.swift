public import EventModel
public import Lifecycle

/// What the store has of a person: every event of its ids, and what they come to at the as-of.
public struct PersonHistory: Sendable {
  public struct Event: Sendable {
    public var id: String
    public var kind: EventKind
    public var ts: Int64
    /// The id that it was sent under.
    public var user: String
    /// The path of the file that brought it.
    public var file: String
    public var context: Context
    public var product: String
    public var plan: Plan?
    /// Micro-units of ``currency``; `nil` where absent.
    public var price: Int64?
    public var currency: String
    /// What an impression shows, in micro-units; `nil` where absent.
    public var monthlyPrice: Int64?
    public var yearlyPrice: Int64?
    public var hasOfferType: Bool
    public var reason: ChurnReason
    /// What a gate is called: its limit, else its entry point.
    public var gate: String
    /// The id that an `identify` joins with.
    public var previousUser: String
    /// When the trial began whose auto-renew a `cancellation` or `reactivation` turns (definitions 2.4); `nil` of none.
    public var churnedTrial: Int64?
    /// Why the event counts for nothing; `nil` where it counts.
    public var exclusion: Exclusion?
  }

  /// Definitions 1.1 and 1.5.
  public enum Exclusion: Sendable {
    case afterAsOf
    case sandbox
    case familyShared
  }

  public var person: Int32
  public var app: NameID
  /// In byte order.
  public var users: [String]
  /// In the order of definitions 1.2.
  public var events: [Event]
  public var facts: PersonFacts
}
