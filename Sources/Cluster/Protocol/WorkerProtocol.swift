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

  public struct Column: Sendable {
    public var name: String
    public var type: ColumnType

    init(_ name: String, _ type: ColumnType = .text) {
      self.name = name
      self.type = type
    }
  }

  /// Returns the columns of a row after its tag; for facts, after ``factKey``.
  public static func columns(of tag: Tag) -> [Column] {
    switch tag {
    case .event:
      [
        Column("app"), Column("user_id"), Column("event_id"), Column("event"), Column("ts", .integer),
        Column("received_at", .integer),
        // For production events: a name of `EventClock` (definitions 1.1).
        Column("stamp"), Column("is_sandbox", .flag), Column("is_family_shared", .flag), Column("previous_user_id"),
        // For impressions that count: the event reduced to its context and terms.
        Column("impression"),
        // Canonical JSON: the whole event without received_at.
        Column("content"), Column("path"), Column("block", .integer), Column("line", .integer),
        // The hash of app and event id: equal ids have equal numbers (EventRecord.identityHash).
        Column("number", .integer),
      ]
    case .picked:
      // The event and its place.
      columns(of: .event) + [Column("pack"), Column("row", .integer)]
    case .rejected:
      [
        Column("path"), Column("block", .integer), Column("line", .integer), Column("reason"), Column("field"),
        Column("raw"), Column("raw_base64"),
      ]
    case .file:
      [
        Column("path"), Column("block", .integer), Column("digest"), Column("bytes", .integer),
        // Lines of the block, with and without blank ones.
        Column("all_lines", .integer), Column("lines", .integer), Column("rejected", .integer), Column("csv_header"),
        Column("failure"),
      ]
    case .pack:
      [
        Column("table"), Column("app"), Column("month"), Column("bucket", .integer),
        // A unique name.
        Column("pack"), Column("rows", .integer),
        // In base 64.
        Column("bytes"),
      ]
    case .join:
      [
        Column("app"), Column("user_id"), Column("previous_user_id"), Column("ts", .integer),
        Column("is_sandbox", .flag), Column("is_family_shared", .flag), Column("path"), Column("number", .integer),
      ]
    case .numbers: [Column("slice", .integer), Column("name"), Column("bytes")]
    case .number: [Column("pack"), Column("row", .integer), Column("number", .integer)]
    case .part:
      // The row from which the part starts.
      [Column("pack"), Column("path"), Column("block", .integer), Column("first", .integer), Column("rows", .integer)]
    case .moved:
      [
        Column("app"), Column("person"), Column("event"), Column("ts", .integer), Column("event_id"), Column("content"),
      ]
    case .parquet:
      // The bytes are in base 64, without the last four, PAR1.
      [Column("table"), Column("app"), Column("month"), Column("rows", .integer), Column("bytes")]
    case .end:
      [
        Column("protocol", .integer), Column("rows_in", .integer), Column("persons", .integer),
        Column("rows_out", .integer),
      ]
    case .entry: [Column("ts", .integer)] + context + dimensions
    case .exposure:
      [
        Column("ts", .integer), Column("experiment"), Column("variant"), Column("platform"), Column("store"),
        Column("country"), Column("app_version"), Column("has_trial", .flag), Column("is_trial_cancelled", .flag),
        Column("has_paid", .flag), Column("is_refunded", .flag), Column("is_retained", .flag),
        Column("was_active_before", .flag), Column("has_usage", .flag), Column("is_used_on_first_day", .flag),
        Column("trial_start", .integer), Column("trial_end", .integer),
        Column("trial_deadline", .integer), Column("trial_converted_at", .integer), Column("revenues"),
      ]
    case .trial:
      ["start", "trial_end", "deadline", "converted_at"].map { Column($0, .integer) }
        + [Column("is_cancelled", .flag)] + context + dimensions
    case .conversion:
      [Column("ts", .integer), Column("trial_start", .integer), Column("conversion_trial_kind")] + context
    case .spell:
      ["ordinal", "start", "cover_end", "grace_end"].map { Column($0, .integer) }
        + [
          Column("reason"), Column("is_purchase", .flag), Column("price", .integer), Column("currency"),
          Column("has_offer_type", .flag), Column("payments", .integer),
          Column("last_payment_at", .integer), Column("is_off_35", .flag), Column("is_off_95", .flag),
          Column("is_off_370", .flag), Column("is_off_now", .flag), Column("first_cancelled_at", .integer),
          Column("first_refunded_at", .integer), Column("subscription_id"),
        ] + context + dimensions
    case .payment:
      [
        Column("spell", .integer), Column("ts", .integer), Column("event"), Column("product_id"), Column("plan"),
        Column("price", .integer), Column("currency"), Column("terms"), Column("cover_end", .integer),
        Column("paid_until", .integer), Column("refunded", .integer), Column("refunded_at", .integer),
      ]
    case .cell:
      [Column("app"), Column("family")] + context
        + [Column("plan"), Column("is_family_tier", .flag), Column("trial_kind")] + offer
        // For exposures.
        + ["platform", "store", "country", "app_version"].map { Column($0) }
        // For purchases and revenues.
        + [Column("currency")]
        // The number of units; negative if a later build has folded their persons again.
        + [Column("units", .integer)]
        // See MonthCell, in base 64.
        + [Column("bytes")]
    case .refund:
      [
        Column("payment", .integer), Column("spell", .integer), Column("ts", .integer), Column("amount", .integer),
        Column("currency"),
      ]
    }
  }

  /// The first columns of each fact: the person by its smallest id, the fact's index in the person's list, and the
  /// index of the context that it is credited to.
  public static let factKey = [
    Column("app"), Column("person"), Column("number", .integer), Column("credit", .integer),
  ]

  /// The kinds of events in the order that breaks ties, that of `EventKind.order`.
  static let kinds = EventKind.inOrder.map(\.name)

  public static let facts: [Tag] = [.entry, .exposure, .trial, .conversion, .spell, .payment, .refund]

  /// Returns all columns of a row after its tag.
  public static func allColumns(of tag: Tag) -> [Column] {
    (facts.contains(tag) ? factKey : []) + columns(of: tag)
  }

  private static let context = ["experiment", "variant", "paywall", "entry_point"].map { Column($0) }
  private static let dimensions =
    ["platform", "store", "country", "app_version", "properties", "plan"].map { Column($0) }
    + [Column("is_family_tier", .flag), Column("trial_kind")] + offer
  private static let offer = ["product_id", "offering", "offer_type", "offer_code"].map { Column($0) }
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
