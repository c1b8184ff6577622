internal import Basics

/// Detects the format of a file from its first bytes.
enum SourceDetection {
  enum Finding: Equatable {
    /// The native format, or an unknown one.
    case native
    case vendor(VendorFormat)
  }

  /// The number of bytes examined, unless the file is shorter.
  static let headByteCount = 64 << 10
  /// The number of lines examined, because the first may be broken.
  private static let lineCount = 8

  /// - Parameters:
  ///   - head: The first bytes after a byte-order mark.
  ///   - isWhole: Whether no more bytes follow.
  /// - Returns: `nil` if more bytes are needed.
  static func finding(_ head: UnsafeRawBufferPointer, isWhole: Bool) -> Finding? {
    var place = 0
    for _ in 0..<lineCount {
      while place < head.count, head[place] <= 0x20 { place += 1 }
      guard place < head.count else { return isWhole ? .native : nil }
      let rest = UnsafeRawBufferPointer(rebasing: head[place...])
      let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n"))
      if let finding = finding(ofLine: rest, lineEnd: lineEnd ?? rest.count) { return finding }
      guard let lineEnd else { break }
      place += lineEnd + 1
    }
    return isWhole || head.count >= headByteCount ? .native : nil
  }

  private static func finding(ofLine rest: UnsafeRawBufferPointer, lineEnd: Int) -> Finding? {
    switch rest[0] {
    case UInt8(ascii: "{"): return finding(ofObject: rest)
    case UInt8(ascii: "["):
      guard let object = rest.firstIndex(of: UInt8(ascii: "{")),
        rest[1..<object].allSatisfy({ $0 <= 0x20 })
      else { return nil }
      return finding(ofObject: UnsafeRawBufferPointer(rebasing: rest[object...]))
    default:
      let line = UnsafeRawBufferPointer(rebasing: rest[..<lineEnd])
      if SignedText.isOne(line) { return .vendor(.appstore) }
      return lineEnd < rest.count ? finding(ofHeader: line) : nil
    }
  }

  private static func finding(ofObject text: UnsafeRawBufferPointer) -> Finding? {
    var names = Set(JSONExtent.names(of: text))
    if CollectedBody.isOne(names) {
      guard let value = JSONNode(parsing: text) ?? firstLine(of: text), let body = CollectedBody(value)?.body else {
        return nil
      }
      if case .string(let text) = body, SignedText.isOne(text.utf8) { return .vendor(.appstore) }
      names = Set((body.members ?? []).map(\.name))
    }
    if VendorFormat.isNative(names) { return .native }
    if let format = VendorFormat.of(names, isCSV: false) { return .vendor(format) }
    // A list whose other members lie behind its items.
    for list in lists where names.isSuperset(of: list.names) {
      guard let item = firstItem(of: list.items, text) else { continue }
      if VendorFormat.of(Set(JSONExtent.names(of: item)), isCSV: false) == list.format {
        return .vendor(list.format)
      }
    }
    return nil
  }

  /// The lists that APIs give: the names that each has, and the name of its items.
  private static let lists: [(format: VendorFormat, names: Set<String>, items: String)] = [
    (.stripe, ["object", "data"], "data"), (.googleplayOrders, ["orders"], "orders"),
  ]

  /// Returns the path of the items, if the text is a list object of the format's API, alone in its file; its end may be
  /// missing. Returns an empty path for anything else.
  private static func listPath(_ head: UnsafeRawBufferPointer, _ format: VendorFormat) -> [String] {
    guard let list = lists.first(where: { $0.format == format }),
      let start = head.firstIndex(where: { $0 > 0x20 }), head[start] == UInt8(ascii: "{")
    else { return [] }
    let object = UnsafeRawBufferPointer(rebasing: head[start...])
    let names = Set(JSONExtent.names(of: object))
    guard names.isSuperset(of: list.names), !names.contains("id"),
      let base = object.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return [] }
    if let end = JSONExtent.end(of: base, before: base + object.count),
      !object[(end - base)...].allSatisfy({ $0 <= 0x20 })
    {
      return []
    }
    return [list.items]
  }

  /// Returns the first object in a list that is a member of an object, up to the end of the text.
  private static func firstItem(of list: String, _ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let name = Array("\"\(list)\"".utf8)
    var place = text.startIndex
    while place + name.count < text.count, !text[place..<(place + name.count)].elementsEqual(name) { place += 1 }
    let rest = text[min(place + name.count, text.count)...]
    guard let open = rest.firstIndex(of: UInt8(ascii: "{")),
      rest[..<open].allSatisfy({ $0 <= 0x20 || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") })
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: text[open...])
  }

  private static func firstLine(of text: UnsafeRawBufferPointer) -> JSONNode? {
    let end = text.firstIndex(of: UInt8(ascii: "\n")) ?? text.count
    return JSONNode(parsing: UnsafeRawBufferPointer(rebasing: text[..<end]))
  }

  /// Returns the format of a CSV header.
  static func finding(ofHeader line: UnsafeRawBufferPointer) -> Finding? {
    guard let header = VendorHeader(line) else { return nil }
    let names = Set(header.names)
    if VendorFormat.isNative(names) { return .native }
    return VendorFormat.of(names, isCSV: true).map { .vendor($0) }
  }
}

extension SourceDetection {
  enum Format {
    case needsBytes
    case native
    /// The header, if there is one, is consumed.
    case vendor(VendorReading)
  }

  /// Returns how to read the file in the buffer.
  ///
  /// - Throws: ``FileFailure`` if the file is not from the source in the settings.
  static func format(
    of buffer: LineBuffer, isWhole: Bool, _ settings: SourceSettings, path: String
  ) throws(FileFailure) -> Format {
    if settings.source == .native { return .native }
    let head = UnsafeRawBufferPointer(start: buffer.first, count: buffer.count)
    if let profile = settings.profile {
      return try mapped(profile, profile.layout, buffer: buffer, head, isWhole: isWhole)
    }
    if let mapping = settings.mapping {
      let layout = RecordLayout(table: mapping.table, list: mapping.records)
      return try mapped(
        MappedRecords(mapping, settings, path: path), layout, buffer: buffer, head, isWhole: isWhole)
    }
    guard let finding = finding(head, isWhole: isWhole) else { return .needsBytes }
    switch finding {
    case .native:
      guard settings.source != .auto else { return .native }
      return .vendor(try unrecognized(settings, head))
    case .vendor(let format):
      guard settings.source == .auto || settings.source == format.source else {
        throw FileFailure(
          "is a file of \(format.source.rawValue), not of \(settings.source.rawValue); name its own format with --source, or leave --source out"
        )
      }
      let adapter = format.adapter(settings)
      guard format.isCSV, let header = VendorHeader(headerLine(head)) else {
        // Finding out whether payloads are on single lines takes more than the first bytes.
        guard isWhole || head.count >= headByteCount else { return .needsBytes }
        // A list of the API may be larger than a payload can be.
        let list = listPath(head, format)
        return .vendor(VendorReading(adapter, shape: list.isEmpty ? shape(head) : .list, listPath: list))
      }
      let linesBefore = consumeHeader(of: buffer)
      return .vendor(VendorReading(adapter, shape: .records(header), linesBefore: linesBefore))
    }
  }

  /// Returns how to read a single line without a header; `nil` if it is native.
  static func reading(
    line: UnsafeRawBufferPointer, _ settings: SourceSettings, path: String
  ) -> VendorReading? {
    if settings.source == .native { return nil }
    if let mapping = settings.mapping {
      return VendorReading(MappedRecords(mapping, settings, path: path), shape: .lines)
    }
    guard case .vendor(let format) = finding(line, isWhole: true), !format.isCSV else { return nil }
    return VendorReading(format.adapter(settings), shape: .lines)
  }

  /// Returns how to read the records after a header; `nil` if they are native.
  static func reading(csvHeader: [UInt8], _ settings: SourceSettings, path: String) -> VendorReading? {
    if settings.source == .native { return nil }
    return csvHeader.withUnsafeBytes { line in
      guard let header = VendorHeader(line, delimiter: settings.mapping?.table.delimiter) else { return nil }
      if let mapping = settings.mapping {
        return VendorReading(MappedRecords(mapping, settings, path: path), shape: .records(header))
      }
      guard case .vendor(let format) = finding(ofHeader: line) else { return nil }
      return VendorReading(format.adapter(settings), shape: .records(header))
    }
  }

  /// Returns how to read any JSON, or CSV with a header, by a mapping.
  private static func mapped(
    _ adapter: any SourceAdapter, _ layout: RecordLayout, buffer: LineBuffer, _ head: UnsafeRawBufferPointer,
    isWhole: Bool
  ) throws(FileFailure) -> Format {
    guard let start = head.firstIndex(where: { $0 > 0x20 }) else {
      return isWhole ? .vendor(VendorReading(adapter, shape: .lines)) : .needsBytes
    }
    let isBraced = TableStart.isBraced(UnsafeRawBufferPointer(rebasing: head[start...]))
    if head[start] == UInt8(ascii: "{") && !isBraced || head[start] == UInt8(ascii: "[") {
      if !layout.list.isEmpty {
        return .vendor(VendorReading(adapter, shape: .list, listPath: layout.list))
      }
      guard isWhole || head.count >= headByteCount else { return .needsBytes }
      return .vendor(VendorReading(adapter, shape: shape(head)))
    }
    let first = TableStart.place(in: head)
    let table = UnsafeRawBufferPointer(rebasing: head[first...])
    guard isWhole || table.contains(UInt8(ascii: "\n")) else {
      if head.count > Limits.lineBytes {
        throw FileFailure("its first line is neither JSON nor a CSV header; check the file")
      }
      return .needsBytes
    }
    guard let header = VendorHeader(headerLine(table), delimiter: layout.table.delimiter) else {
      throw FileFailure("its first line is neither JSON nor a CSV header with at least two columns")
    }
    let hasNoHeader = layout.table.hasNoHeader
    let names = hasNoHeader ? header.named(layout.table.names) : header
    let linesBefore = consume(first, of: buffer) + (hasNoHeader ? 0 : consumeHeader(of: buffer))
    return .vendor(VendorReading(adapter, shape: .records(names), linesBefore: linesBefore))
  }

  /// Returns a reading that quarantines each piece that is not a payload of the named source; throws if the whole file
  /// is native.
  private static func unrecognized(
    _ settings: SourceSettings, _ head: UnsafeRawBufferPointer
  ) throws(FileFailure) -> VendorReading {
    if let first = head.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{"),
      let start = head.firstIndex(of: first),
      VendorFormat.isNative(Set(JSONExtent.names(of: UnsafeRawBufferPointer(rebasing: head[start...]))))
    {
      throw FileFailure(
        "is a native file, not of \(settings.source.rawValue); leave --source out, or use --source native")
    }
    guard let format = VendorFormat.allCases.first(where: { $0.source == settings.source && !$0.isCSV }) else {
      throw FileFailure("cannot be read as \(settings.source.rawValue)")
    }
    return VendorReading(format.adapter(settings), shape: shape(head))
  }

  /// Returns whether payloads are on single lines or span lines, judged by the first lines that are not blank.
  static func shape(_ head: UnsafeRawBufferPointer) -> VendorReading.Shape {
    let start = head.firstIndex { $0 > 0x20 } ?? head.count
    guard start < head.count, head[start] != UInt8(ascii: "[") else { return start < head.count ? .documents : .lines }
    let first = line(head)
    if head[start] != UInt8(ascii: "{") || JSONNode(parsing: first) != nil { return .lines }
    // The line is broken, or starts a document over several lines; in the latter case the next line does not start
    // another.
    var place = first.baseAddress.map { $0 - head.baseAddress! + first.count } ?? head.count
    while place < head.count, [0x0A, 0x0D].contains(head[place]) { place += 1 }
    return place < head.count && head[place] == UInt8(ascii: "{") && first.count > 1 ? .lines : .documents
  }

  /// Returns the first line that is not blank, without its end.
  private static func line(_ head: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = head.firstIndex { $0 > 0x20 } ?? head.count
    let rest = head[start...]
    let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? head.count
    return UnsafeRawBufferPointer(rebasing: head[start..<end])
  }

  /// Returns the first line that is not blank, without its end, with the lines that its quoted cells go on to.
  private static func headerLine(_ head: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = head.firstIndex { $0 > 0x20 } ?? head.count
    var isQuoted = false
    var last = UInt8(ascii: ",")
    let end = head[start...].firstIndex { byte in
      // A quote within a name, as in `5" screen`, opens no cell of several lines.
      if byte == UInt8(ascii: "\""), isQuoted || ",;|\t\"".utf8.contains(last) { isQuoted.toggle() }
      last = byte
      return byte == UInt8(ascii: "\n") && !isQuoted
    }
    return end.map { UnsafeRawBufferPointer(rebasing: head[start..<$0]) } ?? line(head)
  }

  /// Consumes the header and returns the number of line feeds.
  private static func consumeHeader(of buffer: LineBuffer) -> Int {
    let head = UnsafeRawBufferPointer(start: buffer.first, count: buffer.count)
    let start = head.firstIndex { $0 > 0x20 } ?? head.count
    return consume(min(start + headerLine(head).count + 1, head.count), of: buffer)
  }

  /// Consumes this many bytes and returns the number of line feeds.
  private static func consume(_ byteCount: Int, of buffer: LineBuffer) -> Int {
    let head = UnsafeBufferPointer(start: UnsafePointer(buffer.first), count: byteCount)
    let lineFeeds = head.count { $0 == 0x0A }
    buffer.consume(upTo: UnsafePointer(buffer.first) + byteCount)
    return lineFeeds
  }
}

/// The names of a vendor's CSV columns; of those without a name, `column1` and so on.
struct VendorHeader {
  let names: [String]
  let delimiter: UInt8
  /// The header line, without its end.
  let line: [UInt8]

  /// Reads a header with the delimiter, of `,` `;` tab and `|`, that gives the most cells; `nil` if none gives two, or
  /// quotes are wrong.
  init?(_ line: UnsafeRawBufferPointer, delimiter known: UInt8? = nil) {
    var line = Array(line)
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    var best: (delimiter: UInt8, cells: [[UInt8]])?
    for delimiter in known.map({ [$0] }) ?? CSVLayout.delimiters {
      guard let cells = CSVLayout.cells(of: line, delimiter: delimiter) else { continue }
      if cells.count >= 2, cells.count > best?.cells.count ?? 0 { best = (delimiter, cells) }
    }
    guard let best else { return nil }
    delimiter = best.delimiter
    names = best.cells.enumerated().map { place, cell in
      if cell.isEmpty { return "column\(place + 1)" }
      return CSVLayout.trimmed(String(String(decoding: cell, as: UTF8.self).map { $0.isNewline ? " " : $0 }))
    }
    self.line = line
  }

  private init(names: [String], delimiter: UInt8) {
    (self.names, self.delimiter) = (names, delimiter)
    line = Array(names.joined(separator: String(UnicodeScalar(delimiter))).utf8)
  }

  /// Returns the header of a file without one, whose first record is this one: the given names, then `column3`, ...
  func named(_ given: [String]) -> VendorHeader {
    let names = names.indices.map { $0 < given.count ? given[$0] : "column\($0 + 1)" }
    return VendorHeader(names: names, delimiter: delimiter)
  }
}

/// How the records of a file are laid out.
struct RecordLayout {
  var table = MappingFile.Table()
  /// The names that lead to the list of records of a document.
  var list: [String] = []
  /// The names that lead to a list in each record whose elements are records of their own.
  var each: [String] = []
}

extension JSONNode {
  /// Returns a copy for each element of the list at a path, with the element in the list's place; none without one.
  func copies(each names: ArraySlice<String>) -> [JSONNode] {
    guard let name = names.first, let members = opened.members, let value = self.opened[name]?.opened else { return [] }
    let parts = (value.elements ?? [value]).flatMap { part in
      names.count == 1 ? [part].filter { !$0.isAbsent } : part.copies(each: names.dropFirst())
    }
    return parts.map { part in .object(members.map { $0.name == name ? JSONMember(name, part) : $0 }) }
  }
}

/// A stored webhook body of a collector: `{"received_at": INSTANT, "body": PAYLOAD}`, with the payload as JSON or as
/// the posted text.
struct CollectedBody {
  var receivedAt: JSONNode
  var body: JSONNode

  static func isOne(_ names: Set<String>) -> Bool {
    names.isSuperset(of: ["received_at", "body"]) && !VendorFormat.isNative(names)
  }

  init?(_ value: JSONNode) {
    guard let members = value.members, Self.isOne(Set(members.map(\.name))), let receivedAt = value["received_at"],
      let body = value["body"]
    else { return nil }
    self.receivedAt = receivedAt
    self.body = body
    if case .string(let text) = body, let parsed = JSONNode(parsing: Array(text.utf8)) { self.body = parsed }
  }
}
