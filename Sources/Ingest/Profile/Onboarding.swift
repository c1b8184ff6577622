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
  /// Whether the app of a file of a known source is assumed unless the settings name it.
  public internal(set) var assumesApp = false
  /// Whether the files are tables of one folder with columns of their own.
  var isOfTables = false
  /// Whether few lines have as many cells as others, as in text with commas.
  var isProse = false
  /// The profile of its first records, while it may be needed again.
  var profile: ProfileCollector?

  /// Frees the memory that the profile takes.
  public mutating func forgetRecords() { profile = nil }

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
  /// A file that cannot be read.
  public struct Failure: Error, Sendable {
    public var path: String
    public var reason: String

    /// The reason, with what to do next if it does not say so.
    public var advice: String {
      let hasStep = ["`tollgate ", "copy the file", "write it again", ". "].contains { reason.contains($0) }
      return hasStep ? reason : reason + ". Export your events as CSV, NDJSON or Parquet, then `tollgate init FILE`"
    }
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

  /// Profiles the first records of a group.
  static func profile(of group: FileGroup, _ answers: ProposalAnswers) throws(Failure) -> ProfileCollector {
    var layout = group.layout
    var profile = ProfileCollector(layout: layout, answers)
    for file in group.files {
      do throws(FileFailure) {
        let before = profile.recordCount
        let progress = try read(file, into: profile, hasTables: group.isOfTables)
        let rejected = progress.rejected
        let torn =
          rejected.count { $0.reason == Rejection.csvCells.reason } + (progress.unkept[Rejection.csvCells.reason] ?? 0)
        if torn * 10 > profile.recordCount - before, torn > 0, try isZip(file) {
          let folder = stem(of: file)
          throw FileFailure(
            "holds tables with different columns. Unpack it, `unzip \(file.path.shellWord) -d \(folder.shellWord) && "
              + "tollgate init \(folder.shellWord)`")
        }
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
    return profile
  }

  /// Profiles the first records of a group and proposes a mapping.
  ///
  /// - Parameter appName: The name of the app, if neither an answer nor a column gives one.
  public static func proposal(
    of group: FileGroup, _ answers: ProposalAnswers, appName: String?
  ) throws(Failure) -> Proposal {
    var profile: ProfileCollector
    if let known = group.profile, known.isReadBy(answers) {
      profile = known
    } else {
      profile = try Self.profile(of: group, answers)
    }
    var layout = profile.layout
    if profile.recordCount == 0 {
      let isTable = if case .table = group.shape { true } else { false }
      let reason =
        isTable
        ? (group.layout.table.hasNoHeader
          ? "has no records that can be read" : "has only a header, and no records that can be read")
        : "has no records that can be read; tollgate reads JSON objects, one per line or in a list"
      throw Failure(path: group.files.first?.path ?? "", reason: reason)
    }
    var answers = answers
    answers.tableKind = tableKind(of: group)
    answers.tables = group.files.map(stem)
    answers.fileWords = group.files.first.map { ForeignWords.english(NameWords.words(of: stem(of: $0))) } ?? []
    var proposal = Proposer.proposal(of: profile, answers, appName: appName)
    if answers.dates == nil, proposal.missing.contains("time"), let form = proposal.formOfTimes {
      answers.dates = form
      profile = ProfileCollector(layout: layout, answers)
      for file in group.files { try Self.profile(file, into: profile, hasTables: group.isOfTables) }
      proposal = Proposer.proposal(of: profile, answers, appName: appName)
    }
    // Events of a user may be a list in his record, and those of a session a list in that.
    let whole = proposal
    while !proposal.missing.isEmpty, layout.each.count < 3 {
      var fitting: [Proposal] = []
      for list in proposal.lists.filter({ !$0.contains("[") && !$0.contains("'") }).prefix(5) {
        layout.each = list.split(separator: ".").map(String.init)
        let own = ProfileCollector(layout: layout, answers)
        for file in group.files { try Self.profile(file, into: own, hasTables: group.isOfTables) }
        if own.recordCount == 0 { continue }
        let found = Proposer.proposal(of: own, answers, appName: appName)
        if found.missing.count < proposal.missing.count { fitting.append(found) }
      }
      // Of several lists of events, reading one alone would leave out the others.
      guard fitting.count == 1 else { break }
      proposal = fitting[0]
      proposal.notes.append("each element of a list in the records is read as one event: `each` in the mapping")
    }
    // One of several lists that does not say enough alone is no reason to leave out the others.
    if !proposal.missing.isEmpty, whole.lists.count > 1 { proposal = whole }
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

  /// Returns whether a text is a currency code (ISO 4217).
  public static func isCurrency(_ text: String) -> Bool { CurrencyTable.isCode(text) }

  /// Returns whether a text is an order of days and months, or a pattern of times.
  public static func isDateForm(_ text: String) -> Bool { DateForm(text) != nil }

  /// Returns the path of a value that is written as in a mapping, such as `{path: price, scale: minor}`; `nil` if it has
  /// none.
  public static func path(ofValue yaml: String) -> String? {
    try? members(ofValue: yaml).first { $0.name == "path" || $0.name == "all" }?.value.texts().first
  }

  /// Returns whether a field is set to a value for all records, such as `{value: spring}`, as a mapping writes it.
  public static func isFixed(_ field: String, value yaml: String) -> Bool {
    let fields: [EventField] = [
      .experiment, .variant, .paywall, .entryPoint, .offering, .platform, .store, .country, .tier,
    ]
    return fields.contains { $0.name == field } && members(ofValue: yaml).map(\.name) == ["value"]
  }

  /// Returns the text of a value such as `{value: spring}`; `nil` for another.
  static func text(ofValue yaml: String) -> String? {
    let members = members(ofValue: yaml)
    return members.map(\.name) == ["value"] ? try? members[0].value.texts().first : nil
  }

  private static func members(ofValue yaml: String) -> [(name: String, value: YAMLValue)] {
    (try? YAMLValue.root(of: yaml, file: "--set").members()) ?? []
  }

  /// Profiles the first records of a file.
  static func profile(_ file: InputFile, into profile: ProfileCollector, hasTables: Bool = true) throws(Failure) {
    do {
      _ = try read(file, into: profile, hasTables: hasTables)
    } catch {
      throw Failure(path: file.path, reason: error.reason)
    }
  }

  private static func read(
    _ file: InputFile, into profile: ProfileCollector, hasTables: Bool
  ) throws(FileFailure) -> LineProgress {
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
    return reading.progress
  }
}
