internal import EventModel

/// Up to ``limit`` events in the order of user and time, stored column by column; this is the form in which the store
/// holds events.
///
/// Numbers are stored relative to the block's bases, which keeps them small enough for ``ColumnText``. If one is still
/// too large, the block is *wide* and its columns of numbers are JSON arrays. Fields that few events have are in
/// columns of their own, with an entry for each event that has any of them (its *detail*); all other events pay one
/// byte for them.
struct EventBlock {
  /// The columns, in the order of the table.
  enum Column: Int, CaseIterable, Sendable {
    case user, kind, time, timeRest, client, context, terms, properties, file, received, receivedRest
    case detail, expires, expiresRest, trialEnd, trialEndRest, graceEnd, graceEndRest, previousHigh, previousLow
    case started, startedRest
    case eventID, subscriptionID, transactionID

    private static let names = CaseNames<Column>()

    var name: String { Self.names[self] }

    var isOfIDs: Bool { rawValue >= Column.eventID.rawValue }
  }

  /// The numbers of the block as a whole, in the order of the table.
  struct Header: Sendable {
    var events: Int64 = 0
    var firstUser: Int64 = 0
    /// 1 if the columns of numbers are JSON arrays.
    var isWide: Int64 = 0
    /// Milliseconds in a unit of `time`, `expires`, `trial_end`, `grace_end` and `started`; the rests are smaller than a
    /// unit.
    var unit: Int64 = 0
    var firstTime: Int64 = 0
    var firstFile: Int64 = 0
    /// Milliseconds in a unit of `received`.
    var receivedUnit: Int64 = 0
    /// The least `received_at` − `ts`, with `ts` cut to the whole second, so that the rests of whole seconds are 0 and
    /// take no space.
    var firstReceived: Int64 = 0
    /// The least `expires_at` − `ts`; the next two are the same for the end of the trial and of grace.
    var firstExpires: Int64 = 0
    var firstTrialEnd: Int64 = 0
    var firstGraceEnd: Int64 = 0
    /// The least `subscription_started_at` − `ts`.
    var firstStarted: Int64 = 0

    private static let fields: [(name: String, path: any WritableKeyPath<Header, Int64> & Sendable)] = [
      ("events", \.events), ("first_user", \.firstUser), ("is_wide", \.isWide), ("unit", \.unit),
      ("first_time", \.firstTime), ("first_file", \.firstFile), ("received_unit", \.receivedUnit),
      ("first_received", \.firstReceived), ("first_expires", \.firstExpires), ("first_trial_end", \.firstTrialEnd),
      ("first_grace_end", \.firstGraceEnd), ("first_started", \.firstStarted),
    ]
    static let names = fields.map(\.name)

    var values: [Int64] { Self.fields.map { self[keyPath: $0.path] } }

    init() {}

    init(_ value: (_ place: Int) -> Int64) {
      for (place, field) in Self.fields.enumerated() { self[keyPath: field.path] = value(place) }
    }
  }

  /// The maximum number of events in a block. More events share the bases and the cost of the row better, but make
  /// single events more expensive to read.
  static let limit = 512
  /// A previous user's number is stored as a multiple of this unit and a rest.
  static let previousUnit: Int64 = 1_000_000

  /// Returns the milliseconds since the last whole second.
  @inline(__always)
  static func milliseconds(of instant: Int64) -> Int64 { (instant % 1000 + 1000) % 1000 }

  var header = Header()
  var lastUser: Int32 = 0
  /// The bytes by ``Column``; empty if all values are 0 or absent.
  var columns = [[UInt8]](repeating: [], count: Column.allCases.count)

  /// The id columns that are text, not blob: a bit for each ``Column``.
  var textColumns = 0
}
