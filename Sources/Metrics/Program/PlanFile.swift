public import Basics
internal import Foundation

/// A plan read from a file of a folder.
public struct PlanFile: Sendable {
  public var file: String
  public var experiment: String
  public var plan: ExperimentPlan
  /// The file's contents.
  public var text: String

  /// Reads the plans of a folder from its `.yaml` and `.yml` files, in byte order of their names.
  ///
  /// - Throws: ``ConfigurationError`` if the folder does not exist, a file is not a plan or names no experiment, or two
  ///   plans have the same experiment and app.
  public static func all(in folder: String) throws(ConfigurationError) -> [PlanFile] {
    func failure(_ problem: String) -> ConfigurationError {
      ConfigurationError(file: folder, line: nil, key: "", problem: problem)
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      throw failure("no such folder; expected the folder with the plan files")
    }
    guard isFolder.boolValue else { throw failure("is a file, but must be the folder with the plan files") }
    guard let all = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw failure("cannot be read")
    }
    let names = all.filter { !$0.hasPrefix(".") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) }
      .sorted(by: precedesInBytes)
    var plans: [PlanFile] = []
    for name in names {
      let path = URL(fileURLWithPath: folder).appendingPathComponent(name).relativePath
      let file = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      guard let bytes = FileManager.default.contents(atPath: path) else {
        throw ConfigurationError(file: file, line: nil, key: "", problem: "cannot be read")
      }
      let plan = try PlanFile(yaml: String(decoding: bytes, as: UTF8.self), file: file)
      let twin = plans.first {
        $0.experiment == plan.experiment && ($0.plan.app == nil || plan.plan.app == nil || $0.plan.app == plan.plan.app)
      }
      if let twin {
        throw ConfigurationError(
          file: file, line: nil, key: "experiment",
          problem: "is \(plan.experiment), which \(twin.file) plans already")
      }
      plans.append(plan)
    }
    return plans
  }

  /// - Throws: ``ConfigurationError`` with file and line.
  public init(yaml text: String, file: String) throws(ConfigurationError) {
    let root = try YAMLValue.root(of: text, file: file)
    guard let name = try root.members().first(where: { $0.name == "experiment" }) else {
      throw ConfigurationError(
        file: file, line: nil, key: "experiment", problem: "is missing, but must name the experiment of the plan")
    }
    (self.file, self.text) = (file, text)
    experiment = try name.value.text()
    plan = try ExperimentPlan(yaml: text, experiment: experiment, file: file)
  }
}

extension [PlanFile] {
  /// The plan of an experiment in an app; a plan without an app applies to every app.
  func plan(of experiment: String, app: String) -> PlanFile? {
    first { $0.experiment == experiment && ($0.plan.app ?? app) == app }
  }
}
