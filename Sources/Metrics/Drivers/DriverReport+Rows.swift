internal import Basics
internal import EventModel
internal import Lifecycle
internal import Store

/// The answer as rows.
extension DriverReport {
  enum Verdict: String {
    case data
    case total
    case driver
    case chance
    case suspect
    case part
  }

  struct Row {
    var app: String
    var rank: Int?
    var verdict: Verdict
    var cut = ""
    var segment = ""
    var aliases = ""
    var part = ""
    var before: DriverCounts.Count
    var now: DriverCounts.Count
    var contribution: Double?
    var z: Double?
    var p: Double?
    var explain = ""
    /// Of cases that are not the report's units, such as payments with an offer: how many there could be on each side.
    var wholes: (before: Int, now: Int)?
  }

  func driver(
    _ found: DriverSearch.Found, of table: DriverCounts, _ app: String, rank: Int, _ sides: Sides
  ) -> Row {
    let own = DriverParts(table, cut: found.segment.cut, unit: unit).rows.first {
      $0.segment == found.segment && $0.part == found.score.part
    }
    let command =
      switch sides {
      case .report(let sides):
        explain(app, found.segment, of: table, found.now.units > 0 ? sides.now : sides.before)
      case .arms(let arms): explain(arms, found.segment, of: table)
      }
    return Row(
      app: app, rank: rank, verdict: found.p <= question.level ? .driver : .chance,
      cut: table.name(cut: found.segment.cut), segment: table.name(found.segment),
      aliases: found.aliases.map(table.name).joined(separator: " "), part: found.score.part.rawValue,
      before: found.before, now: found.now, contribution: own.map(contribution), z: found.score.z, p: found.p,
      explain: command)
  }

  /// The command that lists a segment's units on one side.
  private func explain(
    _ app: String, _ segment: DriverSegment, of table: DriverCounts, _ side: ComparedSides.Side
  ) -> String {
    var words = ["tollgate", "explain", kind.name]
    if let first = side.first { words += ["--from", CivilDate(daysSince1970: first).description] }
    if let end = side.end { words += ["--to", CivilDate(daysSince1970: end).description] }
    words += ["--as-of", ReportQuery.instant(side.asOf)]
    if let horizon = side.options.horizon { words += ["--horizon", "\(horizon / day)"] }
    let keys = ["app=\(app)"] + segment.cut.indices.map { table.name(segment, place: $0) }
    let plain = keys.filter { !$0.contains(",") }
    if !plain.isEmpty { words += ["--cell", plain.joined(separator: ",")] }
    words += ["--column", question.column] + keys.filter { $0.contains(",") }.flatMap { ["--key", $0] }
    words += repeated(
      side.options.filters, of: segment.cut.map { table.dimensions[$0] },
      except: ["from", "to", "last", "as-of", "horizon"])
    return "\(CommandLineText(words))"
  }

  /// The options of the report that a command for a segment repeats, and the conditions on other dimensions.
  ///
  /// - Parameter own: Those that the command sets itself, besides the app and the column.
  func repeated(
    _ filters: [ReportOptions.Filter], of segment: [Dimension], except own: Set<String> = []
  ) -> [String] {
    let own = own.union(["name", "app", "where", "column", "cut", "sort", "limit", "over-time", "movement"])
    // Receipts name every option, so those that change nothing are left out.
    let known = kind.options(of: .explanation).filter { !own.contains($0.name) }
    var words = request.given.filter { item in
      known.contains { $0.name == item.option && item.texts != [$0.standard] }
    }.flatMap { item in item.texts.flatMap { ["--\(item.option)", $0] } }
    if money != nil, let currency = request.options.currency, !words.contains("--currency") {
      words += ["--currency", currency]
    }
    let others = filters.filter { !segment.contains($0.dimension) }
    return words + (others.map(\.description) + request.options.cohorts.map(\.description)).flatMap { ["--where", $0] }
  }

  /// As a share, a number of units, or money in units of its currency.
  func contribution(_ part: DriverParts.Row) -> Double {
    Double(part.printed) / (money == nil ? unit : unit * 1e6)
  }

  func values(
    _ row: Row, _ whole: (before: DriverCounts.Count, now: DriverCounts.Count)
  ) -> [ReportValue] {
    // Of a share: how many units the part stands for.
    let mean = Double(whole.before.units + whole.now.units) / 2
    let units = money == nil ? row.contribution.map { isOfSum ? $0 : ($0 * mean * 100).rounded() / 100 } : nil
    var values: [ReportValue] = [.text(row.app), row.rank.map { .count($0) } ?? .percent(nil)]
    values += [row.verdict.rawValue, row.cut, row.segment, row.aliases, row.part].map { .text($0) }
    values += [.count(row.before.units), .count(row.now.units)]
    let wholes = row.wholes ?? (whole.before.units, whole.now.units)
    values += [
      .plainShare(row.before.units, of: wholes.before), .plainShare(row.now.units, of: wholes.now),
    ]
    let isOfUnits = row.wholes == nil
    let means = (before: isOfUnits ? row.before.mean : nil, now: isOfUnits ? row.now.mean : nil)
    if let money {
      func amount(_ microUnits: Double?) -> ReportValue {
        .money(microUnits.map { Int128($0.rounded(.toNearestOrEven)) }, currency: money.currency)
      }
      values += [amount(means.before), amount(means.now), amount(row.contribution.map { $0 * 1e6 })]
      values += [.number(nil), .number(row.z), .probability(row.p), .text(row.explain)]
      return values
        + [row.before, row.now].map { amount(isOfUnits ? Double($0.sum) : nil) }
    }
    values += [.rate(means.before), .rate(means.now)]
    values.append(isOfSum ? .number(row.contribution) : .rate(row.contribution))
    return values + [.number(units), .number(row.z), .probability(row.p), .text(row.explain)]
  }

  func table() -> Report {
    var report =
      sample
      ?? Report(name: kind.name, title: kind.title, definition: [], parameters: [], asOf: [], columns: [], rows: [])
    let heading = kind.info(of: ReportColumn(question.column, .rate))?.heading ?? question.column
    let verb = compared == nil ? "changed" : "differs"
    let title = isOfMovements ? "\(kind.title): what changed it" : "\(kind.title): where “\(heading)” \(verb)"
    (report.name, report.title) = ("why", armsTitle ?? title)
    report.asOf = asOf
    let search =
      [
        partsDefinition,
        "p_search: how often \(DriverSearch.permutations + 1) random splits of the same units find a segment that stands out "
          + "as much anywhere in the search",
        compared != nil
          ? "a driver says in which users the groups differ, not why"
          : arms.isEmpty
            ? "a driver says where it changed, not why: look at what happened there on these days"
            : "a driver says in which users the arms differ, not why. It is not a verdict: segments were searched",
      ]
    report.definition = sentences + (isOfMovements ? Self.movementDefinition : search) + clauses
    report.parameters.removeAll { ["by", "movement"].contains($0.name) }
    report.parameters +=
      armsParameters + [
        .init(name: "report", value: kind.name), .init(name: "column", value: question.column),
        .init(name: "cut", value: dimensions.map(\.name).joined(separator: ",")),
      ] + (isOfMovements ? [] : [.init(name: "level", value: "\(question.level)")])
    if let before {
      report.parameters += [
        .init(name: "before_from", value: "\(CivilDate(daysSince1970: before.days.lowerBound))"),
        .init(name: "before_to", value: "\(CivilDate(daysSince1970: before.days.upperBound))"),
        .init(name: "ages", value: before.hasEqualAges ? "equal" : "known"),
      ]
    }
    if let week { report.parameters.append(.init(name: "week", value: week)) }
    if let compared { report.parameters.append(.init(name: "compare", value: compared.description)) }
    let rate: ReportColumn.Kind = money == nil ? .rate : .money
    let kinds: [(String, ReportColumn.Kind)] = [
      ("app", .key), ("rank", .count), ("verdict", .text), ("cut", .text), ("segment", .text), ("aliases", .text),
      ("part", .text), ("before_n", .count), ("now_n", .count), ("before_share", .rate), ("now_share", .rate),
      ("before_rate", rate), ("now_rate", rate), ("contribution", money == nil && isOfSum ? .number : rate),
      ("contribution_units", .number), ("z", .number), ("p_search", .number), ("explain", .text),
    ]
    report.columns =
      kinds.map { ReportColumn($0.0, $0.1) }
      + (money == nil ? [] : ["before_amount", "now_amount"].map { ReportColumn($0, .money) })
    if let days {
      report.parameters = report.parameters.map { parameter in
        switch parameter.name {
        case "from": .init(name: "from", value: CivilDate(daysSince1970: days.lowerBound).description)
        case "to": .init(name: "to", value: CivilDate(daysSince1970: days.upperBound).description)
        default: parameter
        }
      }
    }
    report.rows = rows
    report.totals = []
    report.isTooRecent = !recent.isEmpty && recent.count == asOf.count
    report.settledDays = recent.compactMap(\.self).first
    if rows.isEmpty, !sentences.isEmpty {
      // Of several apps, a sentence begins with the name of one, which stays as it is.
      report.emptyNote = sentences.map { sentence in
        (asOf.count > 1 ? sentence : sentence.prefix(1).uppercased() + sentence.dropFirst()) + "."
      }.joined(separator: " ")
    }
    return report
  }
}
