internal import Basics
internal import Metrics
internal import Reports
internal import Store

/// The reason why a tool gives no numbers, with the known names and arguments that work (Agents.md, "Refusals").
struct Refusal: Error {
  enum Code: String, CaseIterable {
    case unknownApp = "unknown_app"
    case unknownReport = "unknown_report"
    case unknownDimension = "unknown_dimension"
    case unknownValue = "unknown_value"
    case unknownColumn = "unknown_column"
    /// Also for arguments that a tool does not have, or whose values it does not take.
    case outOfRange = "out_of_range"
    case notMatured = "not_matured"
    case noDenominator = "no_denominator"
    case missingRates = "missing_rates"
    case noSuchData = "no_such_data"
    case tooManyRows = "too_many_rows"
    case ambiguous
    case timeLimit = "time_limit"
  }

  static let mostKnown = 20
  /// So many of the known names are tried.
  static let mostNames = 3

  var code: Code
  var text: String
  var missing: String
  /// The known names, the nearest first.
  var known: [String] = []
  /// Arguments that may work, the likeliest first.
  var attempts: [JSONNode] = []

  init(_ code: Code, _ text: String, missing: String, known: [String] = [], attempts: [JSONNode] = []) {
    self.code = code
    self.text = text
    self.missing = missing
    let near = NearName.meant(by: missing, in: known)
    self.known = Array(((near.map { [$0] } ?? []) + known.filter { $0 != near }).prefix(Self.mostKnown))
    self.attempts = attempts
  }

  /// - Parameter arguments: The arguments of the call that failed.
  init?(_ error: any Error, _ arguments: JSONNode) {
    func without(_ names: String...) -> JSONNode { names.reduce(arguments) { $0.setting($1, to: nil) } }
    switch error {
    case let refusal as Refusal: self = refusal
    case ReportError.unknownApp(let name, let known):
      self.init(.unknownApp, "\(error)", missing: name, known: known)
      attempts = Self.naming("app", self.known, arguments)
    case ReportError.unknownDimension(let name):
      self.init(.unknownDimension, "\(error)", missing: name, known: Dimension.plainNames)
      attempts = ["by", "where", "cut"].map { without($0) } + [without("by", "where", "cut")]
    case ReportError.unknownCohort(let name, let known, _):
      self.init(.unknownValue, "\(error)", missing: name, known: known)
      attempts = Self.naming("where", self.known.map { "cohort:\($0)" }, arguments)
    case ReportError.noCohorts(let name, _):
      self.init(.unknownValue, "\(error)", missing: name, attempts: [without("where")])
    case ReportError.missingRates(let currency, _):
      self.init(.missingRates, "\(error)", missing: currency, known: ["native"])
      attempts = Self.naming("currency", self.known, arguments)
    case ReportError.severalCurrencies(let names, _):
      self.init(.missingRates, "\(error)", missing: names.joined(separator: ", "), known: names)
      attempts = [without("currency")] + Self.naming("currency", self.known, arguments)
    case let error as UnknownColumn:
      self.init(
        .unknownColumn, "\(error)", missing: error.column, known: error.columns,
        attempts: [without("columns"), without("sort"), without("columns", "sort")])
    case ExplanationError.unknownColumn(let name, let known):
      self.init(.unknownColumn, "\(error)", missing: name, known: known)
      attempts = Self.naming("column", self.known, arguments)
    case ExplanationError.keyColumn(let name): self.init(.unknownColumn, "\(error)", missing: name)
    case ExplanationError.unknownKey(let name, let known, _):
      self.init(.unknownDimension, "\(error)", missing: name, known: known, attempts: [without("key")])
    case ExplanationError.noRow(let cell, _, let values):
      let isWrong = { (name: String, value: String) in values[name].map { !$0.contains(value) } ?? false }
      guard let wrong = cell.first(where: { isWrong($0.name, $0.value) }) else {
        self.init(.unknownValue, "\(error)", missing: cell.map { "\($0.name)=\($0.value)" }.joined(separator: ","))
        break
      }
      let known = (values[wrong.name] ?? []).inGroups(by: \.self).map(\.key)
      self.init(.unknownValue, "\(error)", missing: wrong.value, known: known)
      attempts = self.known.prefix(Self.mostNames).map { near in
        let key = cell.map { JSONMember($0.name, .string($0.name == wrong.name ? near : $0.value)) }
        return arguments.setting("key", to: .object(key))
      }
    case ExplanationError.severalRows(_, let missing):
      self.init(.ambiguous, "\(error)", missing: missing.joined(separator: ","))
    case ExplanationError.undefined(let column): self.init(.noDenominator, "\(error)", missing: column)
    case ExplanationError.unlisted(let user, _):
      self.init(.unknownValue, "\(error)", missing: user, attempts: [without("user")])
    case ExplanationError.refused(let column, _): self.init(.noSuchData, "\(error)", missing: column)
    case ExperimentError.unknownExperiment(let name, let known):
      self.init(.unknownValue, "\(error)", missing: name, known: known)
      attempts = Self.naming("name", self.known, arguments)
    case ExperimentError.nobodyExposed(let name, _, _, _):
      self.init(
        .noSuchData, "\(error)", missing: name, attempts: ["app", "where"].map { without($0) })
      attempts.append(without("app", "where", "from", "to", "last", "as_of"))
    case StoreError.tooSlow:
      self.init(.timeLimit, "it takes longer than a call may: ask for fewer apps, days or dimensions", missing: "time")
    case let error as OptionError where error.wrong != nil:
      let (option, value) = error.wrong ?? ("", "")
      self.init(
        option == "column" ? .unknownColumn : .outOfRange, "\(error)", missing: value, known: error.known)
      attempts = Self.naming(option, self.known, arguments)
    case is OptionError, is ReportError, is ExperimentError, is UsageError:
      let text = "\(error)"
      let option = text.firstMatch(of: #/^--([a-z-]+)/#).map { String($0.1).replacing("-", with: "_") } ?? ""
      if option == "column" {
        let kind = arguments["report"]?.text.flatMap(ReportKind.named)
        self.init(.unknownColumn, text, missing: option, known: kind?.columns.map(\.identifier) ?? [])
        attempts = Self.naming("column", self.known, arguments)
        break
      }
      self.init(.outOfRange, text, missing: option, attempts: option.isEmpty ? [] : [without(option)])
    default: return nil
    }
    self.text = ReportRequest.parameterText(self.text) { $0.replacing("-", with: "_") }
  }

  /// The arguments with one of the likeliest names.
  private static func naming(_ argument: String, _ known: [String], _ arguments: JSONNode) -> [JSONNode] {
    known.prefix(mostNames).map { arguments.setting(argument, to: .string($0)) }
  }

  /// Further arguments that may work: fewer of them.
  static func fewer(_ arguments: JSONNode) -> [JSONNode] {
    func keeping(_ names: Set<String>) -> JSONNode {
      .object((arguments.members ?? []).filter { names.contains($0.name) })
    }
    let own: Set = ["name", "report", "column", "vendor", "metric", "rule", "limit"]
    return [keeping(own.union(["app", "by", "key"])), keeping(own.union(["app"])), keeping(own)]
  }

  /// - Parameter attempt: Arguments that work; `nil` if none are known.
  func json(_ attempt: JSONNode?) -> JSONNode {
    .object([
      "code": .string(code.rawValue), "missing": .string(missing), "known": .texts(known), "try": attempt ?? .null,
      "message": .string(text),
    ])
  }
}
