internal import Basics
internal import Foundation
internal import Metrics

/// The texts that an agent can read without a call: rules, reports and plans of experiments (Agents.md, "What an agent
/// can read").
struct AgentResources: Sendable {
  /// An address that nothing is at.
  struct Unknown: Error {
    var message: String
  }

  private enum Family: String, CaseIterable {
    case definitions
    case reports
    case plans

    var prefix: String { "tollgate://\(rawValue)/" }

    func uri(_ name: String) -> String {
      let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
      return prefix + (name.addingPercentEncoding(withAllowedCharacters: plain) ?? name)
    }

    var mimeType: String { self == .plans ? "application/yaml" : "application/json" }

    var template: JSONNode {
      let (variable, title, description) =
        switch self {
        case .definitions: ("rule", "Rule", "A rule of the definitions, such as 3.1, and the columns that it defines.")
        case .reports:
          ("name", "Report", "The question of a report, its options, and its columns with their units and rules.")
        case .plans: ("experiment", "Plan", "The plan of an experiment, as its file has it.")
        }
      return .object([
        "uriTemplate": .string("\(prefix){\(variable)}"), "name": .string(rawValue), "title": .string(title),
        "description": .string(description), "mimeType": .string(mimeType),
      ])
    }
  }

  let files: AgentFiles

  static var templates: [JSONNode] { Family.allCases.map(\.template) }

  private static let reports = ReportKind.all.filter { $0 != .replay }

  /// Returns every resource: the reports, the plans and the rules.
  ///
  /// - Throws: An error of a plan's file.
  func list() throws -> [JSONNode] {
    func node(_ family: Family, _ name: String, _ title: String, _ description: String) -> JSONNode {
      .object([
        "uri": .string(family.uri(name)), "name": .string(name), "title": .string(title),
        "description": .string(description), "mimeType": .string(family.mimeType),
      ])
    }
    var nodes = Self.reports.map { node(.reports, $0.name, "Report \($0.name)", $0.question) }
    var planned: Set<String> = []
    for plan in try files.plans?() ?? [] where planned.insert(plan.experiment).inserted {
      nodes.append(
        node(.plans, plan.experiment, "Plan of \(plan.experiment)", plan.plan.hypothesis ?? "Plan of an experiment."))
    }
    nodes += RuleAnswer.numbers.map { number in
      let title = RuleText.of(number)?.title
      return node(.definitions, number, "Rule \(number)\(title.map { ": \($0)" } ?? "")", "Rule of the definitions.")
    }
    return nodes
  }

  /// Returns the contents of a resource.
  ///
  /// - Throws: ``Unknown``, or an error of a plan's file.
  func read(_ uri: String) throws -> [JSONNode] {
    guard let family = Family.allCases.first(where: { uri.hasPrefix($0.prefix) }),
      let name = String(uri.dropFirst(family.prefix.count)).removingPercentEncoding
    else {
      let forms = Self.templates.compactMap { $0["uriTemplate"]?.text }
      throw Unknown(message: "\(uri) is not a resource; expected one of \(forms.joined(separator: ", "))")
    }
    let texts: [String] =
      switch family {
      case .definitions: try [rule(name)]
      case .reports: try [report(name)]
      case .plans: try plans(of: name)
      }
    return texts.map {
      .object(["uri": .string(uri), "mimeType": .string(family.mimeType), "text": .string($0)])
    }
  }

  private static func text(_ node: JSONNode) -> String { String(decoding: node.json, as: UTF8.self) }

  private func rule(_ number: String) throws -> String {
    guard let rule = RuleAnswer(number) else {
      throw Unknown(message: "there is no rule \(number)\(NearName.hint(number, in: RuleAnswer.numbers))")
    }
    return Self.text(rule.json)
  }

  private func report(_ name: String) throws -> String {
    guard let kind = Self.reports.first(where: { $0.name == name }) else {
      let names = Self.reports.map(\.name)
      throw Unknown(
        message: "\(name) is not a report; expected one of \(names.joined(separator: ", "))"
          + NearName.hint(name, in: names))
    }
    let options = kind.options.map { (ToolSchema.argument($0), ToolSchema.schema($0)) }
    let required = kind.options.filter(\.isRequired).map(ToolSchema.argument)
    return Self.text(
      .object([
        "name": .string(kind.name), "title": .string(kind.title), "question": .string(kind.question),
        "details": .string(kind.details), "by": .texts(kind.defaultBy.map(\.name)),
        "options": ToolSchema.object(options, required: required), "columns": .array(kind.columns.map(\.json)),
        "explain": .bool(kind.isExplainable), "why": .bool(kind.hasDrivers),
      ]))
  }

  /// Returns the plans of an experiment, one for each app that has its own.
  private func plans(of experiment: String) throws -> [String] {
    guard let plans = files.plans else {
      throw Unknown(
        message: "there is no plan \(experiment): this server has no plans; start it with `tollgate mcp --plans FOLDER`"
      )
    }
    let known = try plans()
    let texts = known.filter { $0.experiment == experiment }.map(\.text)
    if texts.isEmpty {
      let names = known.map(\.experiment)
      throw Unknown(
        message: "there is no plan \(experiment); "
          + (names.isEmpty
            ? "the folder of plans is empty" : "expected one of \(names.joined(separator: ", "))")
          + NearName.hint(experiment, in: names))
    }
    return texts
  }
}
