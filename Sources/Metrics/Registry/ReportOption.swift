public import Basics

/// An option of a report: its name, its help, and the one rule by which its text changes a request.
public struct ReportOption: Sendable {
  /// The kind of value that forms and OpenAPI show.
  public enum Value: Sendable {
    case text(placeholder: String)
    case day
    case instant
    /// A decimal of 0 or more.
    case number(placeholder: String)
    case wholeNumber
    /// One of these; the first is the default.
    case choice([String])
    /// One of these; there is no default.
    case oneOf([String])
    /// Present or absent.
    case flag
    case apps
    case dimensions
    /// `DIMENSION=VALUE[,VALUE]`.
    case filters
  }

  /// The name on the command line, without its dashes, and in addresses.
  public let name: String
  /// The label of a form's field.
  public let label: String
  /// The word that stands for the value in help, such as `day`.
  public let valueName: String
  /// An imperative fragment.
  public let help: String
  public let value: Value
  public let isRepeatable: Bool
  public let isRequired: Bool
  /// Whether the option stands on the command line without its name.
  public let isPositional: Bool
  /// The names that the value is one of, if it is.
  public var names: [String]? {
    switch value {
    case .choice(let names), .oneOf(let names): names
    default: nil
    }
  }
  /// The text that every report accepts, as it changes nothing.
  let neutral: String?
  /// The text that stands for leaving the option out; `nil` where there is none, or where it depends on the data.
  let standard: String?
  /// The expected form of the text, for errors.
  private(set) var expectation: @Sendable (String) -> String
  /// Applies a text to a request; throws ``NoValue`` if the text is not a value of the option.
  let apply: @Sendable (String, inout ReportRequest) throws -> Void

  struct NoValue: Error {}

  init(
    _ name: String, _ label: String, _ value: Value, valueName: String, help: String, expecting expectation: String,
    isRepeatable: Bool = false, isRequired: Bool = false, isPositional: Bool = false, neutral: String? = nil,
    standard: String? = nil, apply: @escaping @Sendable (String, inout ReportRequest) throws -> Void
  ) {
    self.name = name
    self.label = label
    self.value = value
    self.valueName = valueName
    self.help = help
    self.expectation = { _ in expectation }
    self.isRepeatable = isRepeatable
    self.isRequired = isRequired || isPositional
    self.isPositional = isPositional
    self.neutral = neutral
    self.standard = standard
    self.apply = apply
  }

  /// One value of a request.
  ///
  /// - Parameter parse: Returns `nil` for a text that is not a value of the option.
  init<Parsed>(
    _ name: String, _ label: String, _ value: Value, valueName: String, help: String, expecting expectation: String,
    into place: any WritableKeyPath<ReportRequest, Parsed?> & Sendable,
    parse: @escaping @Sendable (String) throws -> Parsed?
  ) {
    self.init(name, label, value, valueName: valueName, help: help, expecting: expectation) { text, request in
      guard let value = try parse(text) else { throw NoValue() }
      request[keyPath: place] = value
    }
  }

  /// A day, or words for one.
  ///
  /// - Parameter apply: Takes the word into a request.
  init(
    _ name: String, _ label: String, day valueName: String, _ value: Value = .day, help: String,
    expecting expectation: @escaping @Sendable (String) -> String = DayWord.expectation,
    apply: @escaping @Sendable (DayWord, inout ReportRequest) -> Void
  ) {
    self.init(name, label, value, valueName: valueName, help: help, expecting: "") { text, request in
      guard let word = DayWord(text) else { throw NoValue() }
      apply(word, &request)
    }
    self.expectation = expectation
  }

  /// An option that is one of some names.
  init<Choice: RawRepresentable & CaseIterable & Sendable>(
    _ name: String, _ label: String, default first: Choice, help: String, neutral: String? = nil,
    apply: @escaping @Sendable (Choice, inout ReportRequest) -> Void
  ) where Choice.RawValue == String {
    let names = [first.rawValue] + Choice.allCases.map(\.rawValue).filter { $0 != first.rawValue }
    self.init(
      name, label, .choice(names), valueName: name, help: help, expecting: "one of \(names.joined(separator: ", "))",
      neutral: neutral, standard: first.rawValue
    ) { text, request in
      guard let choice = Choice(rawValue: text) else { throw NoValue() }
      apply(choice, &request)
    }
  }

  /// An option that is present or absent.
  init(
    _ name: String, _ label: String, help: String, apply: @escaping @Sendable (inout ReportRequest) -> Void
  ) {
    self.init(name, label, .flag, valueName: "", help: help, expecting: "true or false") { text, request in
      switch text {
      case "true", "on", "1": apply(&request)
      case "false", "0": break
      default: throw NoValue()
      }
    }
  }
}

public struct OptionError: ReadableError {
  public var description: String
  /// The option with a value that it does not take, and that value; `nil` for other errors.
  public private(set) var wrong: (option: String, value: String)?
  /// The values that it does take, where they are a list.
  public private(set) var known: [String] = []

  init(_ description: String) { self.description = description }

  /// - Parameter known: The values that the option takes.
  init(_ option: String, _ value: String, mustBeOneOf known: [String]) {
    description =
      "--\(option) is \(value.asGiven), but must be one of \(known.joined(separator: ", "))"
      + NearName.hint(value, in: known)
    (wrong, self.known) = ((option, value), known)
  }
}

extension ReportRequest {
  /// The texts of one option, in the order given.
  public struct Given: Sendable {
    public var option: String
    public var texts: [String]

    public init(_ option: String, _ texts: [String]) { (self.option, self.texts) = (option, texts) }
  }

  /// A question about a report.
  public enum Aspect: Sendable {
    case report
    /// Where one of its numbers comes from.
    case explanation
    /// Where one of its shares changed.
    case drivers
  }

  /// Creates a request from the texts of its options, as a command line or an address has them.
  ///
  /// - Throws: ``OptionError``, ``ReportError``.
  public init(_ kind: ReportKind, _ given: [Given], _ aspect: Aspect = .report) throws {
    self.init(kind)
    (self.given, self.aspect) = (given.filter { !$0.texts.isEmpty }, aspect)
    if aspect == .explanation { explained = ExplainedNumber() }
    if aspect == .drivers { drivers = DriverQuestion(column: "") }
    let known = kind.options(of: aspect)
    for item in given where !item.texts.isEmpty {
      guard let option = known.first(where: { $0.name == item.option }) else {
        if ReportOption.neutral(item.option) == item.texts { continue }
        throw kind.refusal(of: item)
      }
      if item.texts.count > 1 && !option.isRepeatable {
        throw OptionError("--\(option.name) is given \(item.texts.count) times, but must be given once")
      }
      for text in item.texts {
        do {
          try option.apply(text, &self)
        } catch is ReportOption.NoValue {
          guard let names = option.names else {
            throw OptionError("--\(option.name) is \(text.asGiven), but must be \(option.expectation(text))")
          }
          var error = OptionError(option.name, text, mustBeOneOf: names)
          if option.name == ReportOption.ages.name, known.contains(where: { $0.name == ReportOption.at.name }),
            text.first?.isNumber == true
          {
            error.description += "; for ages in days, use --at \(text)"
          }
          throw error
        }
      }
    }
    for option in known
    where option.isRequired && !given.contains(where: { $0.option == option.name && !$0.texts.isEmpty }) {
      throw OptionError("\(option.isPositional ? "" : "--")\(option.name) is missing")
    }
    try checkDays()
    options.backtest = isBacktest ? backtestStep ?? .month : nil
    if relative.hasLast, options.from != nil || options.to != nil || relative.from != nil || relative.to != nil {
      throw OptionError("--last sets both ends: leave out --from and --to, or use them instead")
    }
    let isSplit = given.contains { $0.option == "by" && $0.texts != ["none"] }
    if definedBy != nil,
      let other = given.first(where: {
        Self.notDefined.contains($0.option) && !$0.texts.isEmpty && ($0.option != "by" || isSplit)
      })
    {
      throw OptionError(
        "--define shows one number: leave out --\(other.option)\(other.option == "by" ? "" : ", which it does not follow")"
      )
    }
    if showsPairs, comparison != nil {
      throw OptionError("--pairs compares variants and --compare two sides of each row: leave out one of them")
    }
    if kind == .reconcile, !bridge.isGiven, !options.filters.isEmpty || !options.cohorts.isEmpty {
      throw OptionError("--where needs --vendor and --metric: Apple's reports have counts, and no users to choose from")
    }
    if options.isByPeriod, let points = options.points, points.contains(where: { $0 < 2 }) {
      throw OptionError("--at has payment 1, which everyone made; start at 2 with --by-period")
    }
  }

  /// The options that a vendor's number does not follow.
  static let notDefined: Set = [
    "by", "compare", "ages", "unit", "horizon", "attribution", "store-fee", "movement", "date", "backtest",
    "every", "model",
  ]

  /// Warnings about options that are accepted but may be a mistake.
  public var warnings: [String] {
    var warnings = options.filters.flatMap(\.warnings)
    if let currency = options.currency, !kind.hasAmounts {
      warnings.append("--currency is \(currency), but has no effect: \(kind.name) has no amounts of money")
    }
    if !hasEqualAges, comparison == nil, drivers == nil {
      warnings.append("--ages is known, but has no effect without --compare")
    }
    if let backtestStep, !isBacktest {
      warnings.append("--every is \(backtestStep.rawValue), but has no effect without --backtest")
    }
    if showsModel, !isBacktest { warnings.append("--model is on, but has no effect without --backtest") }
    return warnings
  }
}

extension ReportKind {
  /// Whether the report has amounts that `--currency` can be of.
  var hasAmounts: Bool {
    options.contains { $0.name == "currency" }
      && (self == .experiment || self == .reconcile || columns.contains { $0.unit.hasPrefix("money") })
  }

  /// Whether the currency of rows is that of payments, and not of prices shown or of spend.
  public var hasPaymentCurrency: Bool { hasAmounts && self != .savings && self != .payback }

  /// The options of a question about the report.
  public func options(of aspect: ReportRequest.Aspect) -> [ReportOption] {
    switch aspect {
    case .report: options
    case .explanation:
      ReportOption.explanation
        + options.filter {
          !["sort", "limit", "pairs", "compare", "ages", "backtest", "every", "model", "define"].contains($0.name)
        }
    case .drivers where self == .mrr:
      // Its two states need no age, and nothing is searched.
      ReportOption.drivers.filter { $0.name != "level" }
        + options.filter { !["by", "movement", "ages", "define"].contains($0.name) }
        .map { $0.name == "attribution" ? ReportOption.attributionOfParts : $0 }
    case .drivers: ReportOption.drivers + options.filter { !["by", "pairs", "define"].contains($0.name) }
    }
  }

  /// The error for an option that the report does not have.
  func refusal(of given: ReportRequest.Given) -> OptionError {
    if let reason = refusals[given.option] {
      return OptionError("--\(given.option) is \(given.texts.joined(separator: ", ")), but \(reason)")
    }
    let names = options.map { "--\($0.name)" }.joined(separator: ", ")
    let hint = NearName.hint(given.option, in: options.map(\.name), mark: "--")
    return OptionError("\(name) has no option --\(given.option); expected one of \(names)\(hint)")
  }
}
