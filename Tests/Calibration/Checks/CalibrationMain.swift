import Basics
import Foundation

/// Tests the methods of `Statistics` on data with a known truth: `make calibrate`.
///
///     Calibration [--repetitions 20000] [--width 3] [--only daily-looks,revenue]
@main
enum Main {
  static func main() {
    var (repetitions, width, only) = (20_000, 3.0, Set<String>())
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() {
      let value = words.popFirst()
      switch (word, value) {
      case ("--repetitions", let value?) where (Int(value) ?? 0) >= 1: repetitions = Int(value) ?? repetitions
      case ("--width", let value?) where (Double(value) ?? 0) > 0: width = Double(value) ?? width
      case ("--only", let value?): only = Set(value.split(separator: ",").map(String.init))
      default: refuse("\(word) \(value ?? "")")
      }
    }
    let unknown = only.subtracting(Family.all.map(\.name))
    if !unknown.isEmpty { refuse("--only \(unknown.sorted().joined(separator: ","))") }
    let families = Family.all.filter { only.isEmpty || only.contains($0.name) }
    let count = repetitions
    let checks = families.concurrentMap { family in
      FileHandle.standardError.write(Data("\(family.name) ...\n".utf8))
      return family.checks(count)
    }.flatMap { $0 }
    let table = Table(checks: checks, width: width)
    print(table.text)
    print("\n\(checks.count) checks of \(repetitions) repetitions, \(table.failures) failed")
    exit(table.failures == 0 ? 0 : 1)
  }

  private static func refuse(_ words: String) -> Never {
    let names = Family.all.map(\.name).joined(separator: ",")
    FileHandle.standardError.write(
      Data("\(words) is not one of --repetitions N, --width STANDARD_ERRORS, --only \(names)\n".utf8))
    exit(2)
  }
}
