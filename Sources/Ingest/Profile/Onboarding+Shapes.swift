internal import Basics
internal import EventModel

/// Finds out the shape of a file from its first bytes.
extension Onboarding {
  private static let headByteCount = 256 << 10

  static func group(of file: InputFile) throws(FileFailure) -> FileGroup {
    let (head, isWhole, isParquet) = try head(of: file)
    var layout = RecordLayout()
    var text = head
    layout.table.isWindows1252 = !isUTF8(text, isWhole: isWhole)
    if layout.table.isWindows1252, text.prefix(1 << 10).contains(0) { throw FileFailure(binary) }
    if layout.table.isWindows1252, !isOfSingleMarks(text) {
      throw FileFailure(
        "is neither UTF-8 nor Windows-1252. Convert it: `iconv -f ENCODING -t UTF-8 \(file.path.shellWord) > "
          + "\(stem(of: file).shellWord)-utf8.csv`, with SHIFT_JIS for Japanese, GBK or BIG5 for Chinese, EUC-KR for Korean or "
          + "WINDOWS-1251 for Russian, then `tollgate init \(stem(of: file).shellWord)-utf8.csv`")
    }
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text.count), alignment: 16)
    defer { bytes.deallocate() }
    bytes.copyBytes(from: text)
    let all = UnsafeRawBufferPointer(rebasing: bytes[..<text.count])
    guard let start = all.firstIndex(where: { $0 > 0x20 }) else {
      throw FileFailure(all.contains(0) ? binary : "has no records")
    }
    if case .vendor(let format)? = SourceDetection.finding(all, isWhole: true) {
      var group = FileGroup(shape: .known(format.source), files: [file])
      (group.hasPayments, group.needsApp, group.assumesApp) = (format.hasPayments, format.needsApp, format.assumesApp)
      // Its webhooks name an app or none.
      if format == .revenuecatWebhook, !String(decoding: text, as: UTF8.self).contains("\"app_id\"") {
        group.assumesApp = true
      }
      return group
    }
    let rest = UnsafeRawBufferPointer(rebasing: all[start...])
    if (rest[0] == UInt8(ascii: "{") && !TableStart.isBraced(rest)) || rest[0] == UInt8(ascii: "[") {
      var group = json(rest, isWhole: isWhole, layout, file)
      group.isParquet = isParquet
      return group
    }
    if all.prefix(1 << 10).contains(0) { throw FileFailure(binary) }
    let table = UnsafeRawBufferPointer(rebasing: rest[TableStart.place(in: rest)...])
    return try self.table(table, isWhole: isWhole, layout, file)
  }

  private static let binary = "is binary, and neither text nor Parquet"

  /// Returns whether letters with marks mostly stand alone between others, as in Western languages.
  private static func isOfSingleMarks(_ text: [UInt8]) -> Bool {
    let marked = text.indices.filter { text[$0] >= 0x80 }
    let inRuns = marked.count { place in
      (place > 0 && text[place - 1] >= 0x80) || (place + 1 < text.count && text[place + 1] >= 0x80)
    }
    // A text in UTF-8 with single faults has runs, too.
    let faults = String(decoding: text, as: UTF8.self).unicodeScalars.count { $0 == "\u{FFFD}" }
    return marked.count < 20 || inRuns * 2 < marked.count || faults * 10 < marked.count
  }

  private static func isUTF8(_ bytes: [UInt8], isWhole: Bool) -> Bool {
    (0...(isWhole ? 0 : 3)).contains { cut in
      String(validating: bytes.prefix(bytes.count - min(cut, bytes.count)), as: UTF8.self) != nil
    }
  }

  private static func json(
    _ text: UnsafeRawBufferPointer, isWhole: Bool, _ layout: RecordLayout, _ file: InputFile
  ) -> FileGroup {
    var group = FileGroup(shape: .json, files: [file], layout: layout)
    let names = JSONExtent.names(of: text)
    if (text[0] == UInt8(ascii: "{") && Set(names).isSuperset(of: UnknownFile.required)) || EventList.isOne(text) {
      group.shape = .known(.native)
      return group
    }
    guard text[0] == UInt8(ascii: "{"), let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return group
    }
    // One document with a list of records, and nothing after it.
    let end = JSONExtent.end(of: base, before: base + text.count)
    let isOne =
      end.map { close in
        text[(close - base)...].allSatisfy { $0 <= 0x20 } && isWhole
      } ?? true
    // A list deep in a record with members of its own is part of the record, and so is one beside its user.
    if isOne, let list = list(in: text), list.count == 1 || names.count <= 4,
      list.count > 1 || !names.contains(where: { $0 != list[0] && FieldSynonyms.isUser($0) })
    {
      group.layout.list = list
    }
    return group
  }

  /// Names of lists of records in a document that holds little else.
  private static let listNames: Set<String> = ["data", "records", "items", "results", "events", "rows", "hits"]

  /// Returns the path of the outermost list of objects with such a name, at most three names long; `nil` without one.
  private static func list(in text: UnsafeRawBufferPointer) -> [String]? {
    var path: [String] = []
    var name = ""
    var best: [String]?
    var place = 0
    var depth = 0
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "\""):
        let start = place + 1
        place = start
        while place < text.count, text[place] != UInt8(ascii: "\"") {
          place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        let after = text[min(place + 1, text.count)...].first { $0 > 0x20 }
        if after == UInt8(ascii: ":"), depth == path.count + 1 {
          name = String(decoding: text[start..<min(place, text.count)], as: UTF8.self)
        }
      case UInt8(ascii: "{"):
        if depth > 0, depth == path.count + 1 { path.append(name) }
        depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        if path.count >= max(depth, 1) { path.removeLast() }
      case UInt8(ascii: "["):
        if depth == path.count + 1, depth <= 3, listNames.contains(name), best.map({ $0.count > path.count }) ?? true,
          text[(place + 1)...].first(where: { $0 > 0x20 }) == UInt8(ascii: "{")
        {
          best = path + [name]
          if path.isEmpty { return best }
        }
        // Lists hold no further names of the path.
        depth += 1_000
      case UInt8(ascii: "]"): depth -= 1_000
      default: break
      }
      place += 1
    }
    return best
  }

  private static func table(
    _ text: UnsafeRawBufferPointer, isWhole: Bool, _ layout: RecordLayout, _ file: InputFile
  ) throws(FileFailure) -> FileGroup {
    var group = FileGroup(shape: .table(delimiter: 0x2C), files: [file], layout: layout)
    let records = records(text, isWhole: isWhole)
    var best: (delimiter: UInt8, share: Int)?
    for (delimiter, cells) in records {
      let counts = Dictionary(grouping: cells.map(\.count), by: { $0 }).mapValues(\.count)
      guard let most = counts.filter({ $0.key >= 2 }).max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else {
        continue
      }
      if most.value > best?.share ?? 0 { best = (delimiter, most.value) }
    }
    guard let best, let cells = records.first(where: { $0.delimiter == best.delimiter })?.cells,
      let first = cells.first
    else {
      let lines = text.split(separator: 0x0A).prefix(20)
      if lines.count > 1,
        lines.allSatisfy({ $0.contains(UInt8(ascii: "{")) && $0.last { $0 > 0x20 } == UInt8(ascii: "}") })
      {
        let name = "\(stem(of: file)).ndjson".shellWord
        throw FileFailure(
          "has JSON behind other text in each line. Cut that off: `sed 's/^[^{]*//' \(file.path.shellWord) > \(name) && "
            + "tollgate init \(name)`")
      }
      throw FileFailure(
        "is neither JSON nor a table: no delimiter of `,` `;` tab `|` splits its lines into cells. Export it as CSV or as "
          + "newline-delimited JSON.")
    }
    group.shape = .table(delimiter: best.delimiter)
    let line = UnsafeRawBufferPointer(rebasing: text[..<(text.firstIndex(of: 0x0A) ?? text.count)])
    if VendorHeader(line)?.delimiter != best.delimiter { group.layout.table.delimiter = best.delimiter }
    let isData = isData(first, before: cells.dropFirst())
    group.isProse = best.share * 2 < cells.count && !isData
    group.layout.table.hasNoHeader = isData
    group.names = first.indices.map { isData || first[$0].isEmpty ? "column\($0 + 1)" : first[$0] }
    if !isData, Set(first).isSuperset(of: UnknownFile.required) { group.shape = .known(.native) }
    return group
  }

  /// Returns whether the first record is data: one of its cells is a number or an instant, or a cell is empty and the
  /// others are not names, because one of them comes again.
  private static func isData(_ first: [String], before others: ArraySlice<[String]>) -> Bool {
    let named = first.filter { !$0.isEmpty }
    let hasValue = named.contains { cell in
      let traits = ValueTraits(.string(cell), cell)
      return traits.isNumber || traits.isDecimalComma || traits.type == .instant
    }
    if hasValue || named.isEmpty { return true }
    guard named.count < first.count else { return false }
    return others.contains { other in zip(first, other).contains { !$0.isEmpty && $0 == $1 } }
  }

  /// Returns the cells of the first 200 records by each delimiter.
  private static func records(
    _ text: UnsafeRawBufferPointer, isWhole: Bool
  ) -> [(delimiter: UInt8, cells: [[String]])] {
    let padded = Array(text) + [UInt8](repeating: 0, count: LineBuffer.padding)
    return CSVLayout.delimiters.map { delimiter in
      var records: [[String]] = []
      padded.withUnsafeBufferPointer { bytes in
        guard var start = bytes.baseAddress else { return }
        let end = start + text.count
        var record = CSVRecord()
        var fields = LineFields()
        while start < end, records.count < 200 {
          fields.begin(lineCount: start.distance(to: end))
          guard
            case .complete(let contentEnd, let next) = record.read(
              start, to: end, isLast: isWhole, delimiter: delimiter, fields: &fields)
          else {
            guard let lineFeed = LineDecoder.lineFeed(from: start, to: end, isLast: false) else { return }
            start = lineFeed + 1
            continue
          }
          if start < contentEnd {
            let cells = record.cells.map { String(decoding: $0.bytes, as: UTF8.self) }
            records.append(delimiter == CSVLayout.bar ? cells.map(CSVLayout.trimmed) : cells)
          }
          start = next
        }
      }
      return (delimiter, records)
    }
  }

  /// Returns the first bytes of a file's text, as UTF-8 unless it is neither UTF-8 nor UTF-16.
  private static func head(of file: InputFile) throws(FileFailure) -> (
    bytes: [UInt8], isWhole: Bool, isParquet: Bool
  ) {
    let decompressor = try Decompressor(try ByteSource(file, blockByteCount: 64 << 10))
    func read(_ room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int { try decompressor.read(into: room) }
    var recoder = try TextRecoder(isWindows1252: false, path: file.path, read)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { room.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count < headByteCount {
      let count = try recoder.read(into: room, read)
      if count == 0 { return (bytes, true, decompressor.isParquet) }
      bytes += room[..<count]
    }
    return (bytes, false, decompressor.isParquet)
  }
}

/// Explains why nothing of a file was taken whose columns or members are not those of an event.
enum UnknownFile {
  /// The fields that every event has.
  static let required = ["event", "ts", "user_id", "app", "event_id"]

  /// - Parameter names: The columns or members, in the order of the file.
  static func failure(_ names: [String], path: String, isTable: Bool) -> FileFailure {
    let known = required.filter(names.contains)
    let list = required.joined(separator: ", ")
    var lines = ["not in a known format."]
    let what = isTable ? "columns" : "members"
    if known.isEmpty {
      lines.append("  known \(what): none of \(list)")
    } else {
      let missing = required.filter { !known.contains($0) }
      lines.append("  known \(what): \(known.joined(separator: ", ")); missing: \(missing.joined(separator: ", "))")
    }
    let near = isYAML(path) ? [] : nearest(names.filter { !known.contains($0) })
    if !near.isEmpty { lines.append("  nearest: \(near.joined(separator: ", "))") }
    lines.append("  next: \(next(names, path))")
    var failure = FileFailure(lines.joined(separator: "\n"))
    failure.isRemembered = false
    return failure
  }

  /// Returns the command that reads such a file.
  private static func next(_ names: [String], _ path: String) -> String {
    if isYAML(path) { return "if it is a mapping: tollgate ingest --mapping \(path.shellWord) FILE" }
    if names.contains("usd_per_unit") { return "tollgate rates import \(path.shellWord)" }
    if names.contains("date"), names.contains("spend") { return "tollgate spend import \(path.shellWord)" }
    return "tollgate init \(path.shellWord)"
  }

  private static func isYAML(_ path: String) -> Bool { path.hasSuffix(".yaml") || path.hasSuffix(".yml") }

  private static func nearest(_ names: [String]) -> [String] {
    var near: [String] = []
    for field in [EventField.userID, .ts, .event, .app, .eventID] {
      let best = names.map { name in (name, FieldSynonyms.score(of: name, for: field)) }
        .max { $0.1 < $1.1 }
      if let (name, score) = best, score >= 0.5, !near.contains(where: { $0.hasPrefix("\(name) (") }) {
        near.append("\(name) (\(field.name)?)")
      }
    }
    return near
  }
}
