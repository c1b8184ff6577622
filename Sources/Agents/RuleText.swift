/// The text of the numbered rules, from the pages Definitions and Decisions, which are embedded in the program.
struct RuleText: Sendable {
  /// Such as `2.10` or `D6.4`.
  var number: String
  /// The words behind the number, such as `Attribution`; `nil` for a rule without.
  var title: String?
  /// The rule in Markdown, without links.
  var text: String

  /// All rules, in the order of the pages.
  static let all: [RuleText] = [PackageResources.definitions_text, PackageResources.decisions_text].flatMap {
    rules(of: String(decoding: $0, as: UTF8.self))
  }

  static func of(_ number: String) -> RuleText? { all.first { $0.number == number } }

  /// Reads a page whose rules are items such as `- **2.10 Attribution.** …`, each up to the next item or heading.
  private static func rules(of page: String) -> [RuleText] {
    var rules: [RuleText] = []
    var names: [String] = []
    var title: String?
    var lines: [Substring] = []
    func end() {
      while lines.last?.isEmpty ?? false { lines.removeLast() }
      let text = lines.joined(separator: "\n").replacing(#/\[([^\]]+)\]\([^)]+\)/#) { String($0.1) }
      rules += names.map { RuleText(number: $0, title: title, text: text) }
      names = []
    }
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if let head = line.prefixMatch(of: #/- \*\*(D?[0-9]+\.[0-9]+(?:, D?[0-9]+\.[0-9]+)*)([^*]*)\*\*/#) {
        end()
        names = head.1.split(separator: ", ").map(String.init)
        let words = head.2.drop { $0 == " " }
        let name = words.hasSuffix(".") ? words.dropLast() : words
        title = name.isEmpty ? nil : String(name)
        lines = [line.dropFirst(2)]
      } else if !line.isEmpty, !line.hasPrefix("  ") {
        end()
      } else if !names.isEmpty {
        lines.append(line.dropFirst(2))
      }
    }
    end()
    return rules
  }
}
