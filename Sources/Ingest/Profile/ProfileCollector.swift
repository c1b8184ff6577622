internal import Basics
internal import EventModel

/// Collects the columns of the first records of a group of files; it gives no events.
///
/// `@unchecked Sendable`: one thread at a time reads records.
final class ProfileCollector: SourceAdapter, @unchecked Sendable {
  static let mostRecords = 200_000
  static let mostBytes = 64 << 20
  static let mostPaths = 2_000

  var layout: RecordLayout
  private(set) var recordCount = 0
  private(set) var columns: [ColumnProfile] = []
  /// Hashes of whole records, to tell repeated ones.
  private(set) var recordHashes: [UInt64] = []
  /// Whether there are records that are not looked at.
  private(set) var isCut = false
  private(set) var hasDroppedPaths = false
  private var places: [String: Int] = [:]
  private var byteCount = 0
  /// The file being read, whose names of files and folders are columns.
  var place = RecordPlace()

  /// The form of times, if a pattern is given.
  private let dates: DateForm?
  /// The pattern itself, as it was given.
  private let datePattern: String?
  /// Paths to look at besides those of members.
  private let wanted: [MappingPath]

  init(layout: RecordLayout = RecordLayout(), _ answers: ProposalAnswers = ProposalAnswers()) {
    self.layout = layout
    datePattern = answers.dates
    dates = answers.dates.flatMap { DateForm($0) }.flatMap { $0.isOfNumbers ? $0 : nil }
    wanted = Self.wanted(answers).map { MappingPath($0) }
  }

  private static func wanted(_ answers: ProposalAnswers) -> [String] {
    answers.fields.values.filter { $0.contains("[") }.sorted()
  }

  /// Returns whether these answers would read the same values from the records.
  func isReadBy(_ answers: ProposalAnswers) -> Bool {
    answers.dates == datePattern && Self.wanted(answers) == wanted.map(\.text)
  }

  var source: String { "profile" }

  var isSatisfied: Bool { recordCount >= Self.mostRecords || byteCount >= Self.mostBytes }

  func payloads(in document: JSONNode) -> [JSONNode] {
    let records = document.elements ?? [document]
    return layout.each.isEmpty ? records : records.flatMap { $0.copies(each: layout.each[...]) }
  }

  func events(of record: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard let members = record.members else { return [] }
    if isSatisfied {
      isCut = true
      return []
    }
    let json = record.json
    byteCount += json.count
    recordHashes.append(json.withUnsafeBytes { ByteHash.hash($0, seed: 1) })
    for member in members { add(member.value, at: Self.step(member.name), depth: 0) }
    for (name, value) in place.values.sorted(by: { $0.key < $1.key }) where name != "$file" {
      add(.string(value), at: name, depth: 0)
    }
    for path in wanted {
      let isMet = places[path.text].map { columns[$0].rows.last == UInt32(recordCount) } ?? false
      if !isMet, let value = path.value(in: record), !value.isNoValue { note(value, at: path.text) }
    }
    recordCount += 1
    return []
  }

  /// Returns a name as a step of a path; a quote inside a name needs no quotes.
  private static func step(_ name: String) -> String {
    let isSpecial =
      name.utf8.first == UInt8(ascii: "'")
      || name.utf8.contains { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
    return isSpecial ? "'\(name)'" : name
  }

  private func add(_ value: JSONNode, at path: String, depth: Int) {
    if value.isNoValue || depth > 8 { return }
    let opened = value.opened
    switch opened {
    case .object(let members) where !members.isEmpty:
      if JSONNode.areTypes(members) {
        if let chosen = members.first(where: { !$0.value.isAbsent }) { add(chosen.value, at: path, depth: depth + 1) }
        return
      }
      for member in members { add(member.value, at: "\(path).\(Self.step(member.name))", depth: depth + 1) }
    case .array(let elements) where !elements.isEmpty && elements.allSatisfy(Self.isPair):
      for element in elements {
        guard let key = element["key"]?.writtenText, let value = element["value"] else { continue }
        add(value, at: "\(path)[key=\(key)].value", depth: depth + 1)
      }
    // Of a list of one object, such as the items of a purchase, its members; objects with a time are records.
    case .array(let elements) where elements.count == 1 && elements[0].members?.contains(where: Self.isTime) == false:
      add(elements[0], at: "\(path)[0]", depth: depth + 1)
    default: note(value, at: path)
    }
  }

  private static func isTime(_ member: JSONMember) -> Bool {
    ValueTraits(member.value, member.value.writtenText ?? "").isInstant
  }

  private static func isPair(_ element: JSONNode) -> Bool {
    element["key"]?.writtenText != nil && element["value"] != nil
  }

  private func note(_ value: JSONNode, at path: String) {
    let place: Int
    if let known = places[path] {
      place = known
    } else {
      if columns.count >= Self.mostPaths * 4 {
        hasDroppedPaths = true
        return
      }
      place = columns.count
      places[path] = place
      columns.append(ColumnProfile(path: path))
    }
    columns[place].add(value, row: UInt32(recordCount), dates)
  }

  /// The fullest columns, in the order in which they were met.
  var fullest: [ColumnProfile] {
    if columns.count <= Self.mostPaths { return columns }
    let order = columns.indices.sorted { (columns[$1].count, $0) < (columns[$0].count, $1) }.prefix(Self.mostPaths)
    return order.sorted().map { columns[$0] }
  }
}

/// A column of a group of files: the types of its values and where they stand.
struct ColumnProfile {
  /// The type of a value; without raw values, as those would make hashes slow.
  enum ValueType {
    case text, whole, decimal, flag, instant, list, object

    var name: String { String(describing: self) }
  }

  /// The largest number of distinct values that is counted exactly.
  static let mostDistinct = 10_000

  let path: String
  /// Further paths, of which no record has two.
  let others: [String]
  /// The records with a value, and a hash of each value.
  private(set) var rows: [UInt32] = []
  private(set) var hashes: [UInt64] = []
  /// The texts of the first distinct values, with their number of records.
  private(set) var values: [(text: String, count: Int)] = []
  private var places: [UInt64: Int] = [:]
  private(set) var types: [ValueType: Int] = [:]
  /// Values of each reading.
  private(set) var signs = ValueSigns()
  private var traits: [ValueTraits] = []
  /// The instants of the values in milliseconds; `Int64.min` for others, and empty if these are many.
  private var times: [Int64] = []
  private var otherCount: Int { count - signs.instants }
  /// The instants of the values in milliseconds, if every value is one; else empty.
  var instants: [Int64] { otherCount == 0 ? times : [] }

  /// Values at the path that are of another column, as they mean another field in other kinds of events.
  private(set) var excluded: [String] = []

  init(path: String, others: [String] = []) { (self.path, self.others) = (path, others) }

  /// Creates a column from the texts of some records.
  init(path: String, others: [String], _ texts: [(row: UInt32, text: String)]) {
    self.init(path: path, others: others)
    for (row, text) in texts.sorted(by: { $0.row < $1.row }) { add(.string(text), row: row, nil) }
  }

  /// The text of each value by its hash, as far as texts are kept whole.
  var textOfHash: [UInt64: String] {
    Dictionary(values.map { (Proposer.code(of: $0.text), $0.text) }) { first, _ in first }
  }

  /// The records with the texts of their values.
  var texts: [(row: UInt32, text: String)] {
    let texts = textOfHash
    return zip(rows, hashes).map { ($0, texts[$1] ?? "") }
  }

  /// Returns the hashes of the values whose texts are meant.
  func codes(where isMeant: (String) -> Bool) -> Set<UInt64> {
    Set(values.map(\.text).filter(isMeant).map(Proposer.code))
  }

  /// Returns the records with one of some values.
  func rows(with codes: Set<UInt64>) -> Set<UInt32> {
    Set(zip(rows, hashes).filter { codes.contains($0.1) }.map(\.0))
  }

  /// The instants by record, if every value is one.
  var instantOfRow: [UInt32: Int64] { Dictionary(zip(rows, instants)) { first, _ in first } }
  /// Whether every value is an instant.
  var hasInstantsAlone: Bool { instants.count == count }
  /// Whether nearly every value is an instant.
  var isOfTimes: Bool { count > 0 && signs.instants * 100 >= count * 95 }

  /// Returns the column of some records alone, and that of the others.
  func parted(by isMeant: (UInt32) -> Bool) -> (meant: ColumnProfile, rest: ColumnProfile) {
    let texts = Dictionary(zip(places.keys, places.values.map { $0 < values.count ? values[$0].text : "" })) { $1 }
    var (meant, rest) = (ColumnProfile(path: path), ColumnProfile(path: path))
    for (row, hash) in zip(rows, hashes) {
      let text = JSONNode.string(texts[hash] ?? "")
      if isMeant(row) { meant.add(text, row: row, nil) } else { rest.add(text, row: row, nil) }
    }
    (meant.excluded, rest.excluded) = (rest.values.map(\.text).sorted(), meant.values.map(\.text).sorted())
    return (meant, rest)
  }

  var count: Int { rows.count }
  /// The number of distinct values, at most ``mostDistinct`` + 1.
  var distinct: Int { min(places.count, Self.mostDistinct + 1) }
  /// The number of distinct values.
  var exactDistinct: Int { places.count }

  /// Whether its instants are written days without a time.
  var hasDaysAlone: Bool {
    signs.instants > 0 && signs.numbers == 0 && instants.allSatisfy { $0 % Instant.millisecondsPerDay == 0 }
      && values.allSatisfy { !$0.text.contains(":") }
  }

  /// The step of times that are cut to no unit, in milliseconds.
  static let finestStep: Int64 = 1_000
  /// The units that times may be cut to, in milliseconds: a day, an hour and a minute.
  private static let steps: [Int64] = [Instant.millisecondsPerDay, 3_600_000, 60_000]

  /// The unit that its instants are cut to, in milliseconds; of few instants, only days are detected.
  var step: Int64 {
    if hasDaysAlone { return Instant.millisecondsPerDay }
    guard hasInstantsAlone, count >= 20 else { return Self.finestStep }
    return Self.steps.first { step in instants.allSatisfy { $0 % step == 0 } } ?? Self.finestStep
  }

  /// The type of most values.
  var type: ValueType {
    if signs.instants * 100 >= count * 99, count > 0 { return .instant }
    if types[.text] ?? 0 == 0, types[.decimal] ?? 0 > 0, types[.whole] ?? 0 > 0 { return .decimal }
    return types.max { ($0.value, $1.key.name) < ($1.value, $0.key.name) }?.key ?? .text
  }

  /// Three values: the most frequent of few, else the first.
  var examples: [String] {
    let sorted = values.count <= 200 ? values.sorted { ($1.count, $0.text) < ($0.count, $1.text) } : values
    return sorted.prefix(3).map(\.text)
  }

  /// Reads dates such as `01/05/2026`, which were read with the day first, with the month first. A date that was read
  /// only one way has a day above 12.
  mutating func readMonthFirst() {
    guard signs.dayFirst > 0, signs.monthFirst > 0 else { return }
    times = instants.map { instant in
      let day = CivilDate(daysSince1970: Int(instant / Instant.millisecondsPerDay))
      if day.day > 12 { return instant }
      let meant = CivilDate(year: day.year, month: day.day, day: day.month)
      return instant + Int64(meant.daysSince1970 - day.daysSince1970) * Instant.millisecondsPerDay
    }
  }

  /// Whether the records are in order of time with the month first alone, or with the day first alone; `nil` if both or
  /// neither puts them in order, or they are too few.
  var isMonthFirstByOrder: Bool? {
    guard instants.count >= 20 else { return nil }
    var other = self
    other.readMonthFirst()
    return isInOrder == other.isInOrder ? nil : other.isInOrder
  }

  /// Whether no instant is over a day earlier than the one before it, or none over a day later.
  private var isInOrder: Bool {
    let pairs = zip(instants, instants.dropFirst())
    let day = Instant.millisecondsPerDay
    return pairs.allSatisfy { $0 - $1 <= day } || pairs.allSatisfy { $1 - $0 <= day }
  }

  /// Returns whether a share of the values is meant.
  func areMostly(_ share: Double, _ isMeant: (String) -> Bool) -> Bool {
    // A little more, as 1 − 0.9 is not quite 0.1.
    let most = Double(values.reduce(0) { $0 + $1.count }) * (1 - share) + 1e-6
    // The first values of most columns say no already.
    var others = 0
    for value in values where Double(others) <= most && !isMeant(value.text) { others += value.count }
    return Double(others) <= most
  }

  /// - Parameter dates: The pattern of times, if one is given.
  mutating func add(_ value: JSONNode, row: UInt32, _ dates: DateForm?) {
    let text: String
    switch value {
    case .array, .object: text = String(decoding: value.json, as: UTF8.self)
    default: text = value.writtenText ?? ""
    }
    var bytes = text
    let hash = bytes.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0), seed: 7) }
    rows.append(row)
    hashes.append(hash)
    let known = places[hash]
    if let known, known < values.count {
      values[known].count += 1
      note(traits[known])
      return
    }
    let traits = ValueTraits(value, text, dates)
    if known == nil { places[hash] = places.count }
    if known == nil, values.count < Self.mostDistinct {
      values.append((text.utf8.count > 200 ? String(text.prefix(200)) : text, 1))
      self.traits.append(traits)
    }
    note(traits)
  }

  private mutating func note(_ traits: ValueTraits) {
    types[traits.type, default: 0] += 1
    signs.add(traits)
    if times.count == rows.count - 1 { times.append(traits.milliseconds ?? .min) }
    if rows.count >= 100, otherCount * 50 > rows.count { times = [] }
  }

  /// Leaves out the few values of a column of times that are none, as in a line of totals.
  mutating func leaveOutOthers() {
    guard otherCount > 0, times.count == count, signs.instants * 100 >= count * 99 else { return }
    let kept = times.indices.filter { times[$0] != .min }
    (rows, hashes, times) = (kept.map { rows[$0] }, kept.map { hashes[$0] }, kept.map { times[$0] })
  }
}
