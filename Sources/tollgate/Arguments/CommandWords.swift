import ArgumentParser
import Basics
import Foundation
import Metrics

/// Words that call a command inside a file or behind another command, parsed by the command's own type.
enum CommandWords {
  static func parse(_ words: [String]) throws -> any ParsableCommand {
    var rest = words[...]
    var type: any ParsableCommand.Type = Tollgate.self
    while let name = rest.first, let next = type.configuration.subcommands.first(where: { $0._commandName == name }) {
      type = next
      rest = rest.dropFirst()
    }
    if type == Tollgate.self {
      let name = words.first ?? ""
      let names = type.configuration.subcommands.map { $0._commandName }
      throw UsageError("\(name.isEmpty ? "nothing" : name) is not a command; \(hint(name, after: [], in: names))")
    }
    do {
      return try type.parse(Array(rest))
    } catch  where type.exitCode(for: error) == .validationFailure {
      let message = type.message(for: error)
      let own = WordsOfOtherTools.withoutFarNames(message)
      let sentence = own.hasSuffix(".") ? String(own.dropLast()) : own
      let more = "see `tollgate \(words[0]) --help`"
      throw UsageError(
        WordsOfOtherTools.answer(to: message) ?? (own.hasSuffix("?") ? "\(own) \(more)" : "\(sentence); \(more)"))
    }
  }

  /// Joins options with negative numbers behind them, as in `--horizon=-1`, so that the option can say what it expects.
  static func withNegatives(_ words: some Sequence<String>) -> [String] {
    var joined: [String] = []
    for word in words {
      if let option = joined.last, option.hasPrefix("--"), !option.contains("="), word.starts(with: #/-[0-9.]/#) {
        joined[joined.count - 1] = "\(option)=\(word)"
      } else {
        joined.append(word)
      }
    }
    return joined
  }

  /// Checks the command's name and that no option of one value is given twice, which a parser would pass over.
  ///
  /// - Throws: ``UsageError``.
  static func check(_ words: [String]) throws {
    var rest = words.first == "help" ? words.dropFirst() : words[...]
    var type: any ParsableCommand.Type = Tollgate.self
    var path: [String] = []
    while let name = rest.first, !name.hasPrefix("-"), !type.configuration.subcommands.isEmpty {
      let names = type.configuration.subcommands.map { $0._commandName }
      guard let next = type.configuration.subcommands.first(where: { $0._commandName == name }) else {
        // A default command may take it as its argument.
        if let standard = type.configuration.defaultSubcommand, NearName.meant(by: name, in: names) == nil,
          CommandDescription.arguments(of: standard).contains(where: { $0.kind == "positional" })
        {
          break
        }
        if name == "help" { break }
        let words = (path + [name]).joined(separator: " ")
        throw UsageError("\(words) is not a command; \(hint(name, after: path, in: names))")
      }
      type = next
      path.append(name)
      rest = rest.dropFirst()
    }
    let options = rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
    let repeated = Dictionary(options.map { (String($0.dropFirst(2)), 1) }, uniquingKeysWith: +).filter { $0.value > 1 }
    if repeated.isEmpty { return }
    let single = CommandDescription.arguments(of: type).filter { $0.kind == "option" && !$0.isRepeating }.flatMap(
      \.names)
    if let name = repeated.keys.sorted().first(where: single.contains) {
      throw UsageError("--\(name) is given \(repeated[name] ?? 2) times, but must be given once")
    }
  }

  /// Returns what may be meant by a word that is not a command.
  private static func hint(_ name: String, after path: [String], in names: [String]) -> String {
    let known = path.isEmpty ? WordsOfOtherTools.command(for: name).map { "use \($0)" } : nil
    return known ?? NearName.meant(by: name, in: names).map { "did you mean \($0)?" }
      ?? (path.isEmpty ? "see `tollgate --help`" : "expected one of \(names.joined(separator: ", "))")
  }

  private static func hint(_ name: String, amongReports known: [String]) -> String {
    guard let meant = WordsOfOtherTools.command(for: name), known.contains(meant) else {
      return NearName.hint(name, in: known)
    }
    return "; did you mean \(meant)?"
  }

  /// The command of a report whose numbers users add up to, with options of its own.
  ///
  /// - Throws: ``UsageError`` for another command.
  static func request(_ words: [String], among known: [ReportKind]) throws -> any RequestCommand {
    guard let name = words.first, known.contains(where: { $0.name == name }) else {
      let names = known.map(\.words).joined(separator: ", ")
      throw UsageError(
        "the report is \(words.first ?? "missing"), but must be one of \(names), before its options"
          + hint(words.first ?? "", amongReports: known.map(\.name)))
    }
    guard let command = try parse(words) as? any RequestCommand else {
      throw UsageError("\(name) does not make a report")
    }
    return command
  }
}

/// The arguments of a command, as the parser describes them.
private struct CommandDescription: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable {
      var name: String
    }

    var kind: String
    var isRepeating: Bool
    private var given: [Name]?

    enum CodingKeys: String, CodingKey {
      case kind, isRepeating
      case given = "names"
    }

    var names: [String] { (given ?? []).map(\.name) }
  }

  struct Command: Decodable {
    var arguments: [Argument]?
  }

  var command: Command

  static func arguments(of type: any ParsableCommand.Type) -> [Argument] {
    let described = try? JSONDecoder().decode(Self.self, from: Data(type._dumpHelp().utf8))
    return described?.command.arguments ?? []
  }
}
