public import EventModel

/// A proposed mapping of a group of files: which column is which field, and which name which kind.
public struct Proposal {
  /// A column as it was found.
  public struct Column: Sendable, Encodable {
    public var path: String
    public var type: String
    /// The share of records with a value, 0–1.
    public var filled: Double
    public var distinct: Int
    public var examples: [String]
    /// The field that it is proposed for.
    public var field: String?
  }

  /// A field's column.
  public struct Field: Sendable {
    public var name: String
    public var path: String
    public var confidence: Double
    /// The scale of an amount in cents and the like, with an example, such as `÷ 100: 999 → 9.99`.
    public var scaled: String?
    public var isSure: Bool { confidence >= Proposer.sureConfidence }
    /// More paths, for records without a value in the first.
    var others: [String] = []
  }

  /// An event's name and its kind.
  public struct Name: Sendable {
    public var name: String
    public var count: Int
    /// `nil` if it is ignored.
    public var kind: EventKind?
    public var confidence: Double
    /// Kinds to choose from, if the words leave it open.
    public var choices: [EventKind] = []
    public var hasAmount = false
    /// The length of a trial that no column tells.
    var trialDays: Int?
    /// The plan of the trials of which no column tells one.
    var trialPlan: Plan?
    /// Their product, if the data has one alone; it links them to their payments.
    var trialProduct: String?
    /// Whether other names tell its records, too.
    var isToldByOthers = false
    /// Whether the rules for Superwall's SDK have it.
    var isIncluded = false
  }

  /// Records that are left out though reports need them.
  public struct LeftOut: Sendable {
    public var name: String
    public var kind: EventKind
    public var count: Int
  }

  /// A reading that the data leaves open.
  public enum Question: Sendable {
    case app
    case kind(name: String, count: Int, choices: [EventKind])
    case dayOrder(example: String)
    case currency

    /// The option that answers it.
    public var option: String {
      switch self {
      case .app: "--app NAME"
      case .kind(let name, _, let choices): "--event '\(name)=\(choices.first?.name ?? "ignore")'"
      case .dayOrder: "--dates day-first"
      case .currency: "--currency USD"
      }
    }
  }

  public internal(set) var columns: [Column] = []
  public internal(set) var fields: [Field] = []
  public internal(set) var names: [Name] = []
  public internal(set) var questions: [Question] = []
  public internal(set) var recordCount = 0
  public internal(set) var isCut = false
  /// The YAML of the mapping.
  public internal(set) var yaml = ""
  /// Required parts that no column gives: user, time, event name.
  public internal(set) var missing: [String] = []
  /// Facts for the user, a sentence each.
  public internal(set) var notes: [String] = []
  /// Sentences on what may make a number wrong, each with the remedy.
  public internal(set) var warnings: [String] = []
  /// Options that take what warnings say is left out, as they are typed.
  public internal(set) var options: [String] = []
  /// Trials and payments that are left out, without which shares of users are too low.
  public internal(set) var leftOut: [LeftOut] = []
  /// Names of trials and payments that are ignored, because another source is expected to have them.
  public internal(set) var paymentsOfOthers: [String] = []
  /// A frequent name without a meaning that may be that of paywall views, where no name is.
  public internal(set) var likelyView: Name?
  /// The apps that a column names.
  var appsOfRecords: Set<String> = []
  /// The experiment of the variants, where exposures alone have them and paywall views do not.
  public internal(set) var experimentOfExposures: String?
  /// The kinds of payments.
  public static let paid = Proposer.paid
  /// Columns that may be the variant where none clearly is: few values in paywall views, and one for each user.
  public internal(set) var likelyVariants: [String] = []
  /// Whether a column, its name or an option names the experiment.
  public internal(set) var namesExperiment = false
  /// Why the column that looks like the user or the time is not read, as a sentence.
  public internal(set) var unread: String?
  /// The column of amounts without cents whose currency nothing tells, with one of them.
  public internal(set) var amountsWithoutCurrency: (path: String, example: String)?
  /// The column that says, several times for each user, how a subscription is, where no column says what happened.
  public internal(set) var repeatedState: String?
  /// The form that all values of that column have, as `dates` of a mapping has it.
  var formOfTimes: String?
  /// The step of the finest time, in milliseconds.
  var timeStep = ColumnProfile.finestStep
  /// Columns whose values are lists of objects.
  public internal(set) var lists: [String] = []
  /// Whether columns of lists hold the values of all records.
  public internal(set) var isByColumn = false
  /// Whether each record has the times of all events of a user or a subscription.
  var isOfMoments = false
  /// Products by amount and currency, such as `4.99 usd`, of each amount that has one product alone.
  var products: [String: String] = [:]
  /// Hashes of the users.
  var users: Set<UInt64> = []
  /// When the first trial of each user began, by the hash of the user.
  var trials: [UInt64: Int64] = [:]
  /// Hashes of the products and subscriptions of trials, by which payments belong to them.
  var trialKeys: Set<UInt64> = []
  /// The times of paywall views by the hash of their user.
  var views: [UInt64: [Int64]] = [:]
  /// The payments among the records that were looked at.
  var payments = PaymentDays()
  /// Whether the mapping includes the rules for Superwall's SDK.
  public internal(set) var includesSuperwall = false
  /// The value of the app, if a column or an option gives it.
  public internal(set) var app: String?

  /// Whether members of columns are numbered, as in pandas' JSON by column.
  public var isByNumber: Bool {
    columns.count > 10 && columns.allSatisfy { Int(FieldSynonyms.lastStep(of: $0.path)) != nil }
  }

  /// Whether each record is a member that has the name of its event, such as `{"paywall_view": {…}}`.
  public var isKeyedByEvent: Bool {
    let steps = columns.map { $0.path.split(separator: ".") }
    let names = Set(steps.compactMap { $0.first.map { String($0) } })
    return names.count > 1 && steps.allSatisfy { $0.count > 1 }
      && names.allSatisfy { KindWords.meaning(of: $0) != .none }
  }

  /// Whether numbers are named after events, such as `trial_starts`, so that records may be counts and no events.
  public var hasCounts: Bool {
    columns.count { column in
      column.type == "whole" && KindWords.tableKind(FieldSynonyms.lastStep(of: column.path)) != nil
    } > 1
  }

  /// Whether no column is a user or a time.
  public var hasNothing: Bool { missing.contains("user") && missing.contains("time") }

  /// Returns whether another proposal's records surely tell other payments: of the same users, but at other times.
  public func hasOtherPayments(than other: Proposal) -> Bool {
    payments.shared(with: other.payments).map { $0 <= 0.02 } ?? false
  }
}

extension Proposal {
  /// Returns the column that is most likely a part that none clearly is, as ``missing`` names it; `nil` if none is likely.
  public func likeliest(_ part: String) -> String? {
    let field = ["user": EventField.userID, "time": .ts, "event name": .event][part]
    guard let field else { return nil }
    func score(_ column: Column) -> Double {
      let words = NameWords.words(of: FieldSynonyms.lastStep(of: column.path))
      guard column.field == nil, column.filled >= 0.5,
        field != .event || !FieldSynonyms.isID(column.path) && !FieldSynonyms.isNoPlace(column.path),
        Self.formerWords.isDisjoint(with: words)
      else { return 0 }
      let own = FieldSynonyms.score(of: column.path, for: field)
      switch field {
      case .userID:
        if column.distinct < 2 || FieldSynonyms.isTrait(column.path) { return 0 }
        return words.contains("email") ? max(own, 0.5) : own
      case .ts: return column.type == "instant" ? max(own, 0.3) : own
      default:
        guard column.type == "text", (2...50).contains(column.distinct) else { return 0 }
        return FieldSynonyms.isState(column.path) ? max(own, 0.5) : own
      }
    }
    let best = columns.map { (path: $0.path, score: score($0)) }.max { $0.score < $1.score }
    if let best, best.score >= 0.3 { return best.path }
    guard field == .event else { return nil }
    let few = columns.filter {
      $0.field == nil && $0.type == "text" && $0.filled >= 0.99 && (3...50).contains($0.distinct)
        && !FieldSynonyms.isID($0.path) && !FieldSynonyms.isNoPlace($0.path)
    }
    return few.count == 1 ? few[0].path : nil
  }

  /// Words of columns that say what was before.
  static let formerWords: Set<String> = ["old", "previous", "prior", "before", "former", "from"]
}

/// Answers that the options of `init` give.
public struct ProposalAnswers: Sendable {
  public var app: String?
  /// Kinds by event name, or of `*` for all records; `nil` is to ignore it.
  public var events: [String: EventKind?] = [:]
  /// Paths by field name.
  public var fields: [String: String] = [:]
  /// Values as in a mapping, by field name, of the fields that have more than a path.
  public var values: [String: String] = [:]
  /// Whether the files have all payments since the app began.
  public var hasCompleteHistory = false
  public var plans: [String: String] = [:]
  public var dates: String?
  public var epoch: String?
  public var zone: String?
  public var currency: String?
  /// The kind that the name of the files means, where no column says what a record is.
  var tableKind: EventKind?
  /// The names of the files of a group.
  var tables: [String] = []
  /// The words of the name of the first file.
  var fileWords: [String] = []
  /// Whether other files of the call have renewals.
  var othersHaveRenewals = false
  /// Products by amount and currency, such as `4.99 usd`, that other files of the call tell.
  var products: [String: String] = [:]
  /// Whether other files are read in the same call, so that a kind of all records is that of files without names alone.
  var isOneOfSeveral = false
  /// Hashes of the users of the other files of the call.
  var othersUsers: Set<UInt64> = []
  /// When the first trial of each user began in the other files of the call, by the hash of the user.
  var othersTrials: [UInt64: Int64] = [:]
  /// Hashes of the products and subscriptions of these trials.
  var othersTrialKeys: Set<UInt64> = []
  /// The time of each user's first payment in the other files of the call, by the hash of the user.
  var othersPayments: [UInt64: Int64] = [:]
  /// The times of paywall views in the other files of the call, by the hash of their user.
  var othersViews: [UInt64: [Int64]] = [:]
  /// The step of the finest time of the other files of the call, in milliseconds; `nil` without other files.
  var othersTimeStep: Int64?
  /// The only app that the records of other files of the call name.
  public internal(set) var othersApp: String?
  /// Another file of the call that has payments one by one.
  var paymentsFile: String?
  /// The source of payments where events of Superwall's SDK are read.
  public var superwallMoney = SuperwallMoney.server

  public init() {}

  /// The plan that `--set plan=yearly` gives trials without one, where no column is called so.
  func constantPlan(_ columns: [ColumnProfile]) -> Plan? {
    guard let text = fields[EventField.plan.name], !columns.contains(where: { $0.path == text }) else { return nil }
    return Plan(name: text)
  }
}

/// Puts together what was found.
extension Proposer {
  mutating func finish(appName: String?) {
    for (field, name) in [(EventField.userID, "user"), (.ts, "time")] where chosen[field] == nil {
      proposal.missing.append(name)
    }
    if chosen[.event] == nil, column("$table") == nil, flags.isEmpty, moments.isEmpty, !isOfOneKind {
      proposal.missing.append("event name")
      let users = chosen[.userID].map { columns[$0.column].exactDistinct } ?? .max
      if profile.recordCount >= 20, users <= profile.recordCount * 2 / 3 {
        proposal.repeatedState = columns.indices.first(where: isStateAlone).map { columns[$0].path }
      }
    }
    proposal.app = answers.app
    if let app = chosen[.app] {
      chooseApp(app.column)
    } else if answers.app == nil {
      proposal.questions.append(.app)
      proposal.app = appName
    }
    for name in proposal.names where !name.choices.isEmpty && name.kind != nil {
      if name.hasAmount || name.count * 100 >= proposal.recordCount {
        proposal.questions.append(.kind(name: name.name, count: name.count, choices: name.choices))
      }
    }
    proposal.columns = columns.map { column in
      Proposal.Column(
        path: column.path, type: column.type.name,
        filled: proposal.recordCount == 0 ? 0 : Double(column.count) / Double(proposal.recordCount),
        distinct: column.distinct, examples: column.examples)
    }
    for part in [timeOfDay, zones].compactMap(\.self) { proposal.columns[part].field = EventField.ts.name }
    if let namePrefix { proposal.columns[namePrefix].field = EventField.event.name }
    for (field, found) in chosen.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      proposal.columns[found.column].field = proposal.columns[found.column].field ?? field.name
      proposal.fields.append(
        Proposal.Field(
          name: field.name, path: columns[found.column].path, confidence: found.confidence,
          scaled: scaled(field, found.column)))
    }
    if let place = proposal.fields.firstIndex(where: { $0.name == "user_id" }), let anonymous {
      proposal.fields[place].others = [columns[anonymous].path]
      proposal.columns[anonymous].field = "user_id"
    }
    for moment in moments { proposal.columns[moment.column].field = moment.kind.name }
    if let refunds { proposal.columns[refunds].field = EventKind.refund.name }
    noteRecords()
    for split in splits where proposal.columns[split.column].field == nil {
      proposal.columns[split.column].field = EventField.event.name
    }
    let experiment = EventField.experiment
    proposal.namesExperiment =
      chosen[experiment] != nil || experimentName != nil || answers.values[experiment.name] != nil
    noteSuperwall()
    noteLeftOut()
    proposal.yaml = yaml()
  }
}
