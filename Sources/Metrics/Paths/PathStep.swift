internal import Basics
internal import Lifecycle

/// A step of a path as an outcome of an experiment's users: the exposure takes the place of the path's entry
/// (definitions 11.9).
public struct PathStep: Sendable, Equatable {
  enum Path: Sendable, Equatable {
    case checkout(CheckoutPath.Step)
    /// A path of the plan's file, whose last step counts.
    case ofFile(PathPlan)
  }

  var path: Path

  public var name: String {
    switch path {
    case .checkout(let step): step.rawValue
    case .ofFile(let plan): plan.steps.last?.name ?? ""
    }
  }

  public var pathName: String {
    switch path {
    case .checkout: PathPlan.checkoutName
    case .ofFile(let plan): plan.name
    }
  }

  /// - Parameter paths: The paths of the plan's file.
  init(path value: YAMLValue, step: YAMLValue?, among paths: [PathPlan]) throws(ConfigurationError) {
    let name = try value.text()
    guard let step else { throw value.failure("needs a step, such as step: \(CheckoutPath.Step.sheet.rawValue)") }
    let wanted = try step.text()
    if name == PathPlan.checkoutName {
      guard let found = CheckoutPath.Step(rawValue: wanted) else {
        throw Self.failure(step, wanted, CheckoutPath.Step.allCases.map(\.rawValue))
      }
      path = .checkout(found)
      return
    }
    guard let plan = paths.first(where: { $0.name == name }) else {
      throw Self.failure(value, name, [PathPlan.checkoutName] + paths.map(\.name))
    }
    guard let cut = plan.cut(after: wanted) else { throw Self.failure(step, wanted, plan.steps.map(\.name)) }
    if let own = cut.stepOfEntryTrial {
      throw step.failure(
        "is \(wanted), but \(own.name) ends with the trial of the path's entry, whose place the exposure takes: give it a "
          + "within")
    }
    path = .ofFile(cut)
  }

  private static func failure(_ value: YAMLValue, _ text: String, _ known: [String]) -> ConfigurationError {
    value.failure("is \(text), but must be one of \(known.joined(separator: ", "))\(NearName.hint(text, in: known))")
  }

  /// Returns the time after the exposure in which the step can be reached, in ms: for a path of
  /// a file, ``PathPlan/horizon(trial:)``.
  ///
  /// - Parameter trial: The length of a trial with its grace, in ms.
  func horizon(trial: Int64) -> Int64 {
    switch path {
    case .checkout(.paid): FoldOptions.attributionWindow + trial
    case .checkout: FoldOptions.attributionWindow
    case .ofFile(let plan): plan.horizon(trial: trial)
    }
  }

  /// Returns when users reached the step, in ms by user; implements definitions 11.9.
  ///
  /// - Returns: `nil` if no event tells of the step.
  func reached(by users: [ExposedUser], _ exposed: ExposedPersons) throws -> [Int32: Int64]? {
    let exposures = Dictionary(users.map { ($0.person, $0.exposedAt) }, uniquingKeysWith: min)
    switch path {
    case .checkout(let step): return try CheckoutPath.reached(step, exposed.query, from: exposures)
    case .ofFile(let plan):
      return try PathWalk.reached(
        exposed.query, plan, from: exposures, to: exposed.query.facts.name(Int(exposed.experiment)))
    }
  }
}
