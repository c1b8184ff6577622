import ArgumentParser
import EventModel
import Foundation
import Simulation

struct SampleCommand: ParsableCommand {
  enum Compression: String, CaseIterable, ExpressibleByArgument {
    case none
    case zstd
  }

  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Write sample event files of four apps whose true rates are known.",
    discussion: """
      Runs with the same seed, size and days write the same bytes on every machine. SampleData/README.md lists the true rates.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("New or empty folder to write to.", valueName: "folder"), completion: .directory)
  var output: String

  @Option(help: "Random seed.")
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Number of users, all apps together (default: 10000).", valueName: "n"))
  var persons: Int?

  @Option(
    help: ArgumentHelp("Number of events, all apps together, instead of users; accurate to about 3%.", valueName: "n"))
  var events: Int?

  @Option(
    help: ArgumentHelp("First day, such as 2026-01-05.", valueName: "day"), transform: { try calendarDay($0) })
  var firstDay = CivilDate(year: 2026, month: 1, day: 5)

  @Option(help: "Number of days.")
  var days = 84

  @Option(help: ArgumentHelp("One app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @Option(help: "Compression: zstd or none.")
  var compression: Compression = .zstd

  @Option(help: "Compression level of zstd, 1 to 19.")
  var level = 3

  @Option(help: "Number of worker threads. The output does not depend on it.")
  var threads = 2

  mutating func validate() throws {
    if persons != nil && events != nil {
      throw ValidationError("--persons and --events cannot be combined: give one of them")
    }
  }

  func run() throws {
    var options = SampleOptions(
      seed: seed, size: events.map(SampleOptions.Size.events) ?? .persons(persons ?? 10_000), firstDay: firstDay,
      days: days, apps: app.isEmpty ? nil : app, threads: threads)
    options.compression = compression == .none ? .none : .zstd(level: level)
    try options.validate()
    let summary = try SampleWriter(options: options).write(to: output, progress: nil)
    if common.quiet { return }
    print(
      "\(counted(summary.persons, "user")), \(counted(summary.events, "event")) in \(counted(summary.files, "file")), "
        + String(format: "%.1f MB", Double(summary.storedBytes) / 1e6))
  }
}
