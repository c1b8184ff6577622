import ArgumentParser
import Calculator

struct CalcSampleSizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample-size", abstract: "Compute how many users a test needs.",
    discussion: "For example: tollgate calc sample-size --baseline 10% --lift 20% --looks 28")

  @OptionGroup var common: CommonOptions
  @OptionGroup var output: CalcOptions
  @OptionGroup var effect: EffectArguments

  func validate() throws { _ = try effect.question() }

  func run() throws { output.show(try effect.question().answer) }
}
