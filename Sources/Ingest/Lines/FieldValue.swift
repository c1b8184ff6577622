/// The form and the bytes of a value in a line.
struct FieldValue {
  enum Form: UInt8 {
    /// JSON `null`, an empty string, an empty cell.
    case absent
    /// The bytes between the quotes, unescaped.
    case string
    case number
    case boolean
    /// The text from the opening to the closing bracket.
    case object
    case array
    /// A CSV cell, unquoted: a string, or any other form that its field accepts.
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
  /// Whether the property is in `properties`, and so wins over an unknown field with its name.
  var isExplicit: Bool
}
