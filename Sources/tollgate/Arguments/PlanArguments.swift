import ArgumentParser
import Foundation
import Metrics

/// The plans of experiments, by which verdicts are made.
struct PlanArguments: ParsableArguments {
  @Option(
    name: .customLong("plans"),
    help: ArgumentHelp("Folder with the plans of experiments (YAML).", valueName: "folder"), completion: .directory)
  var folder: String?

  func files() throws -> [PlanFile] { try folder.map { try PlanFile.all(in: $0) } ?? [] }

  /// The option with the whole path.
  var words: [String] { folder.map { ["--plans=\(URL(fileURLWithPath: $0).standardizedFileURL.path)"] } ?? [] }
}
