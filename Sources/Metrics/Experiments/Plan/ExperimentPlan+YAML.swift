public import Basics

extension ExperimentPlan {
  private static let keys = [
    "experiment", "app", "variants", "control", "start", "end", "primary", "guardrails", "planned_users",
    "planned_days", "looks", "level", "minimum_lift", "family", "metrics", "currency", "aim", "margin", "margin_lift",
    "patience_days", "quiet_days", "planned_on", "owner", "hypothesis", "change", "shipped_on", "outcome", "roles",
    "adjust", "cap", "paths",
  ]

  /// Reads a plan from the text of a YAML file.
  ///
  /// - Parameters:
  ///   - experiment: The experiment that the plan must name.
  ///   - file: The file's name, for errors.
  /// - Throws: ``ConfigurationError``.
  public init(yaml text: String, experiment: String, file: String) throws(ConfigurationError) {
    self.init()
    let root = try YAMLValue.root(of: text, file: file)
    let members = try root.members(Self.keys)
    if let value = members["experiment"], try value.text() != experiment {
      throw value.failure("is \(try value.text()), but must be \(experiment), as on the command line")
    }
    app = try members["app"]?.text()
    control = try members["control"]?.text()
    start = try members["start"]?.instant()
    end = try members["end"]?.instant()
    if let start, let end, let value = members["end"], end <= start {
      throw value.failure("must be after start")
    }
    primary = try members["primary"]?.text()
    plannedUsers = try members["planned_users"]?.number("at least 1") { $0 >= 1 }
    plannedDays = try members["planned_days"]?.number("above 0") { $0 > 0 }
    if let value = members["planned_days"], plannedUsers != nil {
      throw value.failure("cannot be combined with planned_users: give one of them")
    }
    if let value = members["looks"] { looks = try value.choice() }
    if let value = members["level"] { level = try value.number("in [0.5, 1)") { $0 >= 0.5 && $0 < 1 } }
    if let value = members["minimum_lift"] { minimumLift = try value.number("above 0") { $0 > 0 } }
    if let value = members["family"] {
      for element in try value.elements() { family.append(try element.text()) }
    }
    let paths = try members["paths"].map { value throws(ConfigurationError) in try PathPlan.all(of: value) } ?? []
    if let value = members["metrics"] {
      for element in try value.elements() {
        metrics.append(try OwnMetric(yaml: element, known: metrics, paths: paths))
      }
    }
    try readDecisions(members)
    try readVariants(members["variants"], control: members["control"])
    try readGuardrails(members["guardrails"])
    for (key, names) in [("primary", [primary].compactMap(\.self)), ("family", family)] {
      guard let value = members[key] else { continue }
      for name in names where !isKnown(name) { throw value.failure(unknown(name)) }
    }
  }

  /// Reads the keys that decisions depend on (Experiments.md, "The plan").
  private mutating func readDecisions(_ members: [String: YAMLValue]) throws(ConfigurationError) {
    if let value = members["currency"] {
      let code = try value.text()
      guard code.count == 3, code.allSatisfy({ $0.isASCII && $0.isLetter }) else {
        throw value.failure("is \(code), but must be a currency code such as USD")
      }
      currency = code.uppercased()
    }
    if let value = members["aim"] { aim = try value.choice() }
    margin = try members["margin"]?.number("above 0") { $0 > 0 }
    marginLift = try members["margin_lift"]?.number("above 0") { $0 > 0 }
    if let value = members["aim"], aim == .notWorse, margin == nil {
      throw value.failure("is not_worse, which needs a margin in the unit of the primary metric, such as margin: 0.01")
    }
    if let value = members["patience_days"] { patienceDays = try value.number("above 0") { $0 > 0 } }
    if let value = members["quiet_days"] { quietDays = try value.number("above 0") { $0 > 0 } }
    plannedOn = try members["planned_on"]?.instant()
    owner = try members["owner"]?.text()
    hypothesis = try members["hypothesis"]?.text()
    if let value = members["change"] { change = try value.choice() }
    shippedOn = try members["shipped_on"]?.instant()
    if let value = members["outcome"] { outcome = try value.choice() }
    if let value = members["roles"] {
      for (name, role) in try value.members() {
        guard isKnown(name) else {
          throw role.failure("names \(name), which is not a metric; expected one of \(list)")
        }
        roles[name] = try role.choice()
      }
    }
    if let value = members["adjust"] { adjust = try value.choice() }
    cap = try members["cap"]?.number("above 0") { $0 > 0 }
  }

  /// Reads shares by variant, or a list of variants with even shares.
  private mutating func readVariants(
    _ value: YAMLValue?, control: YAMLValue?
  ) throws(ConfigurationError) {
    guard let value else { return }
    var shares: [Share] = []
    if value.hasMembers {
      for (name, weight) in try value.members() {
        shares.append(Share(variant: name, weight: try weight.number("0 or more") { $0 >= 0 }))
      }
    } else {
      for element in try value.elements() { shares.append(Share(variant: try element.text(), weight: 1)) }
    }
    guard shares.count(where: { $0.weight > 0 }) >= 2 else {
      throw value.failure("must have two variants or more with a share above 0")
    }
    let total = shares.reduce(0) { $0 + $1.weight }
    if shares.allSatisfy({ $0.weight < 1 }), total > 1 + 1e-9 {
      throw value.failure("sum to \(Float(total)), but shares below 1 are parts of 1: must sum to 1 or less")
    }
    guard Set(shares.map(\.variant)).count == shares.count else { throw value.failure("names a variant twice") }
    if let name = self.control, let control, !shares.contains(where: { $0.variant == name && $0.weight > 0 }) {
      throw control.failure(
        "is \(name), but must be one of the variants: \(shares.map(\.variant).joined(separator: ", "))")
    }
    self.shares = shares
  }

  private mutating func readGuardrails(_ value: YAMLValue?) throws(ConfigurationError) {
    guard let value else { return }
    for element in try value.elements() {
      let members = try element.members(["metric", "margin", "relative_margin"])
      guard let metric = members["metric"] else { throw element.failure("has no metric") }
      let name = try metric.text()
      guard isKnown(name) else { throw metric.failure(unknown(name)) }
      switch (members["margin"], members["relative_margin"]) {
      case (let margin?, nil):
        guardrails.append(Guardrail(metric: name, margin: .absolute(try margin.number("above 0") { $0 > 0 })))
      case (nil, let margin?):
        guardrails.append(
          Guardrail(metric: name, margin: .relative(try margin.number("in (0, 1)") { $0 > 0 && $0 < 1 })))
      case (nil, nil): guardrails.append(Guardrail(metric: name, margin: nil))
      default: throw element.failure("has both margin, in the metric's unit, and relative_margin: give one of them")
      }
    }
  }

  /// The names that a plan can use.
  var names: [String] { ExperimentMetric.builtInNames + metrics.map(\.name) }

  private func isKnown(_ name: String) -> Bool {
    // A currency may follow, as in revenue:USD.
    names.contains(name) || name.hasPrefix("revenue:") || name.hasPrefix("revenue_per_payer:")
  }

  private var list: String { names.joined(separator: ", ") }

  private func unknown(_ name: String) -> String { "is \(name), but must be one of the metrics: \(list)" }
}
