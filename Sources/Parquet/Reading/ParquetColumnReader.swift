/// Reads the levels and the values of a column in a row group, the latter as JSON.
///
/// Its creator must deallocate it.
struct ParquetColumnReader {
  /// A part of a buffer.
  private struct Span {
    var offset = 0
    var count = 0
  }

  private let leaf: ParquetSchema.Leaf
  private let source: ParquetPageSource
  let mostDefinition: UInt32
  private let mostRepetition: UInt32

  /// The offset of the next page.
  private var place = 0
  private var codec = ParquetPageSource.Codec.none
  /// Entries of pages that are not read yet, and those of the current page that are not in the portion.
  private var chunkLeft = 0
  private var pageLeft = 0
  private var page = ColumnBytes()

  // A portion of entries.
  private var entry = 0
  private var entryCount = 0
  private var definitionReader = HybridReader(UnsafeRawBufferPointer(start: nil, count: 0), width: 0)
  private var repetitionReader = HybridReader(UnsafeRawBufferPointer(start: nil, count: 0), width: 0)
  private let definitions: UnsafeMutablePointer<UInt32>
  private let repetitions: UnsafeMutablePointer<UInt32>

  // A portion of values.
  private var values: ValueReader
  private var next = 0
  private var valueCount = 0
  private let spans: UnsafeMutablePointer<Span>
  private var base = UnsafeRawPointer(bitPattern: 8)!
  private var text = ColumnBytes()

  // The dictionary; its spans stand one after the other.
  private var dictionaryText = ColumnBytes()
  private var dictionarySpans = ColumnBytes()
  private var dictionaryCount = 0
  private var hasDictionary = false
  /// Memory that is counted in ``source``, beside the page.
  private var heldBytes = 0

  init(_ leaf: ParquetSchema.Leaf, _ source: ParquetPageSource) {
    self.leaf = leaf
    self.source = source
    mostDefinition = UInt32(leaf.most.definition)
    mostRepetition = UInt32(leaf.most.repetition)
    values = ValueReader(leaf.type, width: leaf.width)
    definitions = .allocate(capacity: ValueReader.portion)
    repetitions = .allocate(capacity: ValueReader.portion)
    spans = .allocate(capacity: ValueReader.portion)
    definitions.initialize(repeating: 0, count: ValueReader.portion)
    repetitions.initialize(repeating: 0, count: ValueReader.portion)
    spans.initialize(repeating: Span(), count: ValueReader.portion)
  }

  func deallocate() {
    definitions.deallocate()
    repetitions.deallocate()
    spans.deallocate()
    values.deallocate()
    page.deallocate()
    text.deallocate()
    dictionaryText.deallocate()
    dictionarySpans.deallocate()
  }

  /// Starts with the pages of a row group.
  mutating func begin(_ chunk: ParquetFooter.Chunk, rowCount: Int) throws(ParquetFailure) {
    if chunk.isEncrypted { throw .unread("column \(leaf.path) is encrypted") }
    if chunk.isElsewhere { throw .unread("column \(leaf.path) is in another file") }
    guard chunk.type == leaf.type.rawValue else { throw damaged("has two types") }
    guard chunk.valueCount >= 0, mostRepetition > 0 || chunk.valueCount == rowCount else {
      throw damaged("has \(chunk.valueCount) values in \(rowCount) rows")
    }
    codec = try ParquetPageSource.codec(chunk.codec)
    place = chunk.start
    chunkLeft = chunk.valueCount
    pageLeft = 0
    entry = 0
    entryCount = 0
    next = 0
    valueCount = 0
    hasDictionary = false
  }

  private func damaged(_ what: String) -> ParquetFailure { .damaged("column \(leaf.path) \(what)") }

  // MARK: Entries

  /// Returns whether there is a current entry; `false` at the end of the row group.
  @inline(__always)
  mutating func hasEntry() throws(ParquetFailure) -> Bool {
    if entry < entryCount { return true }
    return try fillEntries()
  }

  /// The levels of the current entry.
  @inline(__always)
  var definition: UInt32 { definitions[entry] }
  @inline(__always)
  var repetition: UInt32 { repetitions[entry] }

  /// Moves to the next entry.
  @inline(__always)
  mutating func advance() { entry &+= 1 }

  @inline(never)
  private mutating func fillEntries() throws(ParquetFailure) -> Bool {
    while pageLeft == 0 {
      if chunkLeft == 0 { return false }
      try readPage()
    }
    let count = min(pageLeft, ValueReader.portion)
    if mostDefinition > 0 {
      guard try definitionReader.read(count, into: definitions) == count else { throw damaged("lacks levels") }
      for index in 0..<count where definitions[index] > mostDefinition { throw damaged("has impossible levels") }
    }
    if mostRepetition > 0 {
      guard try repetitionReader.read(count, into: repetitions) == count else { throw damaged("lacks levels") }
      for index in 0..<count where repetitions[index] > mostRepetition { throw damaged("has impossible levels") }
    }
    pageLeft -= count
    entry = 0
    entryCount = count
    return true
  }

  // MARK: Values

  /// Returns the value of the current entry as JSON, behind its name if it has one; empty for a number that JSON does
  /// not have. It is valid until the next call.
  @inline(__always)
  mutating func value() throws(ParquetFailure) -> UnsafeRawBufferPointer {
    if next == valueCount { try fillValues() }
    let span = spans[next]
    next &+= 1
    return UnsafeRawBufferPointer(start: base + span.offset, count: span.count)
  }

  @inline(never)
  private mutating func fillValues() throws(ParquetFailure) {
    next = 0
    valueCount = 0
    let count = try values.read(ValueReader.portion)
    if values.hasIndices {
      guard hasDictionary else { throw damaged("has no dictionary") }
      base = dictionaryText.bytes.baseAddress ?? base
      let known = dictionarySpans.bytes.bindMemory(to: Span.self)
      // Behind the last value there may be anything.
      while valueCount < count, case let index = Int(values.indices[valueCount]), index < dictionaryCount {
        spans[valueCount] = known[index]
        valueCount &+= 1
      }
      guard valueCount > 0 else { throw damaged("has a value that is not in its dictionary") }
    } else {
      text.removeAll()
      Self.write(count, of: values, leaf, to: &text, spans)
      base = text.bytes.baseAddress ?? base
      valueCount = count
      try holdMemory()
    }
  }

  /// Writes a portion of values as JSON, with its spans.
  private static func write(
    _ count: Int, of values: ValueReader, _ leaf: ParquetSchema.Leaf, to text: inout ColumnBytes,
    _ spans: UnsafeMutablePointer<Span>
  ) {
    leaf.lead.withUnsafeBytes { lead in
      for index in 0..<count {
        let start = text.count
        text.append(lead)
        if values.hasNumbers {
          leaf.form.append(values.numbers[index], to: &text)
        } else {
          leaf.form.append(values.slices[index], to: &text)
        }
        if text.count == start + lead.count { text.removeAll(from: start) }
        spans[index] = Span(offset: start, count: text.count - start)
      }
    }
  }

  private mutating func holdMemory() throws(ParquetFailure) {
    let now = text.heldBytes + dictionaryText.heldBytes + dictionarySpans.heldBytes + values.heldBytes
    if now != heldBytes {
      try source.hold(now - heldBytes)
      heldBytes = now
    }
  }

  // MARK: Pages

  private mutating func readPage() throws(ParquetFailure) {
    let header = try source.header(at: &place)
    switch header.kind {
    case .index: break
    case .dictionary: try readDictionary(header)
    case .data, .dataV2: try readData(header)
    }
    place += header.packedBytes
  }

  private mutating func readDictionary(_ header: PageHeader) throws(ParquetFailure) {
    guard !hasDictionary, header.encoding == 0 || header.encoding == 2, header.valueCount >= 0 else {
      throw damaged("has a wrong dictionary")
    }
    _ = try source.read(header, codec, at: place, into: &page)
    try values.begin(Self.values(of: page, from: 0, header), encoding: 0)
    dictionaryText.removeAll()
    dictionarySpans.removeAll()
    dictionaryCount = 0
    while dictionaryCount < header.valueCount {
      let count = try values.read(header.valueCount - dictionaryCount)
      Self.write(count, of: values, leaf, to: &dictionaryText, spans)
      dictionarySpans.append(UnsafeRawBufferPointer(UnsafeBufferPointer(start: spans, count: count)))
      dictionaryCount += count
      try holdMemory()
    }
    hasDictionary = true
  }

  private static func values(of page: ColumnBytes, from start: Int, _ header: PageHeader) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: page.bytes[start..<header.plainBytes])
  }

  private mutating func readData(_ header: PageHeader) throws(ParquetFailure) {
    guard header.valueCount >= 0, header.valueCount <= chunkLeft else {
      throw damaged("has a page with too many values")
    }
    var start = try source.read(header, codec, at: place, into: &page)
    let bytes = page.bytes
    let definitionWidth = HybridReader.width(leaf.most.definition)
    let repetitionWidth = HybridReader.width(leaf.most.repetition)
    if header.kind == .dataV2 {
      let split = header.repetitionBytes
      repetitionReader = HybridReader(UnsafeRawBufferPointer(rebasing: bytes[..<split]), width: repetitionWidth)
      definitionReader = HybridReader(UnsafeRawBufferPointer(rebasing: bytes[split..<start]), width: definitionWidth)
    } else {
      if mostRepetition > 0 {
        repetitionReader = try levels(
          bytes, &start, header.valueCount, width: repetitionWidth, encoding: header.repetitionEncoding)
      }
      if mostDefinition > 0 {
        definitionReader = try levels(
          bytes, &start, header.valueCount, width: definitionWidth, encoding: header.definitionEncoding)
      }
    }
    // A page of NULLs may have no values at all, not even their head.
    try values.begin(Self.values(of: page, from: start, header), encoding: header.encoding)
    next = 0
    valueCount = 0
    chunkLeft -= header.valueCount
    pageLeft = header.valueCount
  }

  /// Returns a reader of the levels of a page of version 1, and moves behind them.
  private func levels(
    _ bytes: UnsafeRawBufferPointer, _ start: inout Int, _ count: Int, width: Int, encoding: Int
  ) throws(ParquetFailure) -> HybridReader {
    if encoding == 4 {
      let byteCount = (count * width + 7) / 8
      guard byteCount <= bytes.count - start else {
        throw damaged("lacks levels")
      }
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + byteCount])
      start += byteCount
      return HybridReader(highFirst: part, width: width, count: count)
    }
    guard encoding == 3 else { throw .unread("column \(leaf.path) has levels of encoding \(encoding)") }
    guard bytes.count - start >= 4 else { throw damaged("lacks levels") }
    let byteCount = Int(PlainValue.read(UInt32.self, bytes, at: start))
    start += 4
    guard byteCount <= bytes.count - start else { throw damaged("lacks levels") }
    let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + byteCount])
    start += byteCount
    return HybridReader(part, width: width)
  }
}
