import FuzzRun
import Metrics

/// `FuzzPlans READER [OPTION...] [FOLDER...]`: libFuzzer over the YAML readers of settings, with libFuzzer's own options.
@main
enum FuzzPlans {
  /// By name; each reads a text, and ends the process where a promise is broken.
  static let readers: [String: @Sendable (String) -> Void] = ["experiment": readExperiment]

  static func main() {
    var arguments = CommandLine.arguments
    guard arguments.count > 1, let reader = readers[arguments[1]] else {
      print("usage: FuzzPlans \(readers.keys.sorted().joined(separator: "|")) [OPTION...] [FOLDER...]")
      return
    }
    arguments.remove(at: 1)
    FuzzRun.run(arguments) { reader(String(decoding: $0, as: UTF8.self)) }
  }

  /// A plan is read the same twice, or refused with the name of the file.
  private static func readExperiment(_ text: String) {
    do {
      let plan = try ExperimentPlan(yaml: text, experiment: "headline", file: "plan.yaml")
      let again = try ExperimentPlan(yaml: text, experiment: "headline", file: "plan.yaml")
      precondition("\(plan)" == "\(again)", "the same text is two plans")
      precondition(plan.minimumLift.isFinite && plan.minimumLift > 0, "a lift that was refused")
    } catch {
      precondition("\(error)".hasPrefix("plan.yaml:"), "an error that does not name the file: \(error)")
    }
  }
}
