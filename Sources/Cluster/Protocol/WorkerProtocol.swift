internal import EventModel
public import Parquet

/// The protocol between Spark and a worker; a worker of another version refuses to work.
public enum WorkerProtocol {
  /// Raised with every change of rows, their order or meaning, or of a build's file layout.
  public static let version = 9
  /// The oldest version whose builds this version reads and adds to.
  static let oldestBuild = 7

  /// The kind of a row, in the first column of a worker's output.
  public enum Tag: String, CaseIterable, Sendable {
    /// A valid event.
    case event
    /// A line that is not a valid event.
    case rejected
    /// A file, or a block of one, that was read.
    case file
    /// Rows of a table, packed: see ``RowPackBuilder``.
    case pack
    /// The rows of an event pack that come from one file, or a block of one.
    case part
    /// A user id that an event joins to another one.
    case join
    /// The places of events in packs, by the numbers of their ids: see ``NumberSlices``.
    case numbers
    /// The place of an event whose number occurs more than once.
    case number
    /// An event that was looked up.
    case picked
    /// An event whose person is folded elsewhere.
    case moved
    /// A Parquet file with rows of a table.
    case parquet
    /// The last row of each worker, with its counts of input and output.
    case end
    // Facts, as in the tables of the store.
    case entry, exposure, trial, conversion, spell, payment, refund
    /// Cells of facts: units of many persons, grouped by shared dimensions.
    case cell
  }

  /// The type of a column in Spark's SQL.
  public typealias ColumnType = ParquetType

  public struct Column: Sendable, ExpressibleByStringLiteral {
    public var name: String
    public var type = ColumnType.text

    /// A column of texts.
    public init(stringLiteral name: String) { self.name = name }

    private init(_ name: String, _ type: ColumnType) { (self.name, self.type) = (name, type) }

    static func integer(_ name: String) -> Self { Self(name, .integer) }
    static func flag(_ name: String) -> Self { Self(name, .flag) }
  }

  /// Returns the columns of a row after its tag; for facts, after ``factKey``.
  public static func columns(of tag: Tag) -> [Column] {
    switch tag {
    case .event:
      [
        "app", "user_id", "event_id", "event", .integer("ts"), .integer("received_at"),
        // For production events: a name of `EventClock` (definitions 1.1).
        "stamp", .flag("is_sandbox"), .flag("is_family_shared"), "previous_user_id",
        // For impressions that count: the event reduced to its context and terms.
        "impression",
        // Canonical JSON: the whole event without received_at.
        "content", "path", .integer("block"), .integer("line"),
        // The hash of app and event id: equal ids have equal numbers (EventRecord.identityHash).
        .integer("number"),
      ]
    case .picked:
      // The event and its place.
      columns(of: .event) + ["pack", .integer("row")]
    case .rejected: ["path", .integer("block"), .integer("line"), "reason", "field", "raw", "raw_base64"]
    case .file:
      [
        "path", .integer("block"), "digest", .integer("bytes"),
        // Lines of the block, with and without blank ones.
        .integer("all_lines"), .integer("lines"), .integer("rejected"), "csv_header", "failure",
      ]
    case .pack:
      [
        "table", "app", "month", .integer("bucket"),
        // A unique name.
        "pack", .integer("rows"),
        // In base 64.
        "bytes",
      ]
    case .join:
      [
        "app", "user_id", "previous_user_id", .integer("ts"), .flag("is_sandbox"), .flag("is_family_shared"), "path",
        .integer("number"),
      ]
    case .numbers: [.integer("slice"), "name", "bytes"]
    case .number: ["pack", .integer("row"), .integer("number")]
    case .part:
      // The row from which the part starts.
      ["pack", "path", .integer("block"), .integer("first"), .integer("rows")]
    case .moved: ["app", "person", "event", .integer("ts"), "event_id", "content"]
    case .parquet:
      // The bytes are in base 64, without the last four, PAR1.
      ["table", "app", "month", .integer("rows"), "bytes"]
    case .end: [.integer("protocol"), .integer("rows_in"), .integer("persons"), .integer("rows_out")]
    case .entry: [.integer("ts")] + context + dimensions
    case .exposure:
      [
        .integer("ts"), "experiment", "variant", "platform", "store", "country", "app_version", .flag("has_trial"),
        .flag("is_trial_cancelled"), .flag("has_paid"), .flag("is_refunded"), .flag("is_retained"),
        .flag("was_active_before"), .flag("has_usage"), .flag("is_used_on_first_day"), .integer("trial_start"),
        .integer("trial_end"), .integer("trial_deadline"), .integer("trial_converted_at"), "revenues",
      ]
    case .trial:
      ["start", "trial_end", "deadline", "converted_at"].map(Column.integer)
        + [.flag("is_cancelled")] + context + dimensions
    case .conversion:
      [.integer("ts"), .integer("trial_start"), "conversion_trial_kind"] + context
    case .spell:
      ["ordinal", "start", "cover_end", "grace_end"].map(Column.integer)
        + [
          "reason", .flag("is_purchase"), .integer("price"), "currency", .flag("has_offer_type"), .integer("payments"),
          .integer("last_payment_at"), .flag("is_off_35"), .flag("is_off_95"), .flag("is_off_370"), .flag("is_off_now"),
          .integer("first_cancelled_at"), .integer("first_refunded_at"), "subscription_id",
        ] + context + dimensions
    case .payment:
      [
        .integer("spell"), .integer("ts"), "event", "product_id", "plan", .integer("price"), "currency", "terms",
        .integer("cover_end"), .integer("paid_until"), .integer("refunded"), .integer("refunded_at"),
      ]
    case .cell:
      ["app", "family"] + context
        + ["plan", .flag("is_family_tier"), "trial_kind"] + offer
        // For exposures.
        + client
        // For purchases and revenues.
        + ["currency"]
        // The number of units; negative if a later build has folded their persons again.
        + [.integer("units")]
        // See MonthCell, in base 64.
        + ["bytes"]
    case .refund: [.integer("payment"), .integer("spell"), .integer("ts"), .integer("amount"), "currency"]
    }
  }

  /// The first columns of each fact: the person by its smallest id, the fact's index in the person's list, and the
  /// index of the context that it is credited to.
  public static let factKey: [Column] = ["app", "person", .integer("number"), .integer("credit")]

  /// The kinds of events in the order that breaks ties, that of `EventKind.order`.
  static let kinds = EventKind.inOrder.map(\.name)

  public static let facts: [Tag] = [.entry, .exposure, .trial, .conversion, .spell, .payment, .refund]

  /// Returns all columns of a row after its tag.
  public static func allColumns(of tag: Tag) -> [Column] {
    (facts.contains(tag) ? factKey : []) + columns(of: tag)
  }

  private static let context: [Column] = ["experiment", "variant", "paywall", "entry_point"]
  private static let client: [Column] = ["platform", "store", "country", "app_version"]
  private static let dimensions =
    client + ["properties", "plan", .flag("is_family_tier"), "trial_kind"] + offer
  private static let offer: [Column] = ["product_id", "offering", "offer_type", "offer_code"]
}

/// The columns that Spark sends to a worker.
public enum WorkerInput {
  /// For whole files: path, bytes in base 64.
  public static let fileColumns = 2
  /// For lines: path, block, text, and bytes in base 64 if they are not text.
  public static let lineColumns = 4
  /// For events to fold: app, person, canonical JSON; sorted by app, person, ts, kind (Events.md) and event id.
  public static let eventColumns = 3
  /// For persons that an earlier build has folded too: 0 for current events and 1 for those of that build, then the
  /// columns of ``eventColumns``; sorted by these.
  public static let refoldColumns = 4
  /// For packs of events to fold, and users whose person is folded elsewhere: bucket, ``BucketRow`` and app; then
  /// ``DroppedRows`` and bytes for packs, id and person for users. Sorted by bucket and kind of row.
  public static let bucketColumns = 5
  /// For packs whose events are looked up by number: pack, app, numbers, bytes.
  public static let pickColumns = 4
  /// For numbers of ids that may be repeated: slice, name, bytes (``NumberSlices``); sorted by slice.
  public static let numberColumns = 3
  /// For cells to add up: month, then the columns of ``WorkerProtocol/Tag/cell``; sorted by all but the last two.
  public static let cellColumns = 1 + WorkerProtocol.columns(of: .cell).count
  /// For packs that become files: table, app, month, part, lines before the block, ``DroppedRows``, bytes; sorted by
  /// the first four.
  public static let tableColumns = 7
}

extension ParquetType {
  /// The type in Spark's SQL; columns of workers have no others.
  var sparkName: String {
    switch self {
    case .text: "STRING"
    case .integer, .instant, .money, .real: "BIGINT"
    case .flag: "BOOLEAN"
    }
  }
}
