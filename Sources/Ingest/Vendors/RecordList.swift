internal import Basics

/// Finds the objects in the list at a path of a JSON document, piece by piece.
struct RecordList {
  private let path: [String]
  /// The number of names of the path whose objects are open.
  private var matched = 0
  private var depth = 0
  private var strings = JSONStringScanner()
  /// The last string at the depth of the names wanted.
  private var name: [UInt8] = []
  /// Whether the next value is that of the wanted name.
  private var isWanted = false
  private var isInList = false
  private var isDone = false

  init(path: [String]) { self.path = path }

  /// Returns where to go on; `nil` if an object of the list starts at `start`.
  mutating func skip(_ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    if isDone { return end }
    var place = start
    while place < end {
      if isInList {
        // An inner list or text holds no records.
        guard let next = skipElement(place, to: end) else { return place > start ? place : nil }
        place = next
      } else {
        scan(place.pointee)
        place += 1
      }
      if isDone { return end }
    }
    return end
  }

  /// Returns the place after one byte between records; `nil` if a record starts there.
  private mutating func skipElement(
    _ place: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8>? {
    let byte = place.pointee
    if strings.isOfString(byte) { return place + 1 }
    switch byte {
    case UInt8(ascii: "{") where depth == 0: return nil
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"): depth -= 1
    case UInt8(ascii: "]"):
      if depth <= 0 { isDone = true }
      depth -= 1
    default: break
    }
    return place + 1
  }

  private mutating func scan(_ byte: UInt8) {
    if strings.isOfString(byte) {
      if strings.isInString, name.count < 1_000 { name.append(byte) }
      return
    }
    switch byte {
    case UInt8(ascii: "\""):
      isWanted = false
      name = []
    case UInt8(ascii: ":"):
      isWanted = depth == matched + 1 && matched < path.count && name.elementsEqual(path[matched].utf8)
    case UInt8(ascii: ","): isWanted = false
    case UInt8(ascii: "{"):
      if isWanted {
        matched += 1
        isWanted = false
      }
      depth += 1
    case UInt8(ascii: "["):
      if isWanted, matched == path.count - 1 {
        isInList = true
        depth = 0
        return
      }
      isWanted = false
      depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      if depth <= matched, depth >= 0, matched > 0 { matched = min(matched, max(0, depth - 1)) }
      if depth <= 0 { isDone = true }
    default: break
    }
  }
}
