import ArgumentParser
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
    if type == Tollgate.self { throw UsageError("\(words.first ?? "nothing") is not a command; see `tollgate --help`") }
    return try type.parse(Array(rest))
  }

  /// The command of a report whose numbers users add up to, with options of its own.
  ///
  /// - Parameter isExplained: Whether the report is wanted for the explanation of a number.
  /// - Throws: ``UsageError`` for another command.
  static func request(_ words: [String], isExplained: Bool) throws -> any RequestCommand {
    let known = ReportKind.all.filter { isExplained ? $0.isExplainable : ReportKind.explained.contains($0) }.map(\.name)
    guard let name = words.first, known.contains(name) else {
      let names = known.map { $0 == ReportKind.experiment.name ? "\($0) NAME" : $0 }
      throw UsageError(
        "the report is \(words.first ?? "missing"), but must be one of \(names.joined(separator: ", ")), before its options"
      )
    }
    guard let command = try parse(words) as? any RequestCommand else {
      throw UsageError("\(name) does not make a report")
    }
    return command
  }
}
