import ArgumentParser
import Basics
import EventModel
import Foundation
import Ingest
import Store

struct MappingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mapping", abstract: "Check a mapping file; its help says how to write one.",
    discussion: hanging(MappingReference.text), subcommands: [Check.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Check a mapping file, explain it, and try it on sample data.")

    @OptionGroup var log: LogOptions

    @Argument(help: ArgumentHelp("Mapping file.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(
      help: ArgumentHelp("Files to try the mapping on; nothing is stored (repeatable).", valueName: "data"),
      completion: .file())
    var sample: [String] = []

    func run() throws {
      let yaml = String(decoding: try SourceOptions.content(of: file), as: UTF8.self)
      let mapping = try MappingFile(yaml: yaml, file: file)
      if !log.quiet { for line in mapping.explanation { printShown(line) } }
      guard !sample.isEmpty else { return }
      let inputs = try InputFile.discover(sample)
      var settings = SourceSettings()
      settings.mapping = mapping
      let preview = try IngestPreview(inputs, settings, storePath: "")
      if !log.quiet {
        printShown("")
        preview.printText()
      }
      var faults: [String] = []
      do {
        faults = try mapping.findings(in: inputs)
      } catch {
        faults.append("\(error.path): \(error.reason)")
      }
      for (reason, count) in IngestPreview.sorted(preview.summary.quarantined) {
        faults.append("\(grouped(count)) records would be rejected: \(reason)\(Self.hint(reason))")
      }
      if faults.isEmpty { return }
      for fault in faults { LogFormat.warn("\(file): \(fault)", behind: "") }
      throw ExitCode(ExitStatus.usage.rawValue)
    }

    /// The key to add, if the reason says what is missing.
    private static func hint(_ reason: String) -> String {
      let parts = reason.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0] == "missing" else { return "" }
      switch parts[1] {
      case "app": return "; add `app: {value: NAME}`"
      case "user_id": return "; check the path of `user`"
      case "event": return "; check the path of `name`"
      case "ts": return "; check the path of `time`"
      default: return "; add `fields: {\(parts[1]): PATH}`"
      }
    }
  }
}

/// Returns a text whose long lines go on below the second column, as help folds lines of 80 columns and more.
private func hanging(_ text: String) -> String {
  let width = 79
  return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
    guard line.count > width, let start = line.firstMatch(of: /^ *\S.*? {2,}/) ?? line.firstMatch(of: /^ */) else {
      return [String(line)]
    }
    var lines = [String(start.output)]
    for word in line[start.range.upperBound...].split(separator: " ") {
      if lines[lines.count - 1].count + word.count + 1 > width {
        lines.append(String(repeating: " ", count: start.output.count))
      }
      lines[lines.count - 1] += (lines[lines.count - 1].hasSuffix(" ") ? "" : " ") + word
    }
    return lines
  }.joined(separator: "\n")
}
