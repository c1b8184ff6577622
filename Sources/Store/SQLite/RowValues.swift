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
  mutating func append(_ value: Int64) { values.append(value) }

  @inline(__always)
  mutating func append(_ value: Int32) { values.append(Int64(value)) }

  @inline(__always)
  mutating func append(_ value: Bool) { values.append(value ? 1 : 0) }

  @inline(__always)
  mutating func append(_ value: Int64?) { values.append(value ?? Self.null) }

  /// Appends a value of the column of texts or blobs.
  mutating func append(text bytes: UnsafeRawBufferPointer) {
    values.append(Int64(text.count) << 24 | Int64(bytes.count))
    text.append(contentsOf: bytes)
  }

  mutating func append(_ id: CodedID?) {
    switch id {
    case nil: values.append(Self.null)
    case .integer(let value): values.append(value)
    case .uuid, .text:
      ids[values.count] = id
      values.append(Self.id)
    }
  }
}
