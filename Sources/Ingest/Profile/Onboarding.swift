internal import Basics
internal import EventModel

/// Files of one shape: one known source, or the same columns.
public struct FileGroup {
  public enum Shape: Equatable, Sendable {
    case known(EventSource)
    /// Delimited text, by its delimiter.
    case table(delimiter: UInt8)
    case json
  }

  public internal(set) var shape: Shape
  public internal(set) var files: [InputFile]
  var layout = RecordLayout()
  var names: [String] = []
  var isParquet = false
  /// Whether the files of a known source can bring payments.
  public internal(set) var hasPayments = false
  /// Whether a file of a known source has no app unless the settings name it.
  public internal(set) var needsApp = false
  /// Whether the files are tables of one folder with columns of their own.
  var isOfTables = false
  /// Whether few lines have as many cells as others, as in text with commas.
  var isProse = false

  /// The format of the files, in words.
  public var description: String {
    switch shape {
    case .known(let source): source == .native ? "native events" : source.rawValue
    case .table(let delimiter):
      "CSV, " + ([0x2C: "comma", 0x3B: "semicolon", 0x09: "tab", 0x7C: "bar"][delimiter] ?? "one column")
        + (layout.table.isWindows1252 ? ", Windows-1252 (a guess: it is not UTF-8)" : "")
        + (layout.table.hasNoHeader ? ", no header: column1, column2, ..." : "")
    case .json where isParquet: "Parquet"
    case .json: layout.list.isEmpty ? "JSON" : "JSON, records in `\(layout.list.joined(separator: "."))`"
    }
  }
}

/// Looks at files of unknown origin: what they are, and which mapping reads them.
public enum Onboarding {
  private static let headByteCount = 256 << 10

  /// A file that cannot be read.
  public struct Failure: Error, Sendable {
    public var path: String
    public var reason: String
  }

  /// Groups files by their shape, in the order of the first file of each.
  ///
  /// - Parameter mayLeaveOut: Whether a file that holds no records is left out.
  /// - Returns: The groups, and the files left out with the reasons.
  public static func groups(
    of files: [InputFile], mayLeaveOut: (InputFile) -> Bool = { _ in false }
  ) throws(Failure) -> (groups: [FileGroup], leftOut: [Failure]) {
    var groups: [FileGroup] = []
    var leftOut: [Failure] = []
    for file in files {
      let found: FileGroup
      do throws(FileFailure) {
        found = try group(of: file)
        if found.isProse, mayLeaveOut(file) { throw FileFailure("is neither JSON nor a table") }
      } catch {
        let failure = Failure(path: file.path, reason: error.reason)
        guard mayLeaveOut(file) else { throw failure }
        leftOut.append(failure)
        continue
      }
      if let place = groups.firstIndex(where: { belongs(found, to: $0) }) {
        if groups[place].names != found.names, groups[place].shape != .json { groups[place].isOfTables = true }
        for name in found.names where !groups[place].names.contains(name) { groups[place].names.append(name) }
        groups[place].files.append(file)
        if found.hasPayments { groups[place].hasPayments = true }
        if found.needsApp { groups[place].needsApp = true }
      } else {
        groups.append(found)
      }
    }
    if groups.isEmpty, let failure = leftOut.first { throw failure }
    return (groups, leftOut)
  }

  private static func belongs(_ file: FileGroup, to group: FileGroup) -> Bool {
    guard file.shape == group.shape, file.layout.list == group.layout.list,
      file.layout.table.isWindows1252 == group.layout.table.isWindows1252
    else { return false }
    switch file.shape {
    case .known, .json: return true
    case .table:
      if file.names == group.names { return true }
      func folder(_ file: InputFile?) -> Substring { file?.path.split(separator: "/").dropLast().last ?? "" }
      let shared = Set(file.names).intersection(group.names).count
      return folder(file.files.first) == folder(group.files.first) && shared >= 3 && shared * 2 >= file.names.count
    }
  }

  private static func group(of file: InputFile) throws(FileFailure) -> FileGroup {
    let (head, isWhole, isParquet) = try head(of: file)
    var layout = RecordLayout()
    var text = head
    layout.table.isWindows1252 = !isUTF8(text, isWhole: isWhole)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text.count), alignment: 16)
    defer { bytes.deallocate() }
    bytes.copyBytes(from: text)
    let all = UnsafeRawBufferPointer(rebasing: bytes[..<text.count])
    guard let start = all.firstIndex(where: { $0 > 0x20 }) else { throw FileFailure("has no records") }
    if case .vendor(let format)? = SourceDetection.finding(all, isWhole: true) {
      var group = FileGroup(shape: .known(format.source), files: [file])
      (group.hasPayments, group.needsApp) = (format.hasPayments, format.needsApp)
      return group
    }
    let rest = UnsafeRawBufferPointer(rebasing: all[start...])
    if rest[0] == UInt8(ascii: "{") || rest[0] == UInt8(ascii: "[") {
      var group = json(rest, isWhole: isWhole, layout, file)
      group.isParquet = isParquet
      return group
    }
    if all.prefix(1 << 10).contains(0) { throw FileFailure("is binary, and neither text nor Parquet") }
    let table = UnsafeRawBufferPointer(rebasing: rest[TableStart.place(in: rest)...])
    return try self.table(table, isWhole: isWhole, layout, file)
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
    let names = JSONExtent.orderedNames(of: text)
    if text[0] == UInt8(ascii: "{"), Set(names).isSuperset(of: UnknownFile.required) {
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
    // A list deep in a record with members of its own is part of the record.
    if isOne, let list = list(in: text), list.count == 1 || names.count <= 4 { group.layout.list = list }
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
  /// others are no names, because one of them comes again.
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
          if start < contentEnd { records.append(record.cells.map { String(decoding: $0.bytes, as: UTF8.self) }) }
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

  /// Returns the content of a file, decompressed; `nil` if it is longer than the limit.
  public static func content(of file: InputFile, upTo limit: Int) throws(Failure) -> [UInt8]? {
    do {
      let decompressor = try Decompressor(try ByteSource(file, blockByteCount: 64 << 10))
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
      defer { room.deallocate() }
      var bytes: [UInt8] = []
      while case let count = try decompressor.read(into: room), count > 0 {
        bytes += room[..<count]
        if bytes.count > limit { return nil }
      }
      return bytes
    } catch {
      throw Failure(path: file.path, reason: error.reason)
    }
  }

  /// Profiles the first records of a group and proposes a mapping.
  ///
  /// - Parameter appName: The name of the app, if neither an answer nor a column gives one.
  public static func proposal(
    of group: FileGroup, _ answers: ProposalAnswers, appName: String?
  ) throws(Failure) -> Proposal {
    var layout = group.layout
    var profile = ProfileCollector(layout: layout, answers)
    for file in group.files {
      do {
        let rejected = try read(file, into: profile, hasTables: group.isOfTables)
        if rejected.contains(where: { $0.reason == Rejection.invalidUTF8.reason }), !layout.table.isWindows1252 {
          layout.table.isWindows1252 = true
          profile = ProfileCollector(layout: layout, answers)
          for file in group.files { _ = try read(file, into: profile, hasTables: group.isOfTables) }
          break
        }
      } catch {
        throw Failure(path: file.path, reason: error.reason)
      }
    }
    if profile.recordCount == 0 {
      let isHeader = if case .table = group.shape { !group.layout.table.hasNoHeader } else { false }
      throw Failure(
        path: group.files.first?.path ?? "",
        reason: isHeader ? "has only a header, and no records that can be read" : "has no records that can be read")
    }
    var proposal = Proposer.proposal(of: profile, answers, appName: appName)
    if case .table = group.shape {
      for (name, same) in Dictionary(grouping: group.names, by: { $0 }).sorted(by: { $0.key < $1.key })
      where same.count > 1 && proposal.fields.contains(where: { $0.path == name }) {
        proposal.warnings.append(
          "\(name) is the name of \(same.count) columns, of which the last one with a value is read; if that is not the "
            + "right one, give them different names in the file's first line")
      }
    }
    // In the order of the file; columns of objects keep theirs.
    let order = Dictionary(group.names.enumerated().map { ($1, $0) }) { first, _ in first }
    let places = proposal.columns.map { order[$0.path] ?? order.count }
    proposal.columns = zip(places, proposal.columns).enumerated().sorted {
      ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
    }.map(\.element.1)
    return proposal
  }

  /// Returns whether a text is an order of days and months, or a pattern of times.
  public static func isDateForm(_ text: String) -> Bool { DateForm(text) != nil }

  /// Returns the path of a value that is written as in a mapping, such as `{path: price, scale: minor}`; `nil` if it has
  /// none.
  public static func path(ofValue yaml: String) -> String? {
    guard let root = try? YAMLValue.root(of: yaml, file: "--set"), let members = try? root.members() else { return nil }
    return try? members.first { $0.name == "path" || $0.name == "all" }?.value.texts().first
  }

  /// Profiles the first records of a file.
  static func profile(_ file: InputFile, into profile: ProfileCollector) throws(Failure) {
    do {
      _ = try read(file, into: profile, hasTables: true)
    } catch {
      throw Failure(path: file.path, reason: error.reason)
    }
  }

  private static func read(
    _ file: InputFile, into profile: ProfileCollector, hasTables: Bool
  ) throws(FileFailure) -> [RejectedLine] {
    var settings = SourceSettings()
    settings.profile = profile
    profile.place =
      hasTables || file.path.contains("=") ? RecordPlace(path: file.path, hasTable: hasTables) : RecordPlace()
    let reading = try FileReading(
      file, sources: settings, buffer: LineBuffer(chunkByteCount: 64 << 10), blockByteCount: 64 << 10,
      readingProgress: ReadingProgress(bytesTotal: nil))
    var decoder = LineDecoder()
    reading.begin(at: decoder.filler.mark)
    while !profile.isSatisfied,
      case .batchIsFull = try reading.decode(into: &decoder, limits: BatchLimits(records: 1_000, bytes: 64 << 20))
    {
      break
    }
    return reading.progress.rejected
  }
}
