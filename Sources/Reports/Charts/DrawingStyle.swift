import Basics
import Metrics

/// The stylesheet's rules for drawings, which a picture of its own has as attributes (SVG 2, section 6.6).
struct DrawingStyle: Sendable {
  /// In the colours of a light page.
  static let light = DrawingStyle(Design.stylesheet)

  private struct Compound: Sendable {
    var tag: String?
    var classes: Set<String>
  }

  private struct Rule: Sendable {
    /// The element and what it is in, outermost first.
    var path: [Compound]
    var properties: [(name: String, value: String)]
    /// Classes count more than tags, and later rules more than earlier ones.
    var weight: (classes: Int, tags: Int)
  }

  /// Properties that are attributes as well.
  private static let attributes: Set = [
    "fill", "fill-opacity", "font-family", "font-size", "font-weight", "opacity", "overflow", "paint-order", "stroke",
    "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-width", "text-anchor", "vector-effect",
  ]

  private var rules: [Rule] = []

  /// - Parameter stylesheet: Without comments; rules for some screens only are left out.
  private init(_ stylesheet: String) {
    var tokens: [String: String] = [:]
    for (selectors, body) in Self.blocks(stylesheet) where !selectors.hasPrefix("@") {
      let properties = body.split(separator: ";").compactMap { line -> (name: String, value: String)? in
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmed }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
      }
      if selectors == ":root" { for one in properties { tokens[one.name] = one.value } }
      let known = properties.flatMap(Self.parts).filter { Self.attributes.contains($0.name) }.map { one in
        (one.name, Self.value(one.value, tokens))
      }
      if known.isEmpty { continue }
      for selector in selectors.split(separator: ",") {
        let words = selector.split(whereSeparator: \.isWhitespace)
        guard selector.allSatisfy({ $0.isLetter || $0.isNumber || ". -\n".contains($0) }) else { continue }
        let path = words.map { word in
          let parts = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
          return Compound(tag: parts[0].isEmpty ? nil : parts[0], classes: Set(parts.dropFirst()))
        }
        rules.append(
          Rule(
            path: path, properties: known,
            weight: (path.reduce(0) { $0 + $1.classes.count }, path.count { $0.tag != nil })))
      }
    }
    rules.append(
      Rule(
        path: [Compound(tag: "rect", classes: ["ground"])], properties: [("fill", Self.value("var(--card)", tokens))],
        weight: (1, 1)))
    rules = rules.enumerated().sorted { left, right in
      let (a, b) = (left.element.weight, right.element.weight)
      return (a.classes, a.tags, left.offset) < (b.classes, b.tags, right.offset)
    }.map(\.element)
  }

  /// The outermost blocks, with what stands before each.
  private static func blocks(_ text: String) -> [(selectors: String, body: String)] {
    var blocks: [(selectors: String, body: String)] = []
    var (depth, selectors, body) = (0, "", "")
    for character in text {
      if character == "}" {
        depth -= 1
        if depth == 0 {
          blocks.append((selectors.trimmed, body))
          (selectors, body) = ("", "")
          continue
        }
      }
      if depth == 0, character != "{" { selectors.append(character) }
      if depth > 0 { body.append(character) }
      if character == "{" { depth += 1 }
    }
    return blocks
  }

  /// `font` in its parts: weight, size and family; others as they are.
  private static func parts(_ property: (name: String, value: String)) -> [(name: String, value: String)] {
    let words = property.value.split(separator: " ", maxSplits: 2).map(String.init)
    guard property.name == "font", words.count == 3 else { return [property] }
    return Array(zip(["font-weight", "font-size", "font-family"], words))
  }

  private static func value(_ text: String, _ tokens: [String: String]) -> String {
    // Transparent areas only catch the pointer, and some programs do not know the word.
    if text == "transparent" { return "none" }
    guard text.hasPrefix("var("), text.hasSuffix(")") else { return text }
    return tokens[String(text.dropFirst(4).dropLast())] ?? text
  }

  /// Returns a drawing whose elements have attributes in place of classes, without those that are for narrow screens.
  func inlined(_ drawing: String) -> String {
    var result = ""
    var open: [Compound] = []
    /// How deep the element lies that is left out.
    var hidden: Int?
    for (number, piece) in drawing.split(separator: "<", omittingEmptySubsequences: false).enumerated() {
      guard number > 0, let end = piece.firstIndex(of: ">") else {
        result += piece
        continue
      }
      let text = piece[piece.index(after: end)...]
      var tag = piece[..<end]
      if tag.hasPrefix("/") {
        open.removeLast()
        if hidden == nil { result += "<\(tag)>\(text)" }
        if hidden == open.count {
          hidden = nil
          result += text
        }
        continue
      }
      let isEmpty = tag.hasSuffix("/")
      if isEmpty { tag = tag.dropLast() }
      let name = String(tag.prefix { $0 != " " })
      var rest = String(tag.dropFirst(name.count))
      var element = Compound(tag: name, classes: [])
      if let range = rest.firstRange(of: #/ class="[^"]*"/#) {
        element.classes = Set(rest[range].dropFirst(8).dropLast().split(separator: " ").map(String.init))
        rest.removeSubrange(range)
      }
      open.append(element)
      if hidden == nil, element.classes.contains("narrowonly") { hidden = open.count - 1 }
      if hidden == nil {
        result += "<\(name)\(rest)\(attributes(open, besides: rest))\(isEmpty ? "/" : "")>\(text)"
      }
      if isEmpty {
        open.removeLast()
        if hidden == open.count {
          hidden = nil
          result += text
        }
      }
    }
    return result
  }

  private func attributes(_ path: [Compound], besides own: String) -> String {
    var found: [String: String] = [:]
    for rule in rules where Self.matches(rule.path, path) {
      for one in rule.properties { found[one.name] = one.value }
    }
    if path.last?.classes.contains("hit") ?? false { found["pointer-events"] = "all" }
    return found.sorted { precedesInBytes($0.key, $1.key) }.filter { !own.contains(" \($0.key)=") }
      .map { " \($0.key)=\"\(htmlLiteral($0.value))\"" }.joined()
  }

  private static func matches(_ rule: [Compound], _ path: [Compound]) -> Bool {
    func fits(_ wanted: Compound, _ element: Compound) -> Bool {
      (wanted.tag == nil || wanted.tag == element.tag) && wanted.classes.isSubset(of: element.classes)
    }
    guard let last = rule.last, let element = path.last, fits(last, element) else { return false }
    var outer = rule.dropLast()
    for element in path.dropLast().reversed() {
      guard let wanted = outer.last else { break }
      if fits(wanted, element) { outer.removeLast() }
    }
    return outer.isEmpty
  }
}
