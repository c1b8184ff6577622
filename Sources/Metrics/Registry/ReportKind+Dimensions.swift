/// The dimensions that a report's rows can be split by and narrowed to: all that pages offer in menus and links.
extension ReportKind {
  /// A dimension that rows can be split by.
  public struct RowChoice: Sendable, Equatable {
    /// Such as `country`.
    public var name: String
    /// The text of `--by` that has no other dimension but those that the report needs.
    public var by: String
  }

  /// The only reports that have a dimension, by its name: those of payments, or of charges that failed, have a stage.
  static let ofDimension: [String: Set<String>] = ["stage": ["revenue", "refunds", "recovery"], "renewing": ["mrr"]]

  var countsPayments: Bool { Self.ofDimension["stage"]?.contains(name) ?? false }

  /// Whether each row is a point in time or a period, which only the days of the report choose.
  private var isOverTime: Bool { self == .mrr || self == .subscriptions || self == .activity }

  private func has(_ dimension: Dimension) -> Bool {
    if dimension == .person || !(Self.ofDimension[dimension.name]?.contains(name) ?? true) { return false }
    return self != .activity || !dimension.isOfTerms
  }

  private func accepts(_ option: String) -> Bool { options.contains { $0.name == option } }

  public func splits(by dimension: Dimension) -> Bool {
    guard accepts("by") else { return false }
    if self == .payback { return Payback.isOfSpend(dimension) }
    return self == .experiment ? Experiments.isKnownBefore(dimension) : has(dimension)
  }

  /// Whether `--where` takes a dimension.
  ///
  /// - Parameter by: The dimensions of the rows; `nil` for the report's default.
  public func filters(by dimension: Dimension, rows by: [Dimension]? = nil) -> Bool {
    // The reports of a store have counts, and no users to choose from.
    guard accepts("where"), self != .reconcile else { return false }
    if self == .experiments { return ExperimentList.isOfExposures(dimension) }
    if self == .experiment { return Experiments.isKnownBefore(dimension) }
    return has(dimension) && (!isOverTime || !dimension.isPeriod || (by ?? defaultBy).contains(dimension))
  }

  /// Whether the report's files can have the column of a text of `--sort`.
  public func sorts(by text: String) -> Bool {
    let suffix = [":desc", ":asc"].first { text.hasSuffix($0) } ?? ""
    let name = String(text.dropLast(suffix.count))
    if name == "app" || (try? Dimension(name: name)) != nil { return true }
    return info(of: ReportColumn(name, .count)) != nil || info(of: ReportColumn(name, .low)) != nil
  }

  /// The dimensions with a fixed name that rows can be split by, and none of them; empty without `--by`.
  public var rowChoices: [RowChoice] {
    guard accepts("by") else { return [] }
    let parts = self == .payback ? Payback.properties : []
    let names = Dimension.plainNames.filter { name in (try? Dimension(name: name)).map { splits(by: $0) } ?? false }
    let choices = (parts + names).map { name in
      // Activity is measured over time.
      let period = self == .activity && Dimension.period(name) == nil ? defaultBy.map(\.name) : []
      return RowChoice(name: name, by: (period + [name]).joined(separator: ","))
    }
    return self == .activity ? choices : choices + [RowChoice(name: "none", by: "none")]
  }
}
