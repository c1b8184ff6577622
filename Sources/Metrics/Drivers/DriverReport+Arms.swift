internal import Basics
internal import EventModel
internal import Statistics

/// The words of the answer about the arms of an experiment (definitions 10.9).
extension DriverReport {
  /// Names the metric and the arms, where all apps compare the same ones.
  var armsTitle: String? {
    guard let first = arms.first else { return nil }
    let title = "\(request.experiment.experiment): where “\(first.metric.name)” differs"
    return pair.map { "\(title), \($0.treatment) against \($0.control)" } ?? title
  }

  /// The arms, if all apps compare the same ones.
  private var pair: (treatment: String, control: String)? {
    let pairs = Set(arms.map { [$0.treatment, $0.control] })
    guard pairs.count == 1, let pair = pairs.first, pair[0] != "" else { return nil }
    return (pair[0], pair[1])
  }

  var armsParameters: [Report.Parameter] {
    arms.isEmpty
      ? []
      : [
        .init(name: "experiment", value: request.experiment.experiment),
        .init(name: "treatment", value: pair?.treatment ?? "none"),
      ]
  }

  /// The answer in one sentence.
  func sentence(_ arms: ExperimentArms, _ number: ComparedNumber, _ found: [DriverSearch.Found], isAlone: Bool)
    -> String
  {
    var name = isAlone ? "" : "\(arms.app): "
    if !isAlone, pair == nil, !arms.treatment.isEmpty { name += "\(arms.treatment) against \(arms.control): " }
    if !arms.reason.isEmpty { return "\(name)not known: \(arms.reason)" }
    if let empty = [(number.beforeCount, arms.control), (number.nowCount, arms.treatment)].first(where: { $0.0 == 0 }) {
      return "\(name)not known: of \(empty.1), no \(arms.units == "users" ? "user" : "user with a trial") counts yet"
    }
    let answer =
      arms.isSampleRatioOff
      ? "users were not split as planned, so differences may come from who is in each arm"
      : found.contains { $0.p <= question.level }
        ? "the difference is not the same everywhere"
        : arms.areLargeEnough
          ? "no segment is shown to differ from the rest"
          : "too few \(arms.units) to say how large the difference is: each arm needs \(AsymptoticSequence.leastUsers), with "
            + "\(AsymptoticSequence.leastOutcomes) who have the outcome and as many who do not"
    return "\(name)\(answer). Segments were searched after the fact: the verdict is that of "
      + "`\(CommandLineText(["tollgate", "experiment", request.experiment.experiment] + question.files))`"
  }

  /// The command that lists a segment's users in the treatment.
  func explain(_ arms: ExperimentArms, _ segment: DriverSegment, of table: DriverCounts) -> String {
    let cut = segment.cut.map { table.dimensions[$0] }
    var words = ["tollgate", "explain", kind.name, request.experiment.experiment] + question.files
    words += ["--app", arms.app, "--key", "variant=\(arms.treatment)", "--column", arms.metric.name]
    words += repeated(request.options.filters, of: cut)
    words += segment.cut.indices.flatMap { ["--where", table.name(segment, place: $0)] }
    return "\(CommandLineText(words))"
  }
}
