internal import Basics
internal import EventModel

/// Reads a vendor file: splits it into payloads and converts each into events with an adapter.
final class VendorReading {
  enum Shape {
    /// One payload per line.
    case lines
    /// Documents over several lines, or one array of payloads.
    case documents
    /// The elements of the list at a path of one document, whatever its size.
    case list
    /// CSV records; the header is consumed.
    case records(VendorHeader)
  }

  let shape: Shape
  private let adapter: any SourceAdapter
  /// The number of line feeds consumed so far, if payloads span lines.
  private var lineFeeds: Int
  private var list: RecordList
  private var csvFields = LineFields()
  private var csvRecord = CSVRecord()

  /// - Parameter listPath: The names that lead to the list of records, for ``Shape/list``.
  init(_ adapter: any SourceAdapter, shape: Shape, linesBefore: Int = 0, listPath: [String] = []) {
    list = RecordList(path: listPath)
    self.adapter = adapter
    self.shape = shape
    lineFeeds = linesBefore
  }

  var source: String { adapter.source }

  /// The header line of a CSV file; else empty.
  var csvHeader: [UInt8] {
    if case .records(let header) = shape { header.line } else { [] }
  }

  /// Decodes the complete payloads of the buffer.
  ///
  /// - Parameter isLast: Whether no more bytes follow.
  func decode(
    of buffer: LineBuffer, isLast: Bool, into decoder: inout LineDecoder, progress: inout LineProgress,
    limits: BatchLimits
  ) -> DecodingPause {
    var start = UnsafePointer(buffer.first)
    let end = UnsafePointer(buffer.last)
    if isLast { buffer.seal() }
    defer { buffer.consume(upTo: start) }
    while start < end {
      if adapter.isSatisfied || decoder.isFull(limits, progress) { return .batchIsFull }
      let piece: Piece?
      if progress.skipsToLineEnd {
        let lineFeed = LineDecoder.lineFeed(from: start, to: end, isLast: isLast)
        progress.skipsToLineEnd = lineFeed == nil
        piece = Piece(.blank, to: lineFeed.map { min($0 + 1, end) } ?? end)
      } else {
        piece =
          switch shape {
          case .lines: nextLine(start, to: end, isLast: isLast)
          case .documents: nextDocument(start, to: end, isLast: isLast)
          case .list: nextElement(start, to: end, isLast: isLast)
          case .records(let header): nextRecord(start, to: end, isLast: isLast, header)
          }
      }
      guard let piece else {
        guard start.distance(to: end) > Limits.lineBytes + 1 else { return .needsBytes }
        progress.count += 1
        progress.reject(.lineTooLong, start, count: start.distance(to: end), line: lineFeeds + 1)
        progress.skipsToLineEnd = true
        lineFeeds += Self.lineFeedCount(start, to: end)
        start = end
        return .needsBytes
      }
      let line = lineFeeds + 1
      lineFeeds += Self.lineFeedCount(start, to: piece.next)
      progress.number = max(progress.number, line)
      let bytes = UnsafeRawBufferPointer(start: start, count: start.distance(to: piece.contentEnd))
      switch piece.content {
      case .blank: break
      case .rejected(let rejection):
        progress.count += 1
        progress.reject(rejection, start, count: bytes.count, line: line)
      case .text: decode(bytes, line: line, into: &decoder, progress: &progress)
      case .row(let row):
        for payload in adapter.payloads(in: row) {
          progress.count += 1
          add(payload, raw: Array(bytes), line: line, receivedAt: nil, to: &decoder, &progress)
        }
      }
      start = piece.next
    }
    return .needsBytes
  }

  // MARK: Payloads

  /// Decodes the text of one document, line or quarantined payload.
  func decode(
    _ text: UnsafeRawBufferPointer, line: Int, into decoder: inout LineDecoder, progress: inout LineProgress
  ) {
    func reject(_ rejection: Rejection) {
      progress.count += 1
      progress.reject(rejection.rejectedLine(text, line: line))
    }
    if text.count > Limits.lineBytes { return reject(.lineTooLong) }
    guard String(validating: text, as: UTF8.self) != nil else { return reject(.invalidUTF8) }
    if text.contains(0) { return reject(.nul) }
    let isSigned = SignedText.isOne(text)
    guard
      let document = isSigned ? .string(SignedText.trimmed(text)) : JSONNode(parsing: text),
      isSigned || document.members != nil || document.elements != nil
    else { return reject(.notJSONObject) }
    let collected = CollectedBody(document)
    let payloads = adapter.payloads(in: collected?.body ?? document)
    for payload in payloads {
      progress.count += 1
      let raw: [UInt8]
      if payloads.count == 1 {
        raw = Array(text)
      } else if case .string(let signed) = payload {
        raw = Array(signed.utf8)
      } else {
        raw = payload.json
      }
      add(payload, raw: raw, line: line, receivedAt: collected?.receivedAt, to: &decoder, &progress)
    }
  }

  /// Decodes a single record of a CSV file.
  func decodeRecord(
    _ bytes: UnsafeRawBufferPointer, line: Int, into decoder: inout LineDecoder, progress: inout LineProgress
  ) {
    guard case .records(let header) = shape else { return }
    progress.count += 1
    let padded = Array(bytes) + [UInt8](repeating: 0, count: LineBuffer.padding)
    padded.withUnsafeBufferPointer { padded in
      guard let start = padded.baseAddress else { return }
      let piece = nextRecord(start, to: start + bytes.count, isLast: true, header)
      switch piece?.content {
      case .row(let row): add(row, raw: Array(bytes), line: line, receivedAt: nil, to: &decoder, &progress)
      case .rejected(let rejection): progress.reject(rejection.rejectedLine(bytes, line: line))
      default: progress.reject(Rejection.csvQuotes.rejectedLine(bytes, line: line))
      }
    }
  }

  /// Adds all events of a payload, or quarantines it.
  private func add(
    _ payload: JSONNode, raw: [UInt8], line: Int, receivedAt: JSONNode?, to decoder: inout LineDecoder,
    _ progress: inout LineProgress
  ) {
    let mark = decoder.filler.mark
    do throws(PayloadRejection) {
      if let count = try adapter.count(of: payload) {
        progress.counts[count.of, default: 0] += count.quantity
        return
      }
      let events = try adapter.events(of: payload)
      var rejected: PayloadRejection?
      for var event in events {
        if let receivedAt, !event.isJoin { event[.receivedAt] = receivedAt }
        if event.happensWhenReceived { event[.ts] = receivedAt }
        if let rejection = decoder.decode(event, line: line) {
          let own = PayloadRejection(rejection).of(app: event[.app], event: event[.event])
          // A trial without a plan is no reason to reject the paywall view in the same record of a mapping.
          guard adapter.source == SourceSettings.mappingSource else { throw own }
          rejected = rejected ?? own
        }
      }
      if let rejected { progress.reject(rejected.rejectedLine(raw, line: line)) }
      if events.allSatisfy(\.isJoin) { progress.ignored += 1 }
    } catch {
      if decoder.filler.records.count > mark.records {
        decoder.filler.rollBack(to: mark)
        decoder.forgetApp()
      }
      progress.reject(error.rejectedLine(raw, line: line))
    }
  }

  // MARK: Splitting

  private struct Piece {
    enum Content {
      case blank
      case rejected(Rejection)
      case text
      case row(JSONNode)
    }

    var content: Content
    var contentEnd: UnsafePointer<UInt8>
    var next: UnsafePointer<UInt8>

    init(_ content: Content, contentEnd: UnsafePointer<UInt8>? = nil, to next: UnsafePointer<UInt8>) {
      self.content = content
      self.contentEnd = contentEnd ?? next
      self.next = next
    }
  }

  private func nextLine(
    _ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, isLast: Bool
  ) -> Piece? {
    guard let lineFeed = LineDecoder.lineFeed(from: start, to: end, isLast: isLast) else { return nil }
    let next = min(lineFeed + 1, end)
    var contentEnd = lineFeed
    if contentEnd > start, contentEnd[-1] == UInt8(ascii: "\r") { contentEnd -= 1 }
    if LineDecoder.isBlank(start, count: start.distance(to: contentEnd)) { return Piece(.blank, to: next) }
    return Piece(.text, contentEnd: contentEnd, to: next)
  }

  /// Returns the next document; skips white space, commas between payloads and the brackets around an array of them.
  private func nextDocument(
    _ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, isLast: Bool
  ) -> Piece? {
    switch start.pointee {
    case 0...0x20, UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"): return Piece(.blank, to: start + 1)
    case UInt8(ascii: "{"):
      if let close = JSONExtent.end(of: start, before: end) { return Piece(.text, contentEnd: close, to: close) }
      // A payload that is never closed ends before the next line that starts one.
      guard isLast else { return nil }
      var place = start
      while let lineFeed = LineDecoder.lineFeed(from: place, to: end, isLast: false) {
        if lineFeed + 1 < end, lineFeed[1] == UInt8(ascii: "{") {
          return Piece(.rejected(.notJSONObject), contentEnd: lineFeed, to: lineFeed + 1)
        }
        place = lineFeed + 1
      }
      return Piece(.rejected(.notJSONObject), to: end)
    default:
      guard let line = nextLine(start, to: end, isLast: isLast) else { return nil }
      return Piece(.text, contentEnd: line.contentEnd, to: line.next)
    }
  }

  /// Returns the next element of the list of records; skips what is before and after it.
  private func nextElement(
    _ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, isLast: Bool
  ) -> Piece? {
    if let skipped = list.skip(start, to: end) { return Piece(.blank, to: skipped) }
    if let close = JSONExtent.end(of: start, before: end) { return Piece(.text, contentEnd: close, to: close) }
    return isLast ? Piece(.rejected(.notJSONObject), to: end) : nil
  }

  private func nextRecord(
    _ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, isLast: Bool, _ header: VendorHeader
  ) -> Piece? {
    let lineFeed = LineDecoder.lineFeed(from: start, to: end, isLast: isLast)
    if let lineFeed, LineDecoder.isBlank(start, count: start.distance(to: lineFeed)) {
      return Piece(.blank, to: min(lineFeed + 1, end))
    }
    csvFields.begin(lineCount: start.distance(to: end))
    switch csvRecord.read(start, to: end, isLast: isLast, delimiter: header.delimiter, fields: &csvFields) {
    case .complete(let contentEnd, let next):
      let count = start.distance(to: contentEnd)
      if count > Limits.lineBytes { return Piece(.rejected(.lineTooLong), contentEnd: contentEnd, to: next) }
      let bytes = UnsafeRawBufferPointer(start: start, count: count)
      guard String(validating: bytes, as: UTF8.self) != nil else {
        return Piece(.rejected(.invalidUTF8), contentEnd: contentEnd, to: next)
      }
      if bytes.contains(0) { return Piece(.rejected(.nul), contentEnd: contentEnd, to: next) }
      let isBarred = header.delimiter == CSVLayout.bar
      if isBarred, bytes.allSatisfy({ "-+|: \r".utf8.contains($0) }) { return Piece(.blank, to: next) }
      guard csvRecord.cells.count == header.names.count else {
        return Piece(.rejected(.csvCells), contentEnd: contentEnd, to: next)
      }
      let members = zip(header.names, csvRecord.cells).compactMap { name, cell -> JSONMember? in
        if cell.count == 0 { return nil }
        let text = String(decoding: cell.bytes, as: UTF8.self)
        let value = isBarred ? CSVLayout.trimmed(text) : text
        return value.isEmpty ? nil : JSONMember(name, .string(value))
      }
      // The header again, where tables were put together.
      if members.count > 1, members.allSatisfy({ $0.value.text == $0.name }) { return Piece(.blank, to: next) }
      return Piece(.row(.object(members)), contentEnd: contentEnd, to: next)
    case .needsBytes: return isLast ? Piece(.rejected(.csvQuotes), to: lineFeed.map { min($0 + 1, end) } ?? end) : nil
    case .badQuotes:
      guard let lineFeed else { return nil }
      return Piece(.rejected(.csvQuotes), contentEnd: lineFeed, to: min(lineFeed + 1, end))
    }
  }

  private static func lineFeedCount(_ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> Int {
    UnsafeBufferPointer(start: start, count: start.distance(to: end)).reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
  }
}

extension LineDecoder {
  /// Checks an adapter's event by the rules of the native format and adds it.
  mutating func decode(_ event: NativeEvent, line: Int) -> Rejection? {
    var bytes: [UInt8] = []
    event.write(to: &bytes)
    let count = bytes.count
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(0, count: LineBuffer.padding))
    return bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return .notJSONObject }
      // Before the bytes are freed: users are looked up with a delay.
      defer { resolveUsers() }
      return decodeCarefully(start, count: count, line: line)
    }
  }
}
