internal import EventModel
public import Store

extension ReportKind {
  /// The command that prints the report, without its options.
  private var command: [String] { self == .quarantine || self == .rates ? [name, "list"] : [name] }

  /// Returns the words of the command that prints a report, or answers a question about it.
  ///
  /// - Parameters:
  ///   - given: Options of the report.
  ///   - own: Options of the command.
  public func words(
    _ given: [ReportRequest.Given], _ aspect: ReportRequest.Aspect = .report, own: [String] = []
  ) -> [String] {
    var words =
      switch aspect {
      case .report: command
      case .explanation: ["explain"] + command
      case .drivers: ["why"] + command
      }
    words += own
    var positional: [String] = []
    for item in given where !item.texts.isEmpty {
      guard let option = options(of: aspect).first(where: { $0.name == item.option }) else { continue }
      if option.isPositional {
        positional = ["--"] + item.texts
      } else if case .flag = option.value {
        if item.texts.contains(where: { ["true", "on", "1"].contains($0) }) { words.append("--\(option.name)") }
      } else {
        words += item.texts.map { "--\(option.name)=\($0)" }
      }
    }
    return words + positional
  }

  /// Whether the report has one currency that its options decide, or else the data.
  fileprivate var decidesCurrency: Bool { hasAmounts && self != .experiment && self != .payback }
}

extension ReportRequest {
  /// Whether the data decide the currency.
  private var hasOpenCurrency: Bool {
    kind.decidesCurrency && comparison == nil && drivers == nil && !given.contains { $0.option == "currency" }
  }

  /// Makes something of a report with the currency that it has without `--currency` in a store.
  ///
  /// - Parameter make: Takes the value of `--currency`, or `nil` to leave it out, and a note on missing rates.
  public func settlingCurrency<Made>(
    _ snapshot: StoreSnapshot, _ make: (_ currency: String?, _ note: String?) throws -> Made
  ) throws -> Made {
    guard hasOpenCurrency else { return try make(nil, nil) }
    return try options.inOneCurrency(snapshot) { try make($0.currency ?? "native", $0.currencyNote) }
  }

  /// Returns all options of the report in a store, with every default that decides: apps, days, the as-of of each app and
  /// fixed values.
  ///
  /// - Parameter currency: The currency that the report has, if the data decide it.
  /// - Throws: ``ReportError``.
  public func spelledOut(_ snapshot: StoreSnapshot, currency: String?) throws -> [Given] {
    let settled = try resolved(snapshot)
    let all = try snapshot.apps()
    for name in settled.options.apps where !all.contains(where: { $0.name == name }) {
      throw ReportError.unknownApp(name, known: all.map(\.name))
    }
    let wanted = settled.options.apps.isEmpty ? experiment.plan.app.map { [$0] } ?? [] : settled.options.apps
    let apps = all.filter { wanted.isEmpty || wanted.contains($0.name) }
    return kind.options(of: aspect).map { option in
      Given(option.name, settled.texts(of: option, apps: apps, currency: currency))
    }
  }

  private func texts(of option: ReportOption, apps: [StoreSnapshot.App], currency: String?) -> [String] {
    let own = given.first { $0.option == option.name }?.texts
    if definedBy != nil, Self.notDefined.contains(option.name) { return [] }
    switch option.name {
    case "app": return apps.map(\.name)
    case "from": return options.from.map { [$0.description] } ?? []
    case "to": return options.to.map { [$0.description] } ?? []
    case "last": return []
    case "as-of":
      if let asOf = options.asOf { return [ReportQuery.instant(asOf)] }
      return apps.compactMap { app in
        (options.asOfs[app.name] ?? app.newestAsOf).map { "\(app.name)=\(ReportQuery.instant($0))" }
      }
    case "currency": return own ?? (hasOpenCurrency ? currency.map { [$0] } : nil) ?? []
    case "by":
      if let own { return own }
      if explained != nil || drivers != nil || comparison != nil || kind == .experiment { return [] }
      return [kind.defaultBy.isEmpty ? "none" : kind.defaultBy.map(\.name).joined(separator: ",")]
    case "ages" where comparison == nil: return own ?? []
    default: return own ?? option.standard.map { [$0] } ?? []
    }
  }
}
