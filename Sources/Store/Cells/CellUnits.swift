public import Lifecycle

/// A funnel entry (definitions 3.1) with the ``FunnelSteps`` that the user reached after it.
public struct EntryUnit: Equatable, Sendable {
  public var ts: Int64
  public var steps = FunnelSteps()

  static let layout = UnitLayout(storesDistance: [true], firstLimit: day << 4)

  init(ts: Int64) { self.ts = ts }

  @inline(__always)
  init(_ fields: UnsafeMutablePointer<Int64>, dayStart: Int64) {
    ts = dayStart + fields[0] >> 4
    steps = FunnelSteps(rawValue: UInt8(truncatingIfNeeded: fields[0] & 15))
  }

  func append(to list: inout [Int64]) {
    list.append((ts % day) << 4 | Int64(steps.rawValue))
  }
}

/// A trial (definitions 2.2–2.5); its kind is a dimension.
public struct TrialUnit: Equatable, Sendable {
  public var start: Int64
  public var end: Int64
  public var deadline: Int64
  public var convertedAt: Int64?
  public var isCancelled: Bool

  static let layout = UnitLayout(storesDistance: [true, true, true, false], firstLimit: day, distances: 3)
}

extension TrialUnit {
  @inline(__always)
  init(_ fields: UnsafeMutablePointer<Int64>, dayStart: Int64) {
    start = dayStart + fields[0]
    end = start + fields[1]
    deadline = end + fields[2]
    convertedAt = fields[3] >> 1 == 0 ? nil : start + fields[3] >> 1 - 1
    isCancelled = fields[3] & 1 != 0
  }

  func append(to list: inout [Int64]) {
    list.append(start % day)
    list.append(end - start)
    list.append(deadline - end)
    list.append((convertedAt.map { $0 - start + 1 } ?? 0) << 1 | (isCancelled ? 1 : 0))
  }
}

/// A purchase: the first spell of a subscription that started with a conversion (definitions 2.8, 2.9); its plan is a
/// dimension.
public struct PurchaseUnit: Equatable, Sendable {
  public var start: Int64
  /// The end of the cover; the greatest value for a lifetime plan.
  public var coverEnd: Int64
  public var graceEnd: Int64
  public var firstCancelledAt: Int64?
  /// Whether auto-renew was off at each age of definitions 6.2, in days.
  public var isOffAt35: Bool
  public var isOffAt95: Bool
  public var isOffAt370: Bool
  /// Whether the first payment was refunded in full within 30 d (definitions 6.3).
  public var isRefundedWithin30: Bool
  public var hasOfferType: Bool
  /// The raw value of ``ChurnReason``.
  public var reason: UInt8
  public var currency: NameID
  /// The price of the first payment, in micro-units.
  public var price: Int64
  public var payments: Int

  static let layout = UnitLayout(
    storesDistance: [true, false, true, false, false, true, true, false], firstLimit: day, distances: 3, priceField: 6)
  public static let refundWindow = 30 * day

  /// - Returns: `nil` if the spell is not a purchase.
  init?(_ fact: SpellFact) {
    guard fact.isPurchase else { return nil }
    start = fact.start
    coverEnd = fact.end
    graceEnd = fact.graceEnd
    firstCancelledAt = fact.firstCancelledAt
    isOffAt35 = fact.isOffAt35
    isOffAt95 = fact.isOffAt95
    isOffAt370 = fact.isOffAt370
    isRefundedWithin30 = fact.firstRefundedAt.map { $0 < fact.start + Self.refundWindow } ?? false
    hasOfferType = fact.hasOfferType
    reason = fact.reason.rawValue
    currency = fact.currency
    price = fact.price
    payments = fact.paymentCount
  }

  /// The columns of a spell's row that ``init(_:_:)`` reads.
  static let columns =
    "start, cover_end, grace_end, first_cancelled_at, is_off, first_refunded_at, has_offer_type, reason, currency, "
    + "price, payments"

  /// Reads ``columns`` from a row.
  ///
  /// - Parameter first: The position of the first of them.
  init(_ row: SQLiteStatement, _ first: Int32) {
    start = row.int64(first)
    coverEnd = row.int64(first + 1)
    graceEnd = row.int64(first + 2)
    firstCancelledAt = row.optionalInt64(first + 3)
    let isOff = row.int64(first + 4)
    isOffAt35 = isOff & 1 != 0
    isOffAt95 = isOff & 2 != 0
    isOffAt370 = isOff & 4 != 0
    let start = start
    isRefundedWithin30 = row.optionalInt64(first + 5).map { $0 < start + Self.refundWindow } ?? false
    hasOfferType = row.int64(first + 6) != 0
    reason = ChurnReason(rawValue: UInt8(truncatingIfNeeded: row.int64(first + 7)))?.rawValue ?? 0
    currency = row.int32(first + 8)
    price = row.int64(first + 9)
    payments = Int(max(0, min(row.int64(first + 10), StoredRange.counts.upperBound)))
  }

  @inline(__always)
  init(_ fields: UnsafeMutablePointer<Int64>, dayStart: Int64) {
    start = dayStart + fields[0]
    let isForever = fields[4] & 32 != 0
    coverEnd = isForever ? .max : start + fields[1]
    graceEnd = isForever ? .max : coverEnd + fields[2]
    firstCancelledAt = fields[3] == 0 ? nil : start + fields[3] - 1
    isOffAt35 = fields[4] & 1 != 0
    isOffAt95 = fields[4] & 2 != 0
    isOffAt370 = fields[4] & 4 != 0
    isRefundedWithin30 = fields[4] & 8 != 0
    hasOfferType = fields[4] & 16 != 0
    reason = ChurnReason(rawValue: UInt8(truncatingIfNeeded: fields[4] >> 6))?.rawValue ?? 0
    currency = NameID(truncatingIfNeeded: fields[5])
    price = fields[6]
    payments = Int(max(0, min(fields[7], StoredRange.counts.upperBound)))
  }

  func append(to list: inout [Int64]) {
    let isForever = coverEnd == .max
    list.append(start % day)
    list.append(isForever ? 0 : coverEnd - start)
    list.append(isForever ? 0 : graceEnd - coverEnd)
    list.append(firstCancelledAt.map { $0 - start + 1 } ?? 0)
    let flags =
      (isOffAt35 ? 1 : 0) | (isOffAt95 ? 2 : 0) | (isOffAt370 ? 4 : 0) | (isRefundedWithin30 ? 8 : 0)
      | (hasOfferType ? 16 : 0) | (isForever ? 32 : 0)
    list.append(Int64(flags) | Int64(reason) << 6)
    list.append(Int64(currency))
    list.append(price)
    list.append(Int64(payments))
  }
}
