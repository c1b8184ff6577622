internal import EventModel

/// A few hundred events in the order of user and time, column by column: how events lie in the store.
///
/// Numbers are told from the block's bases, so that they are small, and lie as ``ColumnText``; where one is too
/// large for that, the block is *wide*, and its columns of numbers are JSON arrays. The fields that few events have
/// lie in columns of their own with an entry for each event that has any (its *detail*), so the other events pay
/// one byte for them.
struct EventBlock {
  /// The columns, in the order of the table.
  enum Column: Int, CaseIterable {
    case user, kind, time, timeRest, client, context, terms, properties, file, received, receivedRest
    case detail, expires, expiresRest, trialEnd, trialEndRest, graceEnd, graceEndRest, previousHigh, previousLow
    case eventID, subscriptionID, transactionID

    var name: String {
      switch self {
      case .timeRest: "time_rest"
      case .receivedRest: "received_rest"
      case .expiresRest: "expires_rest"
      case .trialEnd: "trial_end"
      case .trialEndRest: "trial_end_rest"
      case .graceEnd: "grace_end"
      case .graceEndRest: "grace_end_rest"
      case .previousHigh: "previous_high"
      case .previousLow: "previous_low"
      case .eventID: "event_id"
      case .subscriptionID: "subscription_id"
      case .transactionID: "transaction_id"
      default: "\(self)"
      }
    }

    var isOfIDs: Bool { rawValue >= Column.eventID.rawValue }
  }

  /// The numbers of the block as a whole, in the order of the table.
  struct Header {
    var events: Int64 = 0
    var firstUser: Int64 = 0
    /// 1 where numbers lie as JSON arrays.
    var isWide: Int64 = 0
    /// Milliseconds in a unit of `time`, `expires`, `trial_end` and `grace_end`; their rests are below it.
    var unit: Int64 = 0
    var firstTime: Int64 = 0
    var firstFile: Int64 = 0
    /// Milliseconds in a unit of `received`.
    var receivedUnit: Int64 = 0
    /// Least `received_at` − `ts` cut to the second: so the rests of whole seconds are 0, and take no room.
    var firstReceived: Int64 = 0
    /// Least `expires_at` − `ts`; the next two likewise.
    var firstExpires: Int64 = 0
    var firstTrialEnd: Int64 = 0
    var firstGraceEnd: Int64 = 0

    static let names = [
      "events", "first_user", "is_wide", "unit", "first_time", "first_file", "received_unit", "first_received",
      "first_expires",
      "first_trial_end", "first_grace_end",
    ]

    var values: [Int64] {
      [
        events, firstUser, isWide, unit, firstTime, firstFile, receivedUnit, firstReceived, firstExpires,
        firstTrialEnd, firstGraceEnd,
      ]
    }

    init() {}

    init(_ value: (_ place: Int) -> Int64) {
      events = value(0)
      firstUser = value(1)
      isWide = value(2)
      unit = value(3)
      firstTime = value(4)
      firstFile = value(5)
      receivedUnit = value(6)
      firstReceived = value(7)
      firstExpires = value(8)
      firstTrialEnd = value(9)
      firstGraceEnd = value(10)
    }
  }

  /// Events of a block: more make less of the bases and of the row's own cost, but what one event needs dearer to
  /// reach.
  static let limit = 512
  /// A previous user's number is told as so many and a rest.
  static let previousUnit: Int64 = 1_000_000

  /// Milliseconds since the last whole second.
  @inline(__always)
  static func milliseconds(of instant: Int64) -> Int64 { (instant % 1000 + 1000) % 1000 }

  var header = Header()
  var lastUser: Int32 = 0
  /// By ``Column``; empty where all its values are 0 or absent.
  var columns = [[UInt8]](repeating: [], count: Column.allCases.count)

  /// The columns of ids that are text, not blob: a bit for each ``Column``.
  var textColumns = 0
}
