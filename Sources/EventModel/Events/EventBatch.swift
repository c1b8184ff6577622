/// The place of a text in ``EventBatch/text``; length 0 is an absent text.
public struct TextSlice: Hashable, Sendable {
  public var offset: UInt32
  public var length: UInt32

  @inlinable
  public static var absent: TextSlice { TextSlice(offset: 0, length: 0) }

  @inlinable
  public init(offset: UInt32, length: UInt32) {
    self.offset = offset
    self.length = length
  }
}

/// The four fields of a paywall context (definitions 2.1), as numbers of ``EventBatch/names``.
public struct ContextNames: Hashable, Sendable {
  public var entryPoint: UInt32 = 0
  public var experiment: UInt32 = 0
  public var variant: UInt32 = 0
  public var paywall: UInt32 = 0

  @inlinable
  public init() {}
}

/// The app and client that sent the event, as numbers of ``EventBatch/names``.
public struct ClientNames: Hashable, Sendable {
  public var app: UInt32 = 0
  public var platform: UInt32 = 0
  public var store: UInt32 = 0
  /// In upper case.
  public var country: UInt32 = 0
  public var appVersion: UInt32 = 0
  public var isSandbox = false

  @inlinable
  public init() {}
}

/// The fields with few distinct combinations: offer, purchase, limit and reason.
///
/// Strings are numbers of ``EventBatch/names``, 0 if absent. Numbers are `nil` if absent.
/// The defaults of `Events.md` are filled in, so that an explicit default equals an absent field.
public struct TermsNames: Hashable, Sendable {
  /// Displayed prices, in micro-units.
  @CompactNumber public var priceWeekly: Int64?
  @CompactNumber public var priceMonthly: Int64?
  @CompactNumber public var priceYearly: Int64?
  @CompactNumber public var priceLifetime: Int64?
  /// In micro-units of `currency`.
  @CompactNumber public var price: Int64?
  /// `price` in US dollars, in micro-units.
  @CompactNumber public var priceUSD: Int64?
  @CompactNumber public var trialDays: Int64?
  /// Shares in `0...1`.
  @CompactDecimal public var taxPercentage: Double?
  @CompactDecimal public var commissionPercentage: Double?
  @CompactDecimal public var limit: Double?
  @CompactDecimal public var used: Double?
  public var offering: UInt32 = 0
  public var product: UInt32 = 0
  /// In upper case.
  public var currency: UInt32 = 0
  public var offerType: UInt32 = 0
  public var offerCode: UInt32 = 0
  /// `introductory` or `app`; `trial_start` defaults to `introductory`.
  public var trialKind: UInt32 = 0
  public var previousProduct: UInt32 = 0
  /// The reason; `cancellation` defaults to `voluntary`.
  public var reason: UInt32 = 0
  public var limitName: UInt32 = 0
  public var plan: Plan?
  /// Whether the tier is `family`; the default is `individual`.
  public var isFamilyTier = false
  /// Whether the ownership is `family_shared`; the default is `purchased`.
  public var isFamilyShared = false

  public init() {}
}

/// One valid event. Indices point into the tables of its ``EventBatch``.
public struct EventRecord: Sendable {
  /// ``ByteHash`` of the `event_id`, seeded with the app's hash; identifies the event, except for collisions.
  public var identityHash: UInt64 = 0
  /// Milliseconds since 1970-01-01T00:00:00Z, as the instants below; those are `nil` if absent.
  public var ts: Int64 = 0
  @CompactNumber public var receivedAt: Int64?
  @CompactNumber public var expiresAt: Int64?
  @CompactNumber public var trialEndsAt: Int64?
  @CompactNumber public var graceEndsAt: Int64?
  @CompactNumber public var subscriptionStartedAt: Int64?
  public var eventID = TextSlice.absent
  public var subscriptionID = TextSlice.absent
  public var transactionID = TextSlice.absent
  /// Index into ``EventBatch/users``.
  public var user: UInt32 = 0
  /// All ones stand for `nil`.
  @usableFromInline var previousUserOrMost = UInt32.max
  /// Indices into the batch's tables with these names.
  public var client: UInt32 = 0
  public var context: UInt32 = 0
  public var terms: UInt32 = 0
  /// Number in ``EventBatch/properties``.
  public var properties: UInt32 = 0
  /// Line in the file, from 1; in CSV the first line of the record.
  public var line: UInt32 = 0
  public var kind = EventKind.activity

  @inlinable
  public init() {}

  /// Index into ``EventBatch/users``, on `identify` events only.
  @inlinable
  public var previousUser: UInt32? {
    get { previousUserOrMost == .max ? nil : previousUserOrMost }
    set { previousUserOrMost = newValue ?? .max }
  }
}

/// A user's id inside an app, as the file gives it.
public struct BatchUser: Hashable, Sendable {
  /// Number of the app in ``EventBatch/names``.
  public var app: UInt32
  /// The bytes of the id in ``EventBatch/text``.
  public var name: TextSlice
  /// ``ByteHash`` of the name, seeded with the app's hash.
  public var hash: UInt64

  @inlinable
  public init(app: UInt32, name: TextSlice, hash: UInt64) {
    self.app = app
    self.name = name
    self.hash = hash
  }
}

/// A line that is not a valid event.
public struct RejectedLine: Sendable {
  /// From 1.
  public var line: Int
  /// The problem, such as `missing:ts`, `invalid:price`, `unknown_kind`, `not_json_object`.
  public var reason: String
  /// The field concerned, if there is one.
  public var field: String?
  /// The line as it is in the file, without its end; the first 4,096 bytes of a longer one.
  public var raw: [UInt8]
  /// The app and kind of the event that it would be, where the file's format does not say them by itself.
  public var app: String?
  public var event: String?

  public init(line: Int, reason: String, field: String?, raw: [UInt8]) {
    self.line = line
    self.reason = reason
    self.field = field
    self.raw = raw
  }
}

/// The part of a file that is in one batch.
public struct FilePart: Sendable {
  public enum Outcome: Sendable, Equatable {
    /// The file continues in the next batch.
    case unfinished
    /// This is the last part of the file.
    case complete
    /// The file cannot be ingested: none of it counts, including earlier parts.
    case failed(reason: String)
    /// The bytes were ingested before, which a pipe reveals only at its end: none of it counts.
    case alreadyRead
  }

  /// The path in messages, quarantine and manifest; `-` is standard input.
  public var path: String
  /// Whether the file starts in this batch.
  public var isFirst: Bool
  /// The file's records in ``EventBatch/records``.
  public var records: Range<Int>
  public var rejected: [RejectedLine]
  /// Rejected lines that are only counted, by reason: the file has too many of it.
  public var unkept: [String: Int] = [:]
  public var outcome: Outcome
  /// SHA-256 of the stored bytes; known if `outcome` is `complete` or `alreadyRead`, and always for regular files.
  public var digest: [UInt8]
  /// Stored (compressed) bytes of the whole file; known unless `outcome` is `unfinished`.
  public var byteCount: Int64
  /// Lines of the whole file without blank ones; known if `outcome` is `complete`.
  public var lineCount: Int
  /// The header line of a CSV file, needed to read quarantined records again; else empty.
  public var csvHeader: [UInt8] = []
  /// The format of the file: `native`, a vendor, `mapping`.
  public var source = "native"
  /// The counts of a store's aggregated report in this part.
  public var counts: [ReportedCount: Int] = [:]
  /// The number of records in this part that a mapping ignores, or that give no event.
  public var ignored = 0
  /// The name of the reading of the file: its source, and the app, plans and mapping that were given.
  public var reading = ""
  /// Whether a failure is recorded in the store.
  public var isRemembered = true

  public init(
    path: String, isFirst: Bool, records: Range<Int>, rejected: [RejectedLine], outcome: Outcome, digest: [UInt8],
    byteCount: Int64, lineCount: Int
  ) {
    self.path = path
    self.isFirst = isFirst
    self.records = records
    self.rejected = rejected
    self.outcome = outcome
    self.digest = digest
    self.byteCount = byteCount
    self.lineCount = lineCount
  }
}

/// Events on their way from the decoder to the store: flat records and small tables of repeated values.
///
/// One thread fills a batch and then another reads it, never both at once. The tables belong to the batch, so the
/// decoder does not need the store; the store resolves each distinct entry once.
public final class EventBatch: @unchecked Sendable {
  public var records: [EventRecord] = []
  /// All strings with few distinct values; number 0 is the absent one.
  public var names = ByteInterner()
  public var contexts = RowInterner<ContextNames>()
  public var clients = RowInterner<ClientNames>()
  public var terms = RowInterner<TermsNames>()
  /// Property sets as JSON objects with keys in byte order and no spaces; number 0 is the empty set.
  public var properties = ByteInterner()
  public var users: [BatchUser] = []
  /// Bytes of event ids, subscription ids, transaction ids and user ids.
  public var text: [UInt8] = []
  /// In reading order; together they hold all records.
  public var parts: [FilePart] = []

  public init() {}

  public func string(_ slice: TextSlice) -> String {
    text.withUnsafeBytes { all in
      String(decoding: all[Int(slice.offset)..<Int(slice.offset + slice.length)], as: UTF8.self)
    }
  }
}
