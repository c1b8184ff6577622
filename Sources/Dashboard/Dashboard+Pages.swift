internal import Basics
internal import EventModel
internal import Hummingbird
internal import Metrics
internal import Reports

extension Dashboard {
  /// Returns the page for an unknown address.
  func notFound(_ error: HTTPError) async -> Response {
    let facts = (try? await facts()) ?? StoreFacts()
    let asked = error.body ?? ""
    let near = ReportView.all.filter { view in
      let name = asked.split(separator: " ").last.map(String.init) ?? ""
      return !name.isEmpty && (view.name.hasPrefix(name.prefix(4)) || name.hasPrefix(view.name.prefix(4)))
    }.map { (title: $0.title, address: $0.path) }
    let end = asked.hasSuffix("?") ? "" : "."
    let message = asked.isEmpty ? "There is no such page." : "\(asked.prefix(1).uppercased() + asked.dropFirst())\(end)"
    let text = pages.fault(ReportFault(.notFound, message), facts, near: near)
    return Response(Array(text.utf8), type: "text/html; charset=utf-8", status: error.status)
  }

  /// The store's facts that the frame of each page shows, for one version of the store.
  func facts() async throws(ReportFault) -> StoreFacts {
    let version = try? source.version()
    if let version, let facts = known.of(version, { $0.facts }) { return facts }
    let facts = try await workers.made { source, _ throws(ReportFault) in
      do { return try source.facts() } catch { throw ReportFault(.storeUnavailable, "\(error)") }
    }
    if let version { known.of(version) { $0.facts = facts } }
    return facts
  }

  /// The most apps that one overview covers; with more, it covers the first few, to answer within the time limit.
  private static let mostAppsTogether = 1_000

  /// How long an overview whose numbers are there waits for the data-quality checks.
  private static let checkPatience = Duration.milliseconds(250)

  func home(_ query: ViewQuery, _ facts: StoreFacts) async throws(ReportFault) -> Page {
    let names = ["app", "range", "from", "to", "compare", "timezone"]
    for item in query.items where !names.contains(item.name) {
      throw ReportFault(
        .wrongArguments, "The overview has no parameter \(item.name); expected \(names.joined(separator: ", ")).")
    }
    let apps = facts.apps.named(query.values("app"))?.map(\.name) ?? query.values("app")
    let days = try PageDays(query, data: facts.apps.days(of: apps), standard: .last(28))
    guard let comparison = Overview.Comparison(rawValue: query.first("compare") ?? "before") else {
      throw ReportFault(.wrongArguments, "The comparison is \(query.first("compare") ?? ""). Use before, year or off.")
    }
    if !days.data.isEmpty, !days.range.overlaps(days.data) {
      return Page(text: pages.overview(without: days, query, facts))
    }
    let (zone, asked) = (query.first("timezone"), days.days)
    let isPart = apps.isEmpty && facts.apps.count > Self.mostAppsTogether
    let shown = isPart ? facts.apps.prefix(HeadMenus.listed).map(\.name) : apps
    let (version, standing) = (try? source.version(), standing(shown, timeZone: zone))
    let overview = try await workers.made { source, deadline throws(ReportFault) in
      try source.overview(apps: shown, timeZone: zone, days: asked, comparison: comparison, deadline: deadline)
    }
    var reports = HomeReports(overview: overview, standing: try await standing.value.get())
    // They start last: the numbers do not wait for them.
    let isCurrent = (try? source.version()) == version
    let checks = isCurrent ? version.map { known.checks(of: $0, from: source) } : nil
    reports.health = try await checks?.value(until: .now + Self.checkPatience)?.get()
    if shown.isEmpty, isCurrent, let version {
      var counted = facts
      counted.experiments = StoreFacts.Experiment.all(reports.standing.experiments)
      counted.warnings = HomePage(reports, links: pages.links).warnedApps ?? facts.warnings
      known.of(version) { $0.facts = counted }
    }
    return Page(text: pages.home(reports, query, days, facts), isLasting: reports.health != nil)
  }

  private func standing(_ apps: [String], timeZone: String?) -> KnownFacts.Shared<HomeReports.Standing> {
    let timeZone = timeZone ?? ReportOptions().timeZone
    let make = { @Sendable () async -> Result<HomeReports.Standing, ReportFault> in
      do throws(ReportFault) {
        return .success(
          try await workers.made { source, deadline throws(ReportFault) in
            try source.standing(apps: apps, timeZone: timeZone, deadline: deadline)
          })
      } catch {
        return .failure(error)
      }
    }
    guard let version = try? source.version() else { return Task { await make() } }
    return known.standing(apps, timeZone: timeZone, of: version, make)
  }

  func person(_ query: ViewQuery, _ facts: StoreFacts) async throws(ReportFault) -> Page {
    guard let user = query.first("user") else { return Page(text: pages.personForm(query, facts)) }
    let app = query.first("app")
    let timeline = try await workers.made { source, deadline throws(ReportFault) in
      try source.person(user: user, app: app, deadline: deadline)
    }
    guard let timeline else {
      let fault = ReportFault(.notFound, "No app has a user \(ReportMarkup.shown(user)).")
      return Page(text: pages.personForm(query, fault: fault, facts), fault: fault)
    }
    return Page(text: pages.person(timeline, query, facts))
  }

  func explanation(
    _ view: ReportView, of report: ReportView, _ query: ViewQuery, _ facts: StoreFacts
  ) async throws(ReportFault) -> Page {
    do throws(ReportFault) {
      let answer = try await workers.answer(query.request(for: view))
      return Page(text: try pages.explanation(view, of: report, query, answer, facts))
    } catch {
      guard error.kind == .wrongArguments else { throw error }
      return Page(text: try pages.explanation(view, of: report, query, nil, fault: error, facts), fault: error)
    }
  }

  func report(_ view: ReportView, _ query: ViewQuery, _ facts: StoreFacts) async throws(ReportFault) -> Page {
    var request = try inputs(view, query, facts)
    // Without a name there is nothing to read out yet, but a list to choose from.
    if view.parameters.contains(where: { $0.isPositional && query.first($0.name) == nil }) {
      let experiments = try await workers.answer(ReportRequest(.experiments))
      return Page(text: pages.choice(request, experiments: experiments))
    }
    do throws(ReportFault) {
      let answer = try await answer(&request)
      if view.kind == .reconcile, query.first("vendor") == nil, answer.rowCount == 0 {
        return Page(text: pages.vendorForm(request))
      }
      return Page(text: try pages.report(request, answer))
    } catch {
      guard error.kind == .wrongArguments else { throw error }
      return Page(text: pages.report(request, fault: error), fault: error)
    }
  }

  private func inputs(
    _ view: ReportView, _ query: ViewQuery, _ facts: StoreFacts
  ) throws(ReportFault) -> Pages.ReportInputs {
    let days = try PageDays(query, data: facts.apps.days(of: query.values("app")), standard: .all)
    return Pages.ReportInputs(
      view: view, query: query, asked: view.has("from") ? days.query(query) : query.without("columns"),
      days: days, facts: facts)
  }

  /// Makes a report with the filters, marks and comparison of its page.
  private func answer(_ request: inout Pages.ReportInputs) async throws(ReportFault) -> ReportAnswer {
    let (view, query, days) = (request.view, request.query, request.days)
    // A page has the effect over time and the movement of recurring revenue unless it is asked to have none.
    for name in ["over-time", "movement"]
    where view.has(name) && view.kind != .subscriptions && query.first(name) == nil {
      request.asked = request.asked.setting(name, to: ["true"])
    }
    let answer = try await answer(request.asked.request(for: view))
    if case .readout = answer.report {
      request.marks = await facets(query).1
      if let column = query.first("why"), let drivers = view.drivers {
        let question = request.asked.without("by", "pairs", "define").setting("column", to: [column])
        request.drivers = try await workers.answer(question.request(for: drivers)).report.firstTable
      }
    }
    if view.has("where"), view.group != .experiments, case .tables(let tables) = answer.report {
      (request.facets, request.marks) = await facets(query)
      request.comparison = days.comparison(query)
      request.drawn = tables.first.flatMap { drawn($0, request.asked) }
      request.keys = await keys(request)
      request.finer = await finer(request)
      if let comparing = request.comparing {
        request.compared = try await workers.answer(comparing.request(for: view)).report.firstTable
      }
      if let column = query.first("why"), let drivers = view.drivers,
        let comparing = days.compared(request.asked, as: query)
      {
        var question = try comparing.without("by", "movement").setting("column", to: [column]).request(for: drivers)
        question.drivers?.notes = settings.notes
        request.drivers = try await workers.answer(question).report.firstTable
      }
      // At the same age: as the days before were known when they were as long ago.
      if view.kind.hasChartOverTime, let comparison = request.comparison,
        let asOf = tables.first?.asOf.map(\.asOf).max()
      {
        let known = Instant(millisecondsSince1970: asOf - Int64(comparison.shift) * 86_400_000)
        let earlier = (request.drawn ?? request.asked).of(comparison.before).without("sort", "limit")
          .setting("as-of", to: [known.description])
        if case .tables(let before) = try await self.answer(earlier.request(for: view)).report {
          request.comparison?.tables = before
        }
      }
    }
    return answer
  }

  /// A chart of a report's page as a file.
  func chart(_ name: String, _ query: String) async -> StoredAnswer {
    await cache.answer(to: "/reports/\(name)/chart?\(query)", of: try? source.version(), isCurrent: true) {
      do throws(ReportFault) {
        guard let view = ReportView.named(name) else { throw ReportFault(.notFound, "There is no report \(name).") }
        let all = try ViewQuery(query)
        var request = try inputs(view, all.without("chart"), try await facts())
        let answer = try await answer(&request)
        let charts = answer.report.charts(pages.look(request, answer))
        guard let chart = charts.first(where: { $0.name == all.first("chart") }),
          let text = chart.svg(source: answer.report.source)
        else { throw ReportFault(.notFound, "The page of \(view.title) has no such chart.") }
        return StoredAnswer(
          bytes: Array(text.utf8), type: "image/svg+xml; charset=utf-8", fileName: "\(view.name)-\(chart.name).svg")
      } catch {
        return await failed(error, "chart")
      }
    }
  }

  private func failed(_ fault: ReportFault, _ path: String) async -> StoredAnswer {
    log(fault, path)
    return StoredAnswer(
      bytes: Array(pages.fault(fault, (try? await facts()) ?? StoreFacts()).utf8), type: "text/html; charset=utf-8",
      status: fault.status, isLasting: false)
  }

  /// A report's tables: those asked for, and a second one where the page has it; experiments with their verdicts.
  private func answer(_ asked: ReportRequest) async throws(ReportFault) -> ReportAnswer {
    let answers = try await workers.answers(asked) { first in
      guard let by = Self.second[asked.kind], asked.options.by == nil else { return [] }
      var more = asked
      let isPair = asked.kind == .funnel && first.firstTable?.hasVariantPair ?? false
      (more.options.by, more.sort) = (by + (isPair ? [.variant] : []), nil)
      return [more]
    }
    var answer = answers[0]
    guard case .tables(let tables) = answer.report else { return answer }
    if answers.count > 1, case .tables(let others) = answers[1].report { answer.report = .tables(tables + others) }
    if asked.kind == .experiments, let list = tables.first {
      let apps = try await facts().apps.named(asked.options.apps)?.map(\.name) ?? asked.options.apps
      let standing = try await standing(apps, timeZone: asked.options.timeZone).value.get()
      answer.report = .tables([experimentOverview(list, standing.readouts)])
    }
    return answer
  }

  /// The default dimensions of the rows of a second table.
  private static let second: [ReportKind: [Dimension]] = [.funnel: [.entryPoint], .retention: [.month, .plan]]

  /// The values that a report can be narrowed to, and what happened on days; of the apps asked for, in all of their time.
  private func facets(_ query: ViewQuery) async -> ([Facet], [TimeMark]) {
    let apps = query.values("app")
    let version = try? source.version()
    if let version, let facets = known.of(version, { $0.facets[apps] }) { return facets }
    let requests = Facet.dimensions.map { dimension in
      var request = ReportRequest(.funnel)
      request.options.apps = apps
      request.options.by = dimension == .appVersion ? [.appVersion, .day] : [dimension]
      return request
    }
    var experiments = ReportRequest(.experiments)
    experiments.options.apps = apps
    guard
      let tables = try? await workers.answers(experiments, and: { _ in requests }).map(\.report.firstTable),
      tables.dropFirst().allSatisfy({ $0 != nil })
    else { return ([], TimeMark.all(versions: nil, experiments: nil, notes: settings.notes)) }
    let facets = zip(Facet.dimensions, tables.dropFirst()).compactMap { dimension, table in
      table.map { Facet(dimension, $0) }
    }
    let marks = TimeMark.all(
      versions: zip(Facet.dimensions, tables.dropFirst()).first { $0.0 == .appVersion }?.1, experiments: tables[0],
      notes: settings.notes)
    if let version { known.of(version) { $0.facets[apps] = (facets, marks) } }
    return (facets, marks)
  }

  /// A readout to share.
  func memo(_ query: String) async -> StoredAnswer {
    await cache.answer(to: "/reports/experiment/memo?\(query)", of: try? source.version(), isCurrent: true) {
      do throws(ReportFault) {
        guard let view = ReportView.named("experiment") else { throw ReportFault(.notFound, "There is no memo.") }
        let all = try ViewQuery(query)
        let asked = all.without("format").ofReport.setting("over-time", to: ["true"])
        guard let format = Memo.Format(rawValue: all.first("format") ?? "html") else {
          throw ReportFault(.wrongArguments, "The format is \(all.first("format") ?? ""). Use html, markdown or slack.")
        }
        let answer = try await workers.answer(asked.request(for: view))
        guard case .readout(let report) = answer.report else { throw ReportFault(.notFound, "There is no memo.") }
        let filters = all.values("where").flatMap { ["--where", $0] }
        let words = ["tollgate", "experiment", report.experiment] + filters + ["--memo", format.rawValue]
        let command = "\(CommandLineText(words))"
        let memo = Memo(format: format, version: settings.version, command: command)
        let text = memo.text(report, links: pages.links)
        return StoredAnswer(
          bytes: Array(text.utf8), type: format == .html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8")
      } catch {
        return await failed(error, "memo")
      }
    }
  }
}
