internal import Basics

/// The columns of a file as a tree of JSON values, by the rules of Parquet for lists and maps, those of older writers
/// included.
///
/// Source: apache/parquet-format, LogicalTypes.md ("Nested Types", "Backward-compatibility rules").
struct ParquetSchema {
  /// A column with values.
  struct Leaf {
    var path: String
    var type: ParquetFooter.PhysicalType
    var form: ValueForm
    /// The bytes of a value of a type of fixed length.
    var width: Int
    /// The level at which a value exists, and the number of repeated groups around it.
    var most: (definition: Int, repetition: Int)
    /// The name before each value if the column is a member of an object.
    var lead: [UInt8] = []
  }

  final class Node {
    enum Kind {
      case leaf(Int)
      case object([Member])
      case list(Node, Repetition)
      /// An object with keys from a column of texts.
      case map(key: Int, value: Node?, Repetition)
    }

    let kind: Kind
    /// The definition level at which the node is not NULL; 0 if it never is.
    let present: UInt32
    /// The columns below it.
    let leaves: Range<Int>

    init(_ kind: Kind, present: UInt32, leaves: Range<Int>) {
      self.kind = kind
      self.present = present
      self.leaves = leaves
    }
  }

  struct Member {
    var node: Node
    /// The quoted name and a colon.
    var lead: [UInt8]
  }

  /// The levels at which a list has an element, and at which an element follows another.
  struct Repetition {
    var definition: UInt32
    var repetition: UInt32
  }

  private static let deepest = 64
  private static let longestName = 4096

  private(set) var leaves: [Leaf] = []
  private(set) var members: [Member] = []
  /// The names of the columns of the table.
  private(set) var names: [String] = []

  private let elements: [ParquetFooter.Element]
  private var next = 1
  private let options: ParquetOptions
  /// Whether the table has the columns of native events.
  private let isNative: Bool

  init(_ footer: ParquetFooter, _ options: ParquetOptions) throws(ParquetFailure) {
    elements = footer.elements
    self.options = options
    guard let root = elements.first else { throw .damaged("it has no schema") }
    isNative =
      !options.nativeNames.isEmpty
      && options.nativeNames.allSatisfy { name in footer.elements.contains { $0.name == name } }
    members = try children(root.childCount, Place(path: []))
    guard next == elements.count else { throw .damaged("its schema has columns of no table") }
  }

  /// A place in the tree, with the number of optional and repeated groups on the way to it.
  private struct Place {
    var path: [String]
    var definition = 0
    var repetition = 0

    func below(_ name: String) -> Place {
      Place(path: path + [name], definition: definition, repetition: repetition)
    }
  }

  private mutating func take() throws(ParquetFailure) -> ParquetFooter.Element {
    guard next < elements.count else { throw .damaged("its schema ends too early") }
    next += 1
    guard elements[next - 1].name.utf8.count <= Self.longestName else {
      throw ParquetFailure("the name of a column is longer than \(Self.longestName) bytes")
    }
    return elements[next - 1]
  }

  private mutating func children(_ count: Int, _ place: Place) throws(ParquetFailure) -> [Member] {
    guard count >= 0, count <= elements.count - next else { throw .damaged("its schema ends too early") }
    var members: [Member] = []
    for _ in 0..<count {
      guard next < elements.count else { throw .damaged("its schema ends too early") }
      let name = elements[next].name
      let node = try node(place)
      var lead: [UInt8] = []
      JSONText.append(quoted: name, to: &lead)
      lead.append(UInt8(ascii: ":"))
      if case .leaf(let leaf) = node.kind { leaves[leaf].lead = lead }
      if place.path.isEmpty { names.append(name) }
      members.append(Member(node: node, lead: lead))
    }
    return members
  }

  /// Reads the next element with all below it.
  private mutating func node(_ parent: Place) throws(ParquetFailure) -> Node {
    let element = try take()
    var place = parent.below(element.name)
    guard place.path.count <= Self.deepest else { throw ParquetFailure("its columns are nested too deeply") }
    let start = leaves.count
    switch element.repetition {
    case 0: return try content(element, place, present: 0)
    case 1:
      place.definition += 1
      return try content(element, place, present: UInt32(place.definition))
    case 2:
      // A list without a group around it.
      place.definition += 1
      place.repetition += 1
      let inner = try content(element, place, present: 0)
      return Node(.list(inner, Self.repetition(place)), present: 0, leaves: start..<leaves.count)
    default: throw .damaged("its schema has an unknown repetition")
    }
  }

  private static func repetition(_ place: Place) -> Repetition {
    Repetition(definition: UInt32(place.definition), repetition: UInt32(place.repetition))
  }

  /// Reads what is below an element whose levels are counted in `place`.
  private mutating func content(
    _ element: ParquetFooter.Element, _ place: Place, present: UInt32
  ) throws(ParquetFailure) -> Node {
    let start = leaves.count
    if element.type != nil && element.childCount == 0 {
      leaves.append(try leaf(element, place))
      return Node(.leaf(start), present: present, leaves: start..<start + 1)
    }
    let kind: Node.Kind
    let repeats = element.childCount == 1 && next < elements.count && elements[next].repetition == 2
    switch element.meaning {
    case .list where repeats: kind = try list(named: element.name, place)
    case .map where repeats && (1...2).contains(elements[next].childCount): kind = try map(place)
    default: kind = .object(try children(element.childCount, place))
    }
    guard leaves.count > start else {
      throw ParquetFailure("its group \(place.path.joined(separator: ".")) has no columns")
    }
    return Node(kind, present: present, leaves: start..<leaves.count)
  }

  private mutating func list(named name: String, _ outer: Place) throws(ParquetFailure) -> Node.Kind {
    let repeated = try take()
    var place = outer.below(repeated.name)
    place.definition += 1
    place.repetition += 1
    let isWrapper =
      repeated.type == nil && repeated.childCount == 1 && repeated.name != "array" && repeated.name != "\(name)_tuple"
      && next < elements.count && elements[next].repetition != 2
    let element = isWrapper ? try node(place) : try content(repeated, place, present: 0)
    return .list(element, Self.repetition(place))
  }

  private mutating func map(_ outer: Place) throws(ParquetFailure) -> Node.Kind {
    let repeated = try take()
    var place = outer.below(repeated.name)
    place.definition += 1
    place.repetition += 1
    let start = leaves.count
    let fields = try children(repeated.childCount, place)
    if let first = fields.first, case .leaf(let key) = first.node.kind, leaves[key].form == .text,
      first.node.present == 0, leaves[key].type == .byteArray
    {
      leaves[key].lead = []
      if fields.count > 1, case .leaf(let value) = fields[1].node.kind { leaves[value].lead = [] }
      return .map(key: key, value: fields.count > 1 ? fields[1].node : nil, Self.repetition(place))
    }
    let entry = Node(.object(fields), present: 0, leaves: start..<leaves.count)
    return .list(entry, Self.repetition(place))
  }

  private func leaf(_ element: ParquetFooter.Element, _ place: Place) throws(ParquetFailure) -> Leaf {
    let path = place.path.joined(separator: ".")
    guard let type = element.type.flatMap(ParquetFooter.PhysicalType.init(rawValue:)) else {
      throw .damaged("column \(path) has an unknown type")
    }
    if type == .fixedBytes, !(1...1 << 20).contains(element.typeLength) {
      throw .damaged("values of column \(path) have \(element.typeLength) bytes")
    }
    var form = try ValueForm(type, element, path: path)
    if isNative {
      if case .instant(let units, false) = form { form = .instant(unitsPerSecond: units, isUTC: true) }
      if place.path == [options.objectName], form == .text { form = .object }
    }
    return Leaf(
      path: path, type: type, form: form, width: type == .fixedBytes ? element.typeLength : 0,
      most: (place.definition, place.repetition))
  }
}
