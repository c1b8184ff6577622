import ArgumentParser
import Calculator

struct CalcSampleRatioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "srm", abstract: "Check whether users were split as planned.",
    discussion: "For example: tollgate calc srm --observed 44700,45489 --weights 50,50")

  @OptionGroup var common: CommonOptions
  @OptionGroup var output: CalcOptions

  @Option(help: ArgumentHelp("Users in each arm, such as 4470,4548.", valueName: "n,n[,…]"))
  var observed: NumberList

  @Option(help: ArgumentHelp("Planned shares, one number per arm (default: even).", valueName: "w,w[,…]"))
  var weights: NumberList?

  @Option(help: ArgumentHelp("Significance level of the alarm.", valueName: "share"))
  var alpha = Share(value: 0.001)

  func validate() throws {
    try alpha.requireInside("--alpha")
    let users = observed.values
    guard (2...100).contains(users.count), users.allSatisfy({ $0 >= 0 && $0.rounded() == $0 && $0 <= 1e12 }) else {
      throw ValidationError("--observed must be two or more whole numbers, such as 4470,4548")
    }
    guard let weights = weights?.values else { return }
    guard weights.count == users.count else {
      throw ValidationError("--weights has \(weights.count) numbers, but --observed has \(users.count)")
    }
    guard weights.allSatisfy({ $0 == 0 || (1e-6...1e6).contains($0) }), weights.count(where: { $0 > 0 }) >= 2 else {
      throw ValidationError("--weights must be 0 or from 0.000001 to 1000000, and two of them above 0")
    }
  }

  func run() {
    output.show(
      SampleRatioQuestion(
        observed: observed.values, weights: weights?.values ?? observed.values.map { _ in 1 }, alpha: alpha.value
      ).answer)
  }
}

/// A list of numbers separated by commas.
struct NumberList: ExpressibleByArgument {
  let values: [Double]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard !parts.isEmpty, parts.allSatisfy({ $0?.isFinite == true }) else { return nil }
    values = parts.compactMap { $0 }
  }
}
