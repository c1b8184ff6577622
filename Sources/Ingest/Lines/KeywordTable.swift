/// Maps a fixed set of short ASCII words to their codes without branching on letters.
///
/// A word has at most 23 bytes, so that it fits in three 8-byte words with the quote after it in JSON.
///
/// `@unchecked Sendable`: only `init` writes the slots. They are never freed, as tables are created once per process.
struct KeywordTable: @unchecked Sendable {
  struct Entry {
    /// The bytes of the word, followed by zeros.
    var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// The bytes of the word followed by `"`, and masks that cover both.
    var quoted: (UInt64, UInt64, UInt64) = (0, 0, 0)
    var masks: (UInt64, UInt64, UInt64) = (0, 0, 0)
    var count = 0
    var code: UInt8 = KeywordTable.none
  }

  /// The code of a word that is not in the table.
  static let none = UInt8.max

  private static let slotCount = 512

  /// A perfect hash table: one comparison settles a look-up.
  private let slots: UnsafePointer<Entry>
  private let multiplier: UInt64

  /// - Parameter words: Distinct and not empty; the code of a word is its index.
  init(_ words: [String]) {
    let entries = words.enumerated().map { code, word in Self.entry(word, code: UInt8(code)) }
    let slots = UnsafeMutablePointer<Entry>.allocate(capacity: Self.slotCount)
    // Tries odd multipliers in a fixed sequence until one separates all words: about every second one does for 44
    // words.
    var multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    while Set(entries.map { Self.slot($0.words, multiplier) }).count < entries.count {
      multiplier = (multiplier &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407) | 1
    }
    self.multiplier = multiplier
    slots.initialize(repeating: Entry(), count: Self.slotCount)
    for entry in entries { slots[Self.slot(entry.words, multiplier)] = entry }
    self.slots = UnsafePointer(slots)
  }

  /// Returns the code of the word, or ``none``.
  @inline(__always)
  func code(_ bytes: UnsafePointer<UInt8>, count: Int) -> UInt8 {
    count <= 23 ? code(ByteWord.words(bytes, count: count), count: count) : Self.none
  }

  /// Returns the code of a word that is already loaded, with zeros after its end.
  @inline(__always)
  func code(_ words: (UInt64, UInt64, UInt64), count: Int) -> UInt8 {
    let entry = slots + Self.slot(words, multiplier)
    let differences =
      (entry.pointee.words.0 ^ words.0) | (entry.pointee.words.1 ^ words.1) | (entry.pointee.words.2 ^ words.2)
    return differences == 0 && entry.pointee.count == count ? entry.pointee.code : Self.none
  }

  /// Returns the entry of the word, for direct comparison with ``Entry/quoted``; `nil` if it is not in the table.
  func entry(at bytes: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<Entry>? {
    guard count <= 23 else { return nil }
    let words = ByteWord.words(bytes, count: count)
    return code(words, count: count) == Self.none ? nil : slots + Self.slot(words, multiplier)
  }

  func entry(ofCode code: UInt8) -> UnsafePointer<Entry>? {
    for slot in 0..<Self.slotCount where slots[slot].code == code { return slots + slot }
    return nil
  }

  @inline(__always)
  private static func slot(_ words: (UInt64, UInt64, UInt64), _ multiplier: UInt64) -> Int {
    let folded = words.0 ^ (words.1 &<< 21 | words.1 &>> 43) ^ (words.2 &<< 42 | words.2 &>> 22)
    return Int(truncatingIfNeeded: (folded &* multiplier) &>> 55)
  }

  private static func entry(_ word: String, code: UInt8) -> Entry {
    precondition((1...23).contains(word.utf8.count), "\(word) does not fit in three 8-byte words")
    func words(_ text: [UInt8]) -> (UInt64, UInt64, UInt64) {
      (text + [UInt8](repeating: 0, count: 32)).withUnsafeBufferPointer {
        ByteWord.words($0.baseAddress!, count: text.count)
      }
    }
    let bytes = Array(word.utf8)
    return Entry(
      words: words(bytes), quoted: words(bytes + [UInt8(ascii: "\"")]),
      masks: words([UInt8](repeating: 0xFF, count: bytes.count + 1)), count: bytes.count, code: code)
  }
}
