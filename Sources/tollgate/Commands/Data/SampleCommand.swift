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
    abstract: "Writes deterministic event files of four apps, with a known true effect of each variant.",
    discussion: """
      The same seed, size and days give the same bytes on every machine; SampleData/README.md has the truth.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("A new or empty folder to write to.", valueName: "folder"), completion: .directory)
  var output: String

  @Option(help: "What the random numbers begin with.")
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Persons of all apps together (default: 10000).", valueName: "n"))
  var persons: Int?

  @Option(help: ArgumentHelp("Events of all apps together, instead of persons; met within about 3 %.", valueName: "n"))
  var events: Int?

  @Option(help: ArgumentHelp("First day.", valueName: "day"))
  var firstDay = CivilDate(year: 2026, month: 1, day: 5)

  @Option(help: "Days.")
  var days = 84

  @Option(help: ArgumentHelp("One app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @Option(help: "zstd or none.")
  var compression: Compression = .zstd

  @Option(help: "Of zstd, 1 to 19.")
  var level = 3

  @Option(help: "Threads; no byte depends on it.")
  var threads = 2

  mutating func validate() throws {
    if persons != nil && events != nil {
      throw ValidationError("--persons and --events are two ways to say one thing")
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
      "\(grouped(summary.persons)) persons, \(grouped(summary.events)) events in \(grouped(summary.files)) files, "
        + String(format: "%.1f MB", Double(summary.storedBytes) / 1e6))
  }
}
