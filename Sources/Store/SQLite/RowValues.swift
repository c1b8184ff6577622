/// Rows of numbers in one array; a few values may be texts or ids.
struct RowValues: Sendable {
  /// Stands for NULL.
  static let null = Int64.min
  /// Stands for one of ``ids``.
  static let id = Int64.min + 1

  private(set) var values: [Int64] = []
  private(set) var text: [UInt8] = []
  /// The values that are ids, by place in ``values``.
  private(set) var ids: [Int: CodedID] = [:]

  var isEmpty: Bool { values.isEmpty }

  mutating func removeAll() {
    values.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    ids.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  mutating func append<each Value: RowField>(_ values: repeat each Value) { repeat (each values).append(to: &self) }

  /// Appends a value of the column of texts or blobs.
  mutating func append(text bytes: UnsafeRawBufferPointer) {
    values.append(Int64(text.count) << 24 | Int64(bytes.count))
    text.append(contentsOf: bytes)
  }
}

/// A value in ``RowValues``.
protocol RowField {
  func append(to rows: inout RowValues)
}

extension RowValues {
  @inline(__always)
  fileprivate mutating func add(_ number: Int64) { values.append(number) }

  fileprivate mutating func add(_ id: CodedID) {
    if case .integer(let value) = id { return values.append(value) }
    ids[values.count] = id
    values.append(Self.id)
  }
}

extension Int64: RowField {
  @inline(__always)
  func append(to rows: inout RowValues) { rows.add(self) }
}

extension Int32: RowField {
  @inline(__always)
  func append(to rows: inout RowValues) { rows.add(Int64(self)) }
}

extension Int: RowField {
  @inline(__always)
  func append(to rows: inout RowValues) { rows.add(Int64(self)) }
}

extension Bool: RowField {
  @inline(__always)
  func append(to rows: inout RowValues) { rows.add(self ? 1 : 0) }
}

extension CodedID: RowField {
  func append(to rows: inout RowValues) { rows.add(self) }
}

extension Optional: RowField where Wrapped: RowField {
  @inline(__always)
  func append(to rows: inout RowValues) {
    if let self { self.append(to: &rows) } else { rows.add(RowValues.null) }
  }
}
