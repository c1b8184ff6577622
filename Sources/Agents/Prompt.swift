internal import Basics

/// A text that a person starts a conversation with: it names tools and rules, and has no numbers of its own (Agents.md,
/// "Start with a prompt").
struct Prompt: Sendable {
  struct Argument: Sendable {
    var name: String
    var description: String
    var isRequired = false
  }

  /// Arguments that do not fit.
  struct Fault: Error {
    var message: String
  }

  var name: String
  var title: String
  var description: String
  var arguments: [Argument]
  private var text: @Sendable ([String: String]) -> String

  private static let app = Argument(name: "app", description: "Name of one app (default: every app).")
  private static let from = Argument(name: "from", description: "First day (default: the last full week).")
  private static let to = Argument(name: "to", description: "Day after the last.")

  var json: JSONNode {
    .object([
      "name": .string(name), "title": .string(title), "description": .string(description),
      "arguments": .array(
        arguments.map {
          .object([
            "name": .string($0.name), "description": .string($0.description), "required": .bool($0.isRequired),
          ])
        }),
    ])
  }

  /// Returns the result of `prompts/get`.
  ///
  /// - Throws: ``Fault`` for arguments that are missing, unknown or no texts.
  func result(_ given: JSONNode) throws(Fault) -> JSONNode {
    var values: [String: String] = [:]
    for member in given.members ?? [] {
      guard arguments.contains(where: { $0.name == member.name }) else {
        let names = arguments.map(\.name)
        throw Fault(
          message: "\(name) has no argument \(member.name); expected one of \(names.joined(separator: ", "))"
            + NearName.hint(member.name, in: names))
      }
      guard let value = member.value.text else { throw Fault(message: "the argument \(member.name) must be a text") }
      values[member.name] = value
    }
    for argument in arguments where argument.isRequired && values[argument.name, default: ""].isEmpty {
      throw Fault(message: "\(name) needs the argument \(argument.name)")
    }
    return .object([
      "description": .string(description),
      "messages": .array([
        .object(["role": "user", "content": .object(["type": "text", "text": .string(text(values))])])
      ]),
    ])
  }

  static func named(_ name: String) -> Prompt? { all.first { $0.name == name } }

  private static func quoted(_ text: String?, else other: String, _ words: (String) -> String = { $0 }) -> String {
    text.flatMap { $0.isEmpty ? nil : words(JSONText.quoted($0)) } ?? other
  }

  /// The arguments of a call that a person has given, such as ` and app "steps"`.
  private static func passing(_ values: [String: String], _ names: String...) -> String {
    names.compactMap { name in values[name].map { ", \(name) \(JSONText.quoted($0))" } }.joined()
  }

  private static let recent = """
    Where users are too recent to count (rule 3.3), the notes or the refusal name the newest full week that does count: \
    call again with its days, and write them with its numbers.
    """

  private static let manner = """
    Quote every number as the tool gives it: do not round, add or divide. Give an interval with every change. If a tool \
    refuses, write which number is missing and why; put no other number in its place. Say how far the data of each \
    app go, and end with the receipts: `verify` computes every number again.
    """

  static let all: [Prompt] = [
    Prompt(
      name: "weekly_review", title: "Weekly review",
      description: "Write down what changed in the last full week, and where.", arguments: [app]
    ) { values in
      """
      Write the weekly review of \(quoted(values["app"], else: "every app") { "the app \($0)" }) for people who did not \
      follow the numbers.

      1. Call `catalog`: the apps, how far the data of each go, and the saved views. Where a view answers a \
      question below, call `report` with it.
      2. Call `health`. A finding that touches a report comes before the numbers of that report.
      3. Call `report` with from "last week", to "last week" and compare "previous"\(passing(values, "app")) for `funnel`, \
      `trials`, `revenue`, `cancellations` and `refunds`. Both weeks are shown at equal age (rule 9.3); the test and the \
      word of a change are those of rules 9.5 and 9.6. \(recent)
      4. For each number whose word is up or down, call `why` with its report, its column and the same days. A driver says \
      where a number moved, not why (rules 10.5 and 10.7). Without a driver, write that no single segment explains it.
      5. Call `report` with `experiments`, then `experiment` for each that is running or ended in this week. Quote its \
      decision (rule D1.1) and its next step (rule D3.6).

      Write one line for each number: its name, both values, the change, the word and the driver. Leave out numbers \
      whose word is unknown, and those without a word. \(manner)
      """
    },
    Prompt(
      name: "readout", title: "Readout of an experiment",
      description: "Write the readout of an experiment, the decision first.",
      arguments: [Argument(name: "experiment", description: "Name of the experiment.", isRequired: true), app]
    ) { values in
      """
      Write the readout of the experiment \(quoted(values["experiment"], else: "")).

      1. If the server has its plan, read it at tollgate://plans/ followed by its name: the hypothesis, the primary metric \
      and the planned size were set before the data came.
      2. Call `experiment` with name \(quoted(values["experiment"], else: ""))\(passing(values, "app")). Start with its \
      decision (rule D1.1) and the reason; name no winner that the decision does not name.
      3. If there is no decision because the split of the users is wrong, write only that (rule D1.2): the groups cannot be \
      compared.
      4. Then the primary metric with its interval (rule D2.1), the guardrails (rule D1.9), the caveats, and the next step \
      (rule D3.6). Users who are too recent to count are left out (rule 8.2); write how many.
      5. Call `health`, and name the findings that touch these numbers.

      Segments and trends show where to look (rule D8.1), and decide nothing. \(manner)
      """
    },
    Prompt(
      name: "why_did_it_move", title: "Why did a number move?",
      description: "Find out where a number changed, and whether chance alone can explain it.",
      arguments: [
        Argument(name: "number", description: "Column that moved, such as paid_rate or revenue.", isRequired: true),
        Argument(name: "report", description: "Report that has the column (default: found in catalog)."), app, from, to,
      ]
    ) { values in
      """
      Find out where \(quoted(values["number"], else: "")) moved, and whether that is more than chance.

      1. \(quoted(values["report"], else: "Call `catalog` and choose the report that has this column.") {
        "The report is \($0)."
      }) Read it at tollgate://reports/ followed by its name: the unit and the rule of the column, and whether `why` \
      supports it.
      2. Call `health`. If events of these days are missing or late, write that first: it may be all there is to it.
      3. Call `report` with compare "previous"\(passing(values, "app", "from", "to")). Without days it compares the last \
      full week with the week before, at equal age (rules 9.1 and 9.3). \(recent) If the word of the change is chance, \
      write that and stop (rule 9.6).
      4. Call `why` with this report, column \(quoted(values["number"], else: ""))\(passing(values, "app", "from", "to")). \
      A driver stands out by more than chance in the whole search (rule 10.7); the parts of one dimension add up to the \
      change (rules 10.2 and 10.3).
      5. For a driver, call `explain` on its row: the users and events behind it.

      A driver says where a number moved, not why. What happened there on these days, such as a release, a price or an \
      outage, is a suspect and never a cause: ask people who know. \(manner)
      """
    },
  ]
}
