internal import EventModel
package import Simulation

extension SampleOptions {
  /// The options of the committed `SampleData/events`.
  package static let sampleData = SampleOptions(
    seed: 2027, size: .persons(11_500), firstDay: CivilDate(year: 2026, month: 1, day: 5), days: 70,
    compression: .zstd(level: 19))

  /// Returns the command that generates a sample with these options, on one line; without the number of threads, which
  /// does not affect the output.
  package func command(output directory: String) -> String {
    var words = ["tollgate", "sample", "--seed", String(seed)]
    switch size {
    case .persons(let persons): words += ["--persons", String(persons)]
    case .events(let events): words += ["--events", String(events)]
    }
    words += ["--first-day", firstDay.description, "--days", String(days)]
    if apps != Truth.standard.apps.map(\.name) { words += apps.flatMap { ["--app", $0] } }
    switch compression {
    case .none: words += ["--compression", "none"]
    case .zstd(let level): words += ["--level", String(level)]
    }
    return (words + ["--output", directory]).joined(separator: " ")
  }
}
