internal import EventModel

/// A cache of decoded lines: a line that differs from an earlier one only in its ids and instants needs only these
/// read.
///
/// The members of ``VaryingField`` cut a line into spans: whole members with all bytes around them. A span is
/// identified by its bytes, the span before it and the varying fields so far. The last span of a line therefore
/// identifies everything but the varying values, and stores what the careful decoder made of that. Bytes are always
/// compared; hashes alone prove nothing.
///
/// The stored numbers belong to one batch.
struct LineTemplateCache: ~Copyable {
  /// A span after certain others. Its bytes follow it in memory, so that a look-up waits for memory only once.
  struct Node {
    var hash: UInt64 = 0
    /// Hash of the app's name.
    var appHash: UInt64 = 0
    var count = 0
    /// The span before it; 0 is the start of a line.
    var previous: UInt32 = 0
    /// The varying fields before it, one bit each.
    var own: UInt32 = 0
    /// Index into ``guesses``.
    var guess: UInt32 = 0
    // The result of the line, if the span is its last: numbers of the batch.
    var app: UInt32 = 0
    var client: UInt32 = 0
    var context: UInt32 = 0
    var terms: UInt32 = 0
    var properties: UInt32 = 0
    var kind = EventKind.activity
    var isLast = false
  }

  /// The spans that followed a span before; wrong guesses only cost time.
  struct Guess {
    /// Whether the next span reaches the line's end.
    var isLastButOne = false
    /// Recent spans, 0 if there are fewer; ``turn`` is the place of the next.
    var spans: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    var turn: UInt8 = 0
  }

  private struct Slot {
    var hash: UInt32 = 0
    /// 0 is a free slot. Linear probing.
    var node: UInt32 = 0
  }

  private static let guessCapacity = 1 << 12
  private static let largestSlotCount = 1 << 15
  private static let byteCapacity = 6 << 20

  /// Nodes, each at its number times ``unit``; grows on demand, as most decoders see few lines, or none with spans.
  private var memory: UnsafeMutableRawPointer
  private var memoryByteCount = 32 << 10
  private static let unit = 64
  private var used = LineTemplateCache.unit * 2
  let guesses: UnsafeMutablePointer<Guess>
  /// For each of ``guesses`` the ``VaryingField`` that followed the span, or ``VaryingField/none``.
  let fields: UnsafeMutablePointer<UInt8>
  private var guessCount = 1
  private var slots: UnsafeMutablePointer<Slot>
  private var slotCount = 1 << 10
  private var nodeCount = 0

  init() {
    memory = UnsafeMutableRawPointer.allocate(byteCount: memoryByteCount + LineBuffer.padding, alignment: Self.unit)
    memory.initializeMemory(as: Node.self, to: Node())
    guesses = UnsafeMutablePointer<Guess>.allocate(capacity: Self.guessCapacity)
    guesses.initialize(to: Guess())
    fields = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.guessCapacity)
    fields.initialize(repeating: UInt8(VaryingField.none), count: Self.guessCapacity)
    slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    slots.initialize(repeating: Slot(), count: slotCount)
  }

  deinit {
    memory.deallocate()
    guesses.deallocate()
    fields.deallocate()
    slots.deallocate()
  }

  mutating func removeAll() {
    guard nodeCount > 0 else { return }
    guesses[0] = Guess()
    slots.update(repeating: Slot(), count: slotCount)
    guessCount = 1
    nodeCount = 0
    used = Self.unit * 2
  }

  @inline(__always)
  func node(_ number: UInt32) -> UnsafeMutablePointer<Node> {
    (memory + Int(number) &* Self.unit).assumingMemoryBound(to: Node.self)
  }

  @inline(__always)
  private func bytes(of node: UnsafeMutablePointer<Node>) -> UnsafePointer<UInt8> {
    UnsafePointer(UnsafeRawPointer(node + 1).assumingMemoryBound(to: UInt8.self))
  }

  /// Returns the number of a span; 0 if it is unknown.
  @inline(__always)
  func find(_ start: UnsafePointer<UInt8>, count: Int, after previous: UInt32, own: UInt32) -> UInt32 {
    let hash = Self.hash(start, count: count, previous, own)
    let tag = UInt32(truncatingIfNeeded: hash &>> 32)
    var place = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
    while slots[place].node != 0 {
      if slots[place].hash == tag {
        let node = node(slots[place].node)
        if node.pointee.previous == previous && node.pointee.own == own && node.pointee.count == count
          && ByteWord.areEqual(bytes(of: node), start, count: count)
        {
          return slots[place].node
        }
      }
      place = (place &+ 1) & (slotCount &- 1)
    }
    return 0
  }

  /// Returns whether the span with that number, which may be 0, is at `start`, where `limit` bytes are left.
  @inline(__always)
  func stands(_ number: UInt32, at start: UnsafePointer<UInt8>, limit: Int, own: UInt32) -> Bool {
    if number == 0 { return false }
    let node = node(number)
    return node.pointee.own == own && node.pointee.count <= limit
      && ByteWord.areEqual(bytes(of: node), start, count: node.pointee.count)
  }

  /// Returns the guessed span that is at `start`; 0 if there is none.
  @inline(__always)
  func guessed(_ guess: UnsafeMutablePointer<Guess>, at start: UnsafePointer<UInt8>, limit: Int, own: UInt32) -> UInt32
  {
    let spans = guess.pointee.spans
    if stands(spans.0, at: start, limit: limit, own: own) { return spans.0 }
    if stands(spans.1, at: start, limit: limit, own: own) { return spans.1 }
    if stands(spans.2, at: start, limit: limit, own: own) { return spans.2 }
    if stands(spans.3, at: start, limit: limit, own: own) { return spans.3 }
    return 0
  }

  /// Records a span that was not guessed and does not end its line.
  func note(_ number: UInt32, after guess: UnsafeMutablePointer<Guess>) {
    guess.pointee.isLastButOne = false
    switch guess.pointee.turn {
    case 0: guess.pointee.spans.0 = number
    case 1: guess.pointee.spans.1 = number
    case 2: guess.pointee.spans.2 = number
    default: guess.pointee.spans.3 = number
    }
    guess.pointee.turn = (guess.pointee.turn + 1) & 3
  }

  /// Adds an unknown span and returns its number; if there is no room, clears the cache and returns `nil`.
  ///
  /// - Parameter line: A node with the result of the line, if the span is its last.
  mutating func add(
    _ start: UnsafePointer<UInt8>, count: Int, after previous: UInt32, own: UInt32, line: Node?
  ) -> UInt32? {
    let size = (MemoryLayout<Node>.stride + count + Self.unit - 1) / Self.unit * Self.unit
    guard used + size <= Self.byteCapacity, guessCount < Self.guessCapacity,
      (nodeCount + 1) * 2 <= Self.largestSlotCount
    else {
      removeAll()
      return nil
    }
    if used + size > memoryByteCount { growMemory(for: used + size) }
    let before = node(previous)
    let number = UInt32(used / Self.unit)
    used += size
    let added = node(number)
    added.initialize(to: line ?? Node())
    added.pointee.hash = Self.hash(start, count: count, previous, own)
    added.pointee.count = count
    added.pointee.previous = previous
    added.pointee.own = own
    UnsafeMutableRawPointer(added + 1).copyMemory(from: start, byteCount: count)
    if line != nil {
      added.pointee.isLast = true
      guesses[Int(before.pointee.guess)].isLastButOne = true
    } else {
      added.pointee.guess = UInt32(guessCount)
      (guesses + guessCount).initialize(to: Guess())
      guessCount += 1
      note(number, after: guesses + Int(before.pointee.guess))
    }
    nodeCount += 1
    if nodeCount * 2 > slotCount { grow() }
    enter(Slot(hash: UInt32(truncatingIfNeeded: added.pointee.hash >> 32), node: number), hash: added.pointee.hash)
    return number
  }

  private mutating func growMemory(for byteCount: Int) {
    memoryByteCount = min(Self.byteCapacity, max(byteCount, memoryByteCount * 4))
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: memoryByteCount + LineBuffer.padding, alignment: Self.unit)
    larger.copyMemory(from: memory, byteCount: used)
    memory.deallocate()
    memory = larger
  }

  private func enter(_ slot: Slot, hash: UInt64) {
    var place = Int(truncatingIfNeeded: hash) & (slotCount - 1)
    while slots[place].node != 0 { place = (place + 1) & (slotCount - 1) }
    slots[place] = slot
  }

  private mutating func grow() {
    let old = UnsafeBufferPointer(start: slots, count: slotCount)
    slotCount *= 4
    slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    slots.initialize(repeating: Slot(), count: slotCount)
    for slot in old where slot.node != 0 { enter(slot, hash: node(slot.node).pointee.hash) }
    old.deallocate()
  }

  /// Returns a hash like ``ByteHash``, with 16 bytes per step. Reads up to 16 bytes past the end.
  @inline(__always)
  private static func hash(_ start: UnsafePointer<UInt8>, count: Int, _ previous: UInt32, _ own: UInt32) -> UInt64 {
    var left = (UInt64(previous) &<< 32 | UInt64(own)) ^ 0xA076_1D64_78BD_642F
    var right = UInt64(truncatingIfNeeded: count) ^ 0x8EBC_6AF0_9C88_C6E3
    var offset = 0
    while offset &+ 32 <= count {
      left = ByteHash.mix(
        left ^ ByteWord.load(start + offset), ByteWord.load(start + (offset &+ 8)) ^ 0xE703_7ED1_A0B4_28DB)
      right = ByteHash.mix(
        right ^ ByteWord.load(start + (offset &+ 16)), ByteWord.load(start + (offset &+ 24)) ^ 0x5899_65CC_7537_4CC3)
      offset &+= 32
    }
    var rest = count &- offset
    if rest >= 16 {
      left = ByteHash.mix(
        left ^ ByteWord.load(start + offset), ByteWord.load(start + (offset &+ 8)) ^ 0xE703_7ED1_A0B4_28DB)
      offset &+= 16
      rest &-= 16
    }
    if rest > 0 {
      let first = ByteWord.load(start + offset) & ByteWord.mask(rest)
      let second = rest > 8 ? ByteWord.load(start + (offset &+ 8)) & ByteWord.mask(rest &- 8) : 0
      right = ByteHash.mix(right ^ first, second ^ 0x5899_65CC_7537_4CC3)
    }
    return ByteHash.mix(left ^ 0x8EBC_6AF0_9C88_C6E3, right)
  }
}
