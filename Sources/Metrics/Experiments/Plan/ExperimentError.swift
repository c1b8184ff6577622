public import Basics

/// An error that prevents an experiment's readout.
public enum ExperimentError: ReadableError, Equatable {
  /// - known: `app/experiment`, in byte order.
  case unknownExperiment(String, known: [String])
  /// No user is exposed within the selection, although the store has the experiment.
  ///
  /// - asked: The selection, such as `start 2026-03-01T00:00:00.000Z`; seen: `app from … to …`, in byte order; values: which
  ///   values a filter may have, a sentence.
  case nobodyExposed(String, asked: [String], seen: [String], values: String?)
  case unknownApp(String, known: [String])
  case unknownVariant(key: String, String, seen: [String])
  /// A planned variant that no user saw, although users saw one of nearly its name.
  case unseenVariant(String, seen: [String])
  case unknownMetric(key: String, String, known: [String])
  case unsupportedDimension(option: String, String)
  case cohortLooksAhead(String)
  /// More variants than a page compares.
  case manyVariants(String, count: Int, most: Int)

  public var isOfPlan: Bool {
    switch self {
    case .unknownApp, .unknownVariant, .unseenVariant, .unknownMetric: true
    case .unknownExperiment, .nobodyExposed, .unsupportedDimension, .cohortLooksAhead, .manyVariants: false
    }
  }

  private static let noneSeen =
    "no event of the store names an experiment: send `experiment` and `variant` with paywall views; or load the files "
    + "into a new store with `init --set 'experiment={value: NAME}'`, or with that field in the mapping"

  /// The first names of many.
  private static func some(_ names: [String]) -> String {
    let most = 12
    return names.prefix(most).joined(separator: ", ")
      + (names.count > most ? " and \(names.count - most) more, which `tollgate experiments` lists" : "")
  }

  /// The name that may be meant: a near one, or else the only one that the name is a part of.
  private static func hint(_ name: String, _ known: [String]) -> String {
    let near = NearName.hint(name, in: known)
    let longer = known.filter { $0.lowercased().contains(name.lowercased()) }
    return near.isEmpty && longer.count == 1 ? "; did you mean \(longer[0])?" : near
  }

  public var description: String {
    switch self {
    case .unknownExperiment("", let known):
      known.isEmpty
        ? Self.noneSeen
        : "name one of the store's experiments: \(Self.some(known))"
    case .unknownExperiment(let name, let known):
      "no user saw the experiment \(name); "
        + (known.isEmpty ? Self.noneSeen : "experiments in the store: \(Self.some(known))") + Self.hint(name, known)
    case .nobodyExposed(let name, let asked, let seen, let values):
      "no user saw the experiment \(name) with \(asked.joined(separator: ", ")). "
        + (values ?? "Users saw it in \(seen.joined(separator: ", in ")): choose among these")
    case .unknownApp(let name, let known):
      "app is \(name), but must be one of the store's: \(known.joined(separator: ", "))\(NearName.hint(name, in: known))"
    case .unknownVariant(let key, let name, let seen):
      "\(key) is \(name), but must be one of the variants: \(seen.joined(separator: ", "))\(NearName.hint(name, in: seen))"
    case .unseenVariant(let name, let seen):
      "variants names \(name), which no user saw; users saw \(seen.joined(separator: ", "))\(NearName.hint(name, in: seen))"
    case .unknownMetric(let key, let name, let known):
      "\(key) is \(name), but must be one of the metrics: \(known.joined(separator: ", "))"
        + NearName.hint(name, in: known)
    case .unsupportedDimension(let option, let name):
      "\(option) is \(name), but experiments are split only by what no variant can change: "
        + (ClientSegments.dimensions + (option == "--cut" ? [] : Dimension.periods)).map(\.name).joined(separator: ", ")
    case .manyVariants(let name, let count, let most):
      "\(name) has \(count) variants, and a page compares at most \(most): read it out with `tollgate experiment \(name)`"
    case .cohortLooksAhead(let name):
      "--where is cohort:\(name), but its members are chosen by what they did, even after they saw the experiment, "
        + "and a variant can change that: choose them by their first event, or end the cohort (to) before the plan's start"
    }
  }
}
