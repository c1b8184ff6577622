internal import EventModel

/// The encoding of a cell's units as bytes: unit after unit in lexicographic order of their fields, each field as a
/// varint, so that equal multisets of units have equal bytes.
///
/// The first field ascends and is stored as the distance from the previous unit's. Every other field is stored as a
/// signed number, or as the signed distance from the previous unit's if neighbouring units tend to agree in it.
struct UnitLayout: Sendable {
  /// Whether each field is stored as a distance; the first always is.
  let storesDistance: [Bool]
  /// The exclusive upper limit of the first field: a day, with bits behind it.
  var firstLimit = Int64.max
  /// How many of the fields, from the second on, are distances between instants.
  var distances = 0
  /// The field that is a price; 0 for none.
  var priceField = 0

  var fields: Int { storesDistance.count }

  /// The maximum number of bytes that one number takes.
  private static let longest = 10

  /// Encodes units.
  ///
  /// - Parameter units: All fields of the first unit, then of the next, in the order of the units.
  func encode(_ units: [Int64]) -> [UInt8] {
    // An array without capacity is a singleton shared by all threads, so its count must not be written.
    if units.isEmpty { return [] }
    let fields = fields
    return units.withUnsafeBufferPointer { units in
      storesDistance.withUnsafeBufferPointer { storesDistance in
        [UInt8](unsafeUninitializedCapacity: units.count * Self.longest) { bytes, count in
          for place in stride(from: 0, to: units.count, by: fields) {
            for field in 0..<fields {
              let value = units[place + field]
              let before = storesDistance[field] && place > 0 ? units[place + field - fields] : 0
              var rest = field == 0 ? UInt64(bitPattern: value &- before) : Varint.zigzag(value &- before)
              while rest >= 0x80 {
                bytes.initializeElement(at: count, to: UInt8(truncatingIfNeeded: rest) | 0x80)
                count += 1
                rest >>= 7
              }
              bytes.initializeElement(at: count, to: UInt8(truncatingIfNeeded: rest))
              count += 1
            }
          }
        }
      }
    }
  }

  /// Calls `body` with the fields of each unit, up to one that is none that ``encode(_:)`` writes.
  ///
  /// - Returns: Whether all are.
  @inline(__always)
  @discardableResult
  func forEach(in bytes: UnsafeRawBufferPointer, _ body: (UnsafeMutablePointer<Int64>) -> Void) -> Bool {
    var isSound = true
    let count = fields
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { values in
      storesDistance.withUnsafeBufferPointer { storesDistance in
        guard let unit = values.baseAddress else { return }
        unit.initialize(repeating: 0, count: count)
        var offset = 0
        while offset < bytes.count {
          unit[0] &+= Int64(bitPattern: Varint.next(bytes, &offset))
          for field in 1..<max(1, count) {
            let number = Varint.nextSigned(bytes, &offset)
            unit[field] = storesDistance[field] ? unit[field] &+ number : number
            if field <= distances && !StoredRange.distances.contains(unit[field]) { isSound = false }
            if field == priceField && !StoredRange.prices.contains(unit[field]) { isSound = false }
          }
          guard isSound, firstLimit == .max || (0..<firstLimit).contains(unit[0]) else {
            isSound = false
            return
          }
          body(unit)
        }
        // The last number ends with the bytes.
        if let last = bytes.last, last >= 0x80 { isSound = false }
      }
    }
    return isSound
  }

  /// Returns all fields of the first unit, then of the next.
  func decode(_ bytes: UnsafeRawBufferPointer) -> [Int64] {
    var units: [Int64] = []
    units.reserveCapacity(bytes.count / 2)
    let count = fields
    forEach(in: bytes) { unit in
      for field in 0..<count { units.append(unit[field]) }
    }
    return units
  }

  /// Returns the units in order.
  func sorted(_ units: [Int64]) -> [Int64] {
    let fields = fields
    if units.count <= fields { return units }
    if fields == 1 { return units.sorted() }
    return units.withUnsafeBufferPointer { units in
      let starts = stride(from: 0, to: units.count, by: fields).sorted {
        Self.order(units, $0, units, $1, fields) < 0
      }
      return [Int64](unsafeUninitializedCapacity: units.count) { sorted, count in
        for start in starts { Self.copy(units, start, fields, to: sorted, &count) }
      }
    }
  }

  /// Returns ordered units without others, each of which must be among them; `nil` if one is missing.
  func subtract(_ removed: [Int64], from units: [Int64]) -> [Int64]? {
    var left: [Int64] = []
    left.reserveCapacity(units.count)
    var next = 0
    for unit in stride(from: 0, to: units.count, by: fields) {
      if next < removed.count, compare(units, unit, removed, next) == 0 {
        next += fields
      } else {
        left.append(contentsOf: units[unit..<unit + fields])
      }
    }
    return next == removed.count ? left : nil
  }

  /// Merges two ordered lists into one.
  func merge(_ left: [Int64], _ right: [Int64]) -> [Int64] {
    if left.isEmpty { return right }
    if right.isEmpty { return left }
    let fields = fields
    return left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        [Int64](unsafeUninitializedCapacity: left.count + right.count) { merged, count in
          var (a, b) = (0, 0)
          while a < left.count && b < right.count {
            if Self.order(left, a, right, b, fields) <= 0 {
              Self.copy(left, a, fields, to: merged, &count)
              a += fields
            } else {
              Self.copy(right, b, fields, to: merged, &count)
              b += fields
            }
          }
          Self.copy(left, a, left.count - a, to: merged, &count)
          Self.copy(right, b, right.count - b, to: merged, &count)
        }
      }
    }
  }

  /// Removes the units that two ordered lists have in common from both.
  func cancel(_ left: inout [Int64], _ right: inout [Int64]) {
    if left.isEmpty || right.isEmpty { return }
    var (leftOnly, rightOnly): ([Int64], [Int64]) = ([], [])
    var (a, b) = (0, 0)
    while a < left.count || b < right.count {
      let order = a == left.count ? 1 : b == right.count ? -1 : compare(left, a, right, b)
      if order < 0 { leftOnly.append(contentsOf: left[a..<a + fields]) }
      if order > 0 { rightOnly.append(contentsOf: right[b..<b + fields]) }
      if order <= 0 { a += fields }
      if order >= 0 { b += fields }
    }
    (left, right) = (leftOnly, rightOnly)
  }

  @inline(__always)
  private func compare(_ left: [Int64], _ a: Int, _ right: [Int64], _ b: Int) -> Int {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in Self.order(left, a, right, b, fields) }
    }
  }

  /// Compares two units: below 0 if the unit at `a` comes first, 0 if they are equal.
  @inline(__always)
  private static func order(
    _ left: UnsafeBufferPointer<Int64>, _ a: Int, _ right: UnsafeBufferPointer<Int64>, _ b: Int, _ fields: Int
  ) -> Int {
    for field in 0..<fields where left[a + field] != right[b + field] {
      return left[a + field] < right[b + field] ? -1 : 1
    }
    return 0
  }

  /// Appends numbers to a buffer.
  @inline(__always)
  private static func copy(
    _ units: UnsafeBufferPointer<Int64>, _ start: Int, _ length: Int, to copied: UnsafeMutableBufferPointer<Int64>,
    _ count: inout Int
  ) {
    for place in start..<start + length {
      copied.initializeElement(at: count, to: units[place])
      count += 1
    }
  }
}
