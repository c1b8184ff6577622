/// Sorts by 64-bit hashes that spread evenly: two passes over their highest bits put all but a few in order, and an
/// insertion sort corrects the rest.
enum HashOrder {
  private struct Entry {
    var hash: UInt64 = 0
    var place: UInt32 = 0
  }

  /// The bits of one pass. After both, one in 64 entries of a batch of 2¹⁸ is out of order with its neighbour.
  private static let bits: UInt64 = 12
  private static let mask = 1 << Int(bits) - 1

  /// Returns the places 0 ..< count in the order of their hashes; equal hashes stay in the order of their places.
  static func places(count: Int, hash: (Int) -> UInt64) -> [UInt32] {
    guard count > 1 else { return Array(0..<UInt32(count)) }
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: (mask + 1) * 2) { counts in
      counts.initialize(repeating: 0)
      let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: count * 2)
      defer { entries.deallocate() }
      let given = entries.baseAddress!
      let other = given + count
      for place in 0..<count {
        let hash = hash(place)
        (given + place).initialize(to: Entry(hash: hash, place: UInt32(truncatingIfNeeded: place)))
        counts[low(hash)] &+= 1
        counts[mask + 1 + high(hash)] &+= 1
      }
      sum(counts.baseAddress!)
      sum(counts.baseAddress! + mask + 1)
      for place in 0..<count {
        let entry = given[place]
        (other + counts[low(entry.hash)]).initialize(to: entry)
        counts[low(entry.hash)] &+= 1
      }
      for place in 0..<count {
        let entry = other[place]
        given[counts[mask + 1 + high(entry.hash)]] = entry
        counts[mask + 1 + high(entry.hash)] &+= 1
      }
      insert(given, count: count)
      return [UInt32](unsafeUninitializedCapacity: count) { places, initialized in
        for place in 0..<count { (places.baseAddress! + place).initialize(to: given[place].place) }
        initialized = count
      }
    }
  }

  /// Returns the places of non-negative numbers in the order of the numbers; equal ones stay in the order of their
  /// places. It is fast if the numbers are dense, because their leading bits then spread evenly.
  static func places(of numbers: [Int32]) -> [UInt32] {
    let shift = UInt64(UInt32(bitPattern: numbers.max() ?? 0)).leadingZeroBitCount
    return numbers.withUnsafeBufferPointer { numbers in
      places(count: numbers.count) { UInt64(UInt32(bitPattern: numbers[$0])) << UInt64(shift) }
    }
  }

  @inline(__always)
  private static func low(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> (64 - 2 * bits)) & mask }

  @inline(__always)
  private static func high(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> (64 - bits)) }

  /// Turns the counts of entries into the places where they start.
  private static func sum(_ counts: UnsafeMutablePointer<Int>) {
    var total = 0
    for index in 0...mask {
      let count = counts[index]
      counts[index] = total
      total += count
    }
  }

  /// Sorts entries that are nearly in order, keeping the order of equal ones as the previous passes do. If the hashes
  /// do not spread and insertion would take too long, it falls back to a standard sort.
  private static func insert(_ entries: UnsafeMutablePointer<Entry>, count: Int) {
    var moves = 0
    for index in 1..<count where entries[index].hash < entries[index - 1].hash {
      let entry = entries[index]
      var place = index
      while place > 0 && entries[place - 1].hash > entry.hash {
        entries[place] = entries[place - 1]
        place -= 1
        moves += 1
      }
      entries[place] = entry
      if moves > 16 * count {
        var all = UnsafeMutableBufferPointer(start: entries, count: count)
        all.sort {
          $0.hash != $1.hash ? $0.hash < $1.hash : $0.place < $1.place
        }
        return
      }
    }
  }
}
