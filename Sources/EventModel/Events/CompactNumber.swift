/// A number or none, in the space of a number; a store may have millions of them.
@propertyWrapper
public struct CompactNumber: Hashable, Sendable {
  /// The least integer stands for none: no instant is that early, and no amount that low.
  @usableFromInline var valueOrLeast: Int64

  @inlinable @inline(__always)
  public init(wrappedValue: Int64? = nil) { valueOrLeast = wrappedValue ?? .min }

  @inlinable @inline(__always)
  public var wrappedValue: Int64? {
    get { valueOrLeast == .min ? nil : valueOrLeast }
    set { valueOrLeast = newValue ?? .min }
  }
}

/// A decimal or none, in the space of a decimal.
@propertyWrapper
public struct CompactDecimal: Hashable, Sendable {
  /// All ones stand for none: they are no number.
  @usableFromInline var bits: UInt64

  @inlinable @inline(__always)
  public init(wrappedValue: Double? = nil) { bits = wrappedValue?.bitPattern ?? .max }

  @inlinable @inline(__always)
  public var wrappedValue: Double? {
    get { bits == .max ? nil : Double(bitPattern: bits) }
    set { bits = newValue?.bitPattern ?? .max }
  }
}
