internal import Basics
internal import Foundation

/// Writes the properties of a line in canonical form.
enum PropertyText {
  /// Replaces `text` with a JSON object with string values, names in byte order; with nothing if no property remains.
  ///
  /// Of properties with one name the last wins, and one in `properties` wins over an unknown field. Absent ones are
  /// dropped; an absent one in `properties` keeps the unknown field with its name.
  static func write(_ properties: inout [PropertyValue], to text: inout [UInt8]) {
    text.removeAll(keepingCapacity: true)
    sort(&properties)
    var index = 0
    while index < properties.count {
      let name = properties[index].name
      var unknown: FieldValue?
      var explicit: FieldValue?
      while index < properties.count && compare(properties[index].name, name) == 0 {
        if properties[index].isExplicit {
          explicit = properties[index].value
        } else {
          unknown = properties[index].value
        }
        index += 1
      }
      if explicit?.form == .absent { explicit = nil }
      guard let kept = explicit ?? unknown, kept.form != .absent else { continue }
      text.append(text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
      JSONText.append(quoted: name, to: &text)
      text.append(UInt8(ascii: ":"))
      JSONText.append(quoted: kept.bytes, to: &text)
    }
    if !text.isEmpty { text.append(UInt8(ascii: "}")) }
  }

  /// Sorts by name, then unknown fields before members of `properties`, then by order in the line.
  private static func sort(_ properties: inout [PropertyValue]) {
    if properties.count > 16 {
      let sorted = properties.enumerated().sorted { left, right in
        if precedes(left.element, right.element) { return true }
        return !precedes(right.element, left.element) && left.offset < right.offset
      }
      properties = sorted.map(\.element)
      return
    }
    for index in properties.indices.dropFirst() {
      let property = properties[index]
      var place = index
      while place > 0 && precedes(property, properties[place - 1]) {
        properties[place] = properties[place - 1]
        place -= 1
      }
      properties[place] = property
    }
  }

  private static func precedes(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
    let order = compare(left.name, right.name)
    return order == 0 ? !left.isExplicit && right.isExplicit : order < 0
  }

  private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    let order = shared == 0 ? 0 : Int(memcmp(left.baseAddress!, right.baseAddress!, shared))
    return order == 0 ? left.count - right.count : order
  }
}
