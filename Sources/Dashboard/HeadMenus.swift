internal import EventModel
internal import Metrics
internal import Reports

/// The choices in the head of every page: app, days, comparison. All are links or forms of GET.
struct HeadMenus {
  let query: ViewQuery
  let path: String
  let apps: [DataApp]
  let days: PageDays

  /// The most apps that are listed; a form finds the others.
  static let listed = 50

  var app: Markup {
    let chosen = query.values("app")
    let value = chosen.isEmpty ? "All apps" : chosen.joined(separator: ", ")
    let all = PageMenu.Choice(
      "All apps", query.without("app").link(path), note: "\(apps.count)", isCurrent: chosen.isEmpty)
    var menu = PageMenu(
      "App", value: value,
      [all]
        + apps.prefix(Self.listed).map { app in
          PageMenu.Choice(
            app.name, query.setting("app", to: [app.name]).link(path), note: counted(app.days.count, "day"),
            isCurrent: chosen == [app.name])
        })
    if apps.count > Self.listed {
      menu.more = "<hr>\(appForm(id: "app"))"
    }
    return menu.markup
  }

  /// The form that shows an app by its name.
  func appForm(id: String) -> Markup {
    """
    <form class="tools" action="\(path)">\(hidden(["app"]))<label for="\(id)">Name of one of \(grouped(apps.count)) apps</label>\
    <input id="\(id)" name="app" required><button class="btn">Show</button></form>
    """
  }

  /// Returns the query as hidden fields of a form, without the items that the form has itself.
  private func hidden(_ own: Set<String>) -> [Markup] {
    query.items.filter { !own.contains($0.name) }.map { item in
      "<input type=\"hidden\" name=\"\(literal: item.name)\" value=\"\(literal: item.value)\">"
    }
  }

  /// Returns the address of this page for other days.
  private func link(range word: String) -> String {
    query.without("from", "to").setting("range", to: [word]).link(path)
  }

  var presets: Markup {
    pageSegments(
      "Range",
      PageDays.presets.map { preset in
        var note = preset.note
        if case .last(let count) = preset.days, count > days.data.count {
          note = counted(days.data.count, "day") + " of data"
        }
        return PageMenu.Choice(preset.title, link(range: preset.word), note: note, isCurrent: preset.word == days.word)
      })
  }

  var dates: Markup {
    let range = days.range
    let hidden = hidden(["from", "to", "range", "timezone"])
    let fixed = query.without("range").of(range).link(path)
    // Days of another year than the newest, and a preset that is longer than the data, say so.
    let years = [range.last ?? 0, days.data.last ?? 0].map { PageDays.text($0).prefix(4) }
    var value = shortDays(range, hasYear: years[0] != years[1])
    if case .last(let count) = days.days, count > days.data.count, days.word != nil {
      value += ", \(counted(days.data.count, "day")) of data"
    }
    var menu = PageMenu("", value: value, [.init("Link with these dates", fixed)])
    menu.more = """
      <hr><form action="\(path)">\(hidden)<label for="from">From</label>\
      <input id="from" name="from" type="date" value="\(PageDays.text(range.lowerBound))">\
      <label for="to">To (not included)</label>\
      <input id="to" name="to" type="date" value="\(PageDays.text(range.upperBound))">\
      <label for="timezone">Time zone of days</label>\
      <input id="timezone" name="timezone" value="\(literal: query.first("timezone") ?? "")" placeholder="UTC">\
      <button class="btn">Show</button></form>
      """
    return menu.markup
  }

  /// - Parameters:
  ///   - standard: What holds where the address says nothing.
  ///   - isOfReport: Whether the page's report has `--compare`, whose words hold too.
  ///   - compared: The days that the report compares, in words.
  func compare(standard: Overview.Comparison, isOfReport: Bool = false, days compared: String? = nil) -> Markup {
    let word = query.first("compare")
    // `nil` for a word of `--compare`.
    let now = word == nil ? standard : word.flatMap(Overview.Comparison.init)
    func range(_ comparison: Overview.Comparison) -> Range<Int>? {
      comparison.range(for: days.range, in: days.data, asked: days.days)
    }
    func note(_ comparison: Overview.Comparison) -> String {
      comparison == .off ? "" : range(comparison).map { shortDays($0) } ?? "no data"
    }
    let count = days.range.count
    let titles: [(Overview.Comparison, String)] = [
      (.before, count == 1 ? "The day before" : "The \(count) days before"), (.yearAgo, "The same days a year ago"),
      (.off, "Off"),
    ]
    var choices = titles.map { comparison, title in
      PageMenu.Choice(
        title, query.setting("compare", to: comparison == standard ? [] : [comparison.rawValue]).link(path),
        note: note(comparison), isCurrent: comparison == now)
    }
    if isOfReport, days.word == "all" || now == nil {
      let title = days.word == "all" ? "The last full week with the week before" : "The period before"
      choices.insert(
        PageMenu.Choice(
          title, query.setting("compare", to: ["previous"]).link(path), note: "", isCurrent: word == "previous"), at: 0)
    }
    let value = now.map { now in range(now).map { shortDays($0) } ?? (now == .off ? "off" : "no data") }
    return PageMenu("Compare", value: value ?? (word == "previous" ? compared ?? "before" : word ?? ""), choices).markup
  }
}

/// A period of a report as two days of an address.
struct PeriodDays {
  let first: String
  let end: String

  init?(_ key: String, of dimension: String) {
    guard let period = Dimension.period(dimension), let date = period.firstDay(ofPeriod: key) else { return nil }
    (first, end) = (date.description, period.next(date).description)
  }
}

extension Report {
  /// The days that a comparison is of, such as `16 Feb to 22 Feb with 9 Feb to 15 Feb`; `nil` where apps have different
  /// days.
  var comparedDays: String? {
    func days(_ side: String, _ row: [ReportValue]) -> String? {
      let ends = ["\(side)_from", "\(side)_to"].compactMap { name -> Int? in
        guard let place = place(name), case .text(let day) = row[place] else { return nil }
        return CivilDate(day)?.daysSince1970
      }
      return ends.count == 2 && ends[0] < ends[1] ? shortDays(ends[0]..<ends[1]) : nil
    }
    let all = Set(rows.map { [days("now", $0), days("before", $0)] })
    guard all.count == 1, let now = all.first?[0], let before = all.first?[1] else { return nil }
    return "\(now) with \(before)"
  }
}
