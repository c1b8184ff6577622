/// Where a text lies in ``EventBatch/text``; length 0 is an absent text.
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

/// What sent the event, as numbers of ``EventBatch/names``.
public struct ClientNames: Hashable, Sendable {
  public var app: UInt32 = 0
  public var platform: UInt32 = 0
  public var store: UInt32 = 0
  /// Upper-cased.
  public var country: UInt32 = 0
  public var appVersion: UInt32 = 0
  public var isSandbox = false

  @inlinable
  public init() {}
}

/// The fields that few distinct combinations have: what was offered, bought, limited or given as reason.
///
/// Strings are numbers of ``EventBatch/names``, 0 where absent. Numbers are `nil` where absent.
/// Defaults are filled in where `Events.md` gives one, so that an explicit default equals an absent field.
public struct TermsNames: Hashable, Sendable {
  public var offering: UInt32 = 0
  /// Prices shown, in micro-units.
  public var priceWeekly: Int64?
  public var priceMonthly: Int64?
  public var priceYearly: Int64?
  public var priceLifetime: Int64?
  /// Default: not family, that is `individual`.
  public var isFamilyTier = false
  public var product: UInt32 = 0
  public var plan: Plan?
  /// In micro-units of `currency`.
  public var price: Int64?
  /// Upper-cased.
  public var currency: UInt32 = 0
  /// `price` in US dollars, in micro-units.
  public var priceUSD: Int64?
  /// Shares in `0...1`.
  public var taxPercentage: Double?
  public var commissionPercentage: Double?
  /// Default: not shared, that is `purchased`.
  public var isFamilyShared = false
  public var offerType: UInt32 = 0
  public var offerCode: UInt32 = 0
  public var trialDays: Int64?
  /// `introductory` or `app`; on `trial_start` the default `introductory` is filled in.
  public var trialKind: UInt32 = 0
  public var previousProduct: UInt32 = 0
  /// On `cancellation` the default `voluntary` is filled in.
  public var reason: UInt32 = 0
  public var limitName: UInt32 = 0
  public var limit: Double?
  public var used: Double?

  @inlinable
  public init() {}
}

/// One valid event. Indices point into the tables of its ``EventBatch``.
public struct EventRecord: Sendable {
  /// ``ByteHash`` of the `event_id`, seeded with that of the app: the identity of the event, but for collisions.
  public var identityHash: UInt64 = 0
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var ts: Int64 = 0
  // No instant is as early as the least integer, which stands for `nil` here: a batch has a quarter of a million
  // records, and an optional takes twice the room.
  @usableFromInline var receivedAtOrLeast = Int64.min
  @usableFromInline var expiresAtOrLeast = Int64.min
  @usableFromInline var trialEndsAtOrLeast = Int64.min
  @usableFromInline var graceEndsAtOrLeast = Int64.min
  public var eventID = TextSlice.absent
  public var subscriptionID = TextSlice.absent
  public var transactionID = TextSlice.absent
  /// Index into ``EventBatch/users``.
  public var user: UInt32 = 0
  /// All ones stand for `nil`.
  @usableFromInline var previousUserOrMost = UInt32.max
  /// Indices into the batch's tables of the same name.
  public var client: UInt32 = 0
  public var context: UInt32 = 0
  public var terms: UInt32 = 0
  /// Number in ``EventBatch/properties``.
  public var properties: UInt32 = 0
  /// Line of the file, from 1; in CSV that of the record's first line.
  public var line: UInt32 = 0
  public var kind = EventKind.activity

  @inlinable
  public init() {}

  /// As `ts`; `nil` where absent.
  @inlinable
  public var receivedAt: Int64? {
    get { receivedAtOrLeast == .min ? nil : receivedAtOrLeast }
    set { receivedAtOrLeast = newValue ?? .min }
  }

  @inlinable
  public var expiresAt: Int64? {
    get { expiresAtOrLeast == .min ? nil : expiresAtOrLeast }
    set { expiresAtOrLeast = newValue ?? .min }
  }

  @inlinable
  public var trialEndsAt: Int64? {
    get { trialEndsAtOrLeast == .min ? nil : trialEndsAtOrLeast }
    set { trialEndsAtOrLeast = newValue ?? .min }
  }

  @inlinable
  public var graceEndsAt: Int64? {
    get { graceEndsAtOrLeast == .min ? nil : graceEndsAtOrLeast }
    set { graceEndsAtOrLeast = newValue ?? .min }
  }

  /// Index into ``EventBatch/users``; of `identify` events only, else `nil`.
  @inlinable
  public var previousUser: UInt32? {
    get { previousUserOrMost == .max ? nil : previousUserOrMost }
    set { previousUserOrMost = newValue ?? .max }
  }
}

/// A person's id inside an app, as the file gives it.
public struct BatchUser: Hashable, Sendable {
  /// Number of the app in ``EventBatch/names``.
  public var app: UInt32
  /// The bytes of the id in ``EventBatch/text``.
  public var name: TextSlice
  /// ``ByteHash`` of the name, seeded with that of the app.
  public var hash: UInt64

  @inlinable
  public init(app: UInt32, name: TextSlice, hash: UInt64) {
    self.app = app
    self.name = name
    self.hash = hash
  }
}

/// A line that is no valid event.
public struct RejectedLine: Sendable {
  /// From 1.
  public var line: Int
  /// What is wrong, such as `missing:ts`, `invalid:price`, `unknown_kind`, `not_json_object`.
  public var reason: String
  /// The field concerned, where there is one.
  public var field: String?
  /// The line as it stands in the file, without its end; of an over-long one the first 4,096 bytes.
  public var raw: [UInt8]

  public init(line: Int, reason: String, field: String?, raw: [UInt8]) {
    self.line = line
    self.reason = reason
    self.field = field
    self.raw = raw
  }
}

/// The part of one file that lies in a batch.
public struct FilePart: Sendable {
  public enum Outcome: Sendable, Equatable {
    /// More of the file follows in the next batch.
    case unfinished
    /// This part is the file's last.
    case complete
    /// The file cannot be taken: nothing of it counts, earlier parts included.
    case failed(reason: String)
    /// Its bytes were read before (found only at the end, when reading from a pipe): nothing of it counts.
    case alreadyRead
  }

  /// As named in messages, quarantine and manifest; `-` is standard input.
  public var path: String
  /// Whether the file begins in this batch.
  public var isFirst: Bool
  /// The file's records in ``EventBatch/records``.
  public var records: Range<Int>
  public var rejected: [RejectedLine]
  public var outcome: Outcome
  /// SHA-256 of the stored bytes; known where `outcome` is `complete` or `alreadyRead`, and for regular files always.
  public var digest: [UInt8]
  /// Stored (compressed) bytes of the whole file; known where `outcome` is not `unfinished`.
  public var byteCount: Int64
  /// Lines of the whole file, blank ones aside; known where `outcome` is `complete`.
  public var lineCount: Int
  /// The header line where the file is CSV, else empty: what reads its quarantined records again.
  public var csvHeader: [UInt8] = []
  /// Whose format the file has: `native`, a vendor, `mapping`.
  public var source = "native"
  /// What a store's aggregated report says in this part, with how many.
  public var counts: [ReportedCount: Int] = [:]

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

/// Events as they pass from the decoder to the store: flat records and small tables of what repeats.
///
/// A batch is filled by one thread and then read by another, never both at once. Tables are the batch's own,
/// so the decoder needs nothing of the store; the store resolves each distinct entry once.
public final class EventBatch: @unchecked Sendable {
  public var records: [EventRecord] = []
  /// Every string of few distinct values; number 0 is the absent one.
  public var names = ByteInterner()
  public var contexts = RowInterner<ContextNames>()
  public var clients = RowInterner<ClientNames>()
  public var terms = RowInterner<TermsNames>()
  /// Property sets as JSON objects with keys in byte order and no spaces; number 0 is none.
  public var properties = ByteInterner()
  public var users: [BatchUser] = []
  /// Bytes of event ids, subscription ids, transaction ids and user ids.
  public var text: [UInt8] = []
  /// In the order of reading; together their records are all records.
  public var parts: [FilePart] = []

  public init() {}

  public func string(_ slice: TextSlice) -> String {
    text.withUnsafeBytes { all in
      String(decoding: all[Int(slice.offset)..<Int(slice.offset + slice.length)], as: UTF8.self)
    }
  }
}
