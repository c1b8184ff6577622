/// Reads the values of a page, or of a dictionary, in portions.
struct ValueReader {
  /// The most values of a portion.
  static let portion = 1024
  /// The bytes at which a portion ends.
  private static let portionBytes = 1 << 20

  private enum Encoding {
    case plain
    case runs
    case dictionary
    case differences
    case lengths
    case prefixes
    case split
  }

  /// Numbers of the portion, or indices of a dictionary, or values as bytes.
  let numbers: UnsafeMutablePointer<Int64>
  let indices: UnsafeMutablePointer<UInt32>
  let slices: UnsafeMutablePointer<UnsafeRawBufferPointer>

  private let type: ParquetFooter.PhysicalType
  private let width: Int
  private var encoding = Encoding.plain
  private var place = UnsafeRawPointer(bitPattern: 8)!
  private var end = UnsafeRawPointer(bitPattern: 8)!
  private var hybrid = HybridReader(UnsafeRawBufferPointer(start: nil, count: 0), width: 0)
  private var lengths: DeltaReader?
  private var prefixes: DeltaReader?
  private var bit = 0
  private var splitCount = 0
  private var splitNext = 0
  /// The values of a portion that do not stand in the page as they are, and the last of the portion before.
  private var scratch = ColumnBytes()
  private var previous = ColumnBytes()

  init(_ type: ParquetFooter.PhysicalType, width: Int) {
    self.type = type
    self.width = type == .int96 ? 12 : type == .fixedBytes ? width : type == .int32 || type == .float ? 4 : 8
    numbers = .allocate(capacity: Self.portion)
    indices = .allocate(capacity: Self.portion)
    slices = .allocate(capacity: Self.portion)
    numbers.initialize(repeating: 0, count: Self.portion)
    indices.initialize(repeating: 0, count: Self.portion)
    slices.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: Self.portion)
  }

  func deallocate() {
    numbers.deallocate()
    indices.deallocate()
    slices.deallocate()
    scratch.deallocate()
    previous.deallocate()
  }

  var heldBytes: Int { scratch.heldBytes + previous.heldBytes }

  /// Whether values are ``numbers``, not ``slices``.
  var hasNumbers: Bool {
    switch type {
    case .boolean, .int32, .int64, .float, .double: true
    case .int96, .byteArray, .fixedBytes: false
    }
  }

  var hasIndices: Bool { encoding == .dictionary }

  /// Starts with the values of a page.
  ///
  /// - Parameters:
  ///   - bytes: Must have ``ParquetPageSource/padding`` readable bytes behind them.
  ///   - encoding: Parquet's `Encoding`.
  mutating func begin(_ bytes: UnsafeRawBufferPointer, encoding number: Int) throws(ParquetFailure) {
    place = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
    end = place + bytes.count
    bit = 0
    let isNumber = type == .int32 || type == .int64
    switch number {
    case 0: encoding = .plain
    case 2, 8:
      encoding = .dictionary
      // Without values there may be no bytes either.
      let width = bytes.first ?? 0
      guard width <= 32 else { throw .damaged("indices of a dictionary have \(width) bits") }
      hybrid = HybridReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()), width: Int(width))
    case 3 where type == .boolean:
      encoding = .runs
      guard bytes.count >= 4 else { throw .damaged("a page of flags is too short") }
      let count = Int(PlainValue.read(UInt32.self, bytes, at: 0))
      guard count <= bytes.count - 4 else { throw .damaged("a page of flags is too short") }
      hybrid = HybridReader(UnsafeRawBufferPointer(rebasing: bytes[4..<4 + count]), width: 1)
    case 5 where isNumber:
      encoding = .differences
      lengths = bytes.isEmpty ? nil : try DeltaReader(bytes)
    case 6 where type == .byteArray:
      encoding = .lengths
      try beginLengths(at: place)
    case 7 where type == .byteArray || type == .fixedBytes:
      encoding = .prefixes
      previous.removeAll()
      prefixes = bytes.isEmpty ? nil : try DeltaReader(bytes)
      try beginLengths(at: prefixes?.addressBehind() ?? place)
    case 9 where isNumber || type == .float || type == .double || type == .fixedBytes:
      encoding = .split
      guard bytes.count % width == 0 else { throw .damaged("a page of split bytes has no whole values") }
      splitCount = bytes.count / width
      splitNext = 0
    default:
      throw .unread("a page has encoding \(number) for values of type \(type)")
    }
  }

  private mutating func beginLengths(at start: UnsafeRawPointer) throws(ParquetFailure) {
    let bytes = UnsafeRawBufferPointer(start: start, count: end - start)
    lengths = bytes.isEmpty ? nil : try DeltaReader(bytes)
    place = try lengths?.addressBehind() ?? start
  }

  /// Reads the next portion and returns its count, at least 1.
  mutating func read(_ count: Int) throws(ParquetFailure) -> Int {
    let count = min(count, Self.portion)
    let done: Int =
      switch encoding {
      case .plain: hasNumbers ? readNumbers(count) : try readSlices(count)
      case .runs: try readRuns(count)
      case .dictionary: try hybrid.read(count, into: indices)
      case .differences: try readDifferences(count)
      case .lengths: try readLengths(count)
      case .prefixes: try readPrefixes(count)
      case .split: readSplit(count)
      }
    guard done > 0 else { throw .damaged("a page has fewer values than it says") }
    return done
  }

  private mutating func readNumbers(_ count: Int) -> Int {
    if type == .boolean {
      let done = min(count, (end - place) * 8 - bit)
      for index in 0..<done {
        numbers[index] = Int64(place.load(fromByteOffset: bit >> 3, as: UInt8.self) >> UInt8(bit & 7) & 1)
        bit += 1
      }
      return done
    }
    let done = min(count, (end - place) / width)
    if width == 4 {
      for index in 0..<done {
        numbers[index] = Int64(
          Int32(littleEndian: place.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self)))
      }
    } else {
      for index in 0..<done {
        numbers[index] = Int64(littleEndian: place.loadUnaligned(fromByteOffset: index &* 8, as: Int64.self))
      }
    }
    place += done * width
    return done
  }

  private mutating func readSlices(_ count: Int) throws(ParquetFailure) -> Int {
    if type != .byteArray {
      let done = min(count, (end - place) / width, max(1, Self.portionBytes / width))
      for index in 0..<done {
        slices[index] = UnsafeRawBufferPointer(start: place, count: width)
        place += width
      }
      return done
    }
    let limit = place + Self.portionBytes
    var done = 0
    while done < count, place < limit, end - place >= 4 {
      let length = Int(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))
      guard length <= end - place - 4 else {
        if done > 0 { break }
        throw .damaged("a text is longer than its page")
      }
      slices[done] = UnsafeRawBufferPointer(start: place + 4, count: length)
      place += 4 + length
      done += 1
    }
    return done
  }

  private mutating func readRuns(_ count: Int) throws(ParquetFailure) -> Int {
    let done = try hybrid.read(count, into: indices)
    for index in 0..<done { numbers[index] = Int64(indices[index] & 1) }
    return done
  }

  private mutating func readDifferences(_ count: Int) throws(ParquetFailure) -> Int {
    let done = try lengths?.read(count, into: numbers) ?? 0
    if type == .int32 {
      for index in 0..<done { numbers[index] = Int64(Int32(truncatingIfNeeded: numbers[index])) }
    }
    return done
  }

  private mutating func readLengths(_ count: Int) throws(ParquetFailure) -> Int {
    let limit = place + Self.portionBytes
    var done = 0
    while done < count, place < limit, try lengths?.read(1, into: numbers) == 1 {
      guard numbers[0] >= 0, numbers[0] <= Int64(end - place) else {
        throw .damaged("a text is longer than its page")
      }
      slices[done] = UnsafeRawBufferPointer(start: place, count: Int(numbers[0]))
      place += Int(numbers[0])
      done += 1
    }
    return done
  }

  private mutating func readPrefixes(_ count: Int) throws(ParquetFailure) -> Int {
    scratch.removeAll()
    scratch.append(previous.bytes)
    // The offset of the last value, and of where it ends.
    var last = 0..<scratch.count
    var done = 0
    while done < count, scratch.count < Self.portionBytes || done == 0, try prefixes?.read(1, into: numbers) == 1 {
      let prefix = numbers[0]
      guard try lengths?.read(1, into: numbers) == 1 else { throw .damaged("a page has texts without an end") }
      guard prefix >= 0, prefix <= Int64(last.count), numbers[0] >= 0, numbers[0] <= Int64(end - place),
        type == .byteArray || Int(prefix + numbers[0]) == width
      else { throw .damaged("a text is longer than its page") }
      let length = Int(prefix + numbers[0])
      let start = scratch.count
      let room = scratch.room(length)
      // After room has grown.
      room.copyMemory(from: scratch.bytes.baseAddress! + last.lowerBound, byteCount: Int(prefix))
      (room + Int(prefix)).copyMemory(from: place, byteCount: Int(numbers[0]))
      scratch.didWrite(length)
      place += Int(numbers[0])
      last = start..<start + length
      // Offsets for now: room may grow again.
      slices[done] = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start + 1), count: length)
      done += 1
    }
    let base = scratch.bytes.baseAddress ?? place
    for index in 0..<done {
      let start = UInt(bitPattern: slices[index].baseAddress) - 1
      slices[index] = UnsafeRawBufferPointer(start: base + Int(start), count: slices[index].count)
    }
    previous.removeAll()
    previous.append(UnsafeRawBufferPointer(rebasing: scratch.bytes[last]))
    return done
  }

  private mutating func readSplit(_ count: Int) -> Int {
    let done = min(count, splitCount - splitNext, max(1, Self.portionBytes / width))
    if type == .fixedBytes {
      scratch.removeAll()
      let room = scratch.room(done * width)
      for index in 0..<done {
        for byte in 0..<width {
          room.storeBytes(
            of: place.load(fromByteOffset: byte * splitCount + splitNext + index, as: UInt8.self),
            toByteOffset: index * width + byte, as: UInt8.self)
        }
        slices[index] = UnsafeRawBufferPointer(start: room + index * width, count: width)
      }
    } else {
      for index in 0..<done {
        var word: UInt64 = 0
        for byte in 0..<width {
          let value = place.load(fromByteOffset: byte * splitCount + splitNext + index, as: UInt8.self)
          word |= UInt64(value) << UInt64(byte * 8)
        }
        numbers[index] = width == 4 ? Int64(Int32(truncatingIfNeeded: word)) : Int64(bitPattern: word)
      }
    }
    splitNext += done
    return done
  }
}
