import ArgumentParser
import Basics
import EventModel
import Foundation
import Metrics
import Reports
import Store

struct QuarantineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine", abstract: "List, show and retry rejected lines.",
    subcommands: [List.self, Show.self, Retry.self], defaultSubcommand: List.self)

  struct List: RequestCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List rejected lines by reason, with the fix for each.")

    @OptionGroup var common: CommonOptions

    @Option("reason", of: .quarantine) var reason: [String]

    @Option(help: "What a row of a table is: a reason, or a line.")
    var by: Rows = .reason

    enum Rows: String, CaseIterable, ExpressibleByArgument {
      case reason
      case line
    }

    @OptionGroup(title: "Output")
    var output: OutputArguments

    @Flag(help: "Also show the text of each example.")
    var raw = false

    func adjust(_ options: inout RenderOptions) {
      options.isByLine = by == .line
      options.showsRaw = raw
    }

    func request() throws -> ReportRequest { try ReportRequest(.quarantine, [.init("reason", reason)]) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Print each rejected line with its reason and fix.",
      discussion: "On a terminal, control characters are shown by their numbers.")

    @OptionGroup var common: CommonOptions

    @Argument(help: "Numbers from `quarantine list --by line` (default: all).")
    var ids: [Int64] = []

    @Option(help: ArgumentHelp("Show only this reason, such as missing:ts.", valueName: "reason"))
    var reason: String?

    func run() throws {
      let store = try Store.open(readOnly: common.storePath)
      let isTerminal = isatty(STDOUT_FILENO) == 1
      try store.read { snapshot in
        let lines =
          ids.isEmpty
          ? try snapshot.quarantine(reason: reason)
          : try ids.flatMap { id in
            let lines = try snapshot.quarantine(id: id, reason: reason)
            if lines.isEmpty { throw UsageError("quarantine has no line \(id); see `tollgate quarantine list`") }
            return lines
          }
        if lines.isEmpty, let reason {
          var request = try ReportRequest(.quarantine, [.init("reason", [reason])])
          request.isForPeople = true
          LogFormat.warn(try request.run(snapshot).emptyNote ?? "no line was rejected")
        }
        for line in lines {
          if !common.quiet {
            let place = ReportMarkup.shown(
              "\(line.file):\(line.line.map(String.init) ?? "?"): \(line.reason). \(Quarantine.fix(line.reason))")
            FileHandle.standardError.write(Data("\(place)\n".utf8))
          }
          print(isTerminal ? ReportMarkup.shown(line.raw) : line.raw)
        }
      }
    }
  }

  struct Retry: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "retry", abstract: "Retry rejected lines after you change settings or update the program."
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "Numbers from `quarantine list --by line` (default: all).")
    var ids: [Int64] = []

    @OptionGroup(title: "Sources")
    var sources: SourceArguments

    @OptionGroup var lock: LockArguments

    func run() throws {
      let store = try lock.open(common.storePath)
      for id in ids where try store.read({ try $0.quarantine(id: id) }).isEmpty {
        throw UsageError("quarantine has no line \(id); see `tollgate quarantine list`")
      }
      let ingestion = Ingestion(store: store, lockTimeout: lock.lockTimeout, sources: try sources.settings())
      let summary = try ingestion.retryQuarantine(ids: ids.isEmpty ? nil : ids)
      try ReportCache.fill(store)
      let remaining = summary.remaining.values.reduce(summary.unread, +)
      if common.quiet { return }
      print("\(counted(summary.released, "line")) accepted, \(grouped(remaining)) still rejected")
      if summary.unread > 0 {
        LogFormat.warn(
          "\(counted(summary.unread, "line")) can only be read with the file's mapping: correct it, then run "
            + "`tollgate ingest --mapping MAPPING FILE` again", behind: "")
      }
    }
  }
}
