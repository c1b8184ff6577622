/// A value as it stands in a line: what it is and where its bytes are.
struct FieldValue {
  enum Form: UInt8 {
    /// JSON `null`, an empty string, an empty cell.
    case absent
    /// The bytes between the quotes, unescaped.
    case string
    case number
    case boolean
    /// The text from bracket to bracket.
    case object
    case array
    /// A CSV cell, unquoted: a string, or whatever else its field takes.
    case cell
  }

  var start: UnsafePointer<UInt8>
  var count: UInt32
  var form: Form

  @inline(__always)
  init(_ start: UnsafePointer<UInt8>, count: Int, form: Form) {
    self.start = start
    self.count = UInt32(truncatingIfNeeded: count)
    self.form = form
  }

  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: Int(count)) }
}

/// A property: a member of `properties`, or an unknown field.
struct PropertyValue {
  var name: UnsafeRawBufferPointer
  var value: FieldValue
  /// Stands in `properties`, and so wins over an unknown field of the same name.
  var isExplicit: Bool
}
