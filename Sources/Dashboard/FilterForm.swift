internal import Metrics
internal import Reports

/// What a page's form has: one field for each parameter of its report, filled with what is asked for.
struct FilterForm {
  /// Each with one of `boxes`, `input` and `choice`.
  let fields: [[String: Any]]

  init(_ view: ReportView, _ query: ViewQuery, apps: [String]) {
    fields = view.parameters.flatMap { Self.fields($0, query.values($0.name), apps: apps) }
  }

  private static func fields(_ parameter: ReportOption, _ values: [String], apps: [String]) -> [[String: Any]] {
    switch parameter.value {
    case .apps:
      let names = apps + values.filter { !apps.contains($0) }
      return names.isEmpty ? [] : [boxes(parameter, names.map { ($0, $0, values.contains($0)) })]
    case .dimensions:
      let chosen = values.flatMap { $0.split(separator: ",").map(String.init) }
      let plain = Dimension.plainNames + ["none"]
      let others = chosen.filter { !plain.contains($0) } + [""]
      return [
        boxes(
          parameter, plain.map { ($0, $0, chosen.contains($0)) },
          others: others.map { other(parameter, "property", $0, placeholder: "property:NAME") })
      ]
    case .filters:
      return [
        boxes(
          parameter, [],
          others: (values + [""]).map { other(parameter, "dimension=value", $0, placeholder: "country=DE,AT") })
      ]
    case .flag:
      let isOn = values.last.map { !["false", "0"].contains($0) } ?? false
      return [boxes(parameter, [("true", "yes", isOn)])]
    case .choice(let names):
      let options = names.enumerated().map { place, name -> [String: Any] in
        ["value": place == 0 ? "" : name, "shown": name, "isChosen": values.last == name]
      }
      return [["choice": base(parameter).merging(["options": options]) { $1 }]]
    case .text(let placeholder) where parameter.isRepeatable:
      return [
        boxes(
          parameter, [],
          others: (values + [""]).map { other(parameter, parameter.label, $0, placeholder: placeholder) })
      ]
    case .text(let placeholder): return [input(parameter, values, type: "text", placeholder: placeholder)]
    case .instant: return [input(parameter, values, type: "text", placeholder: "2026-03-01T00:00:00Z")]
    case .day: return [input(parameter, values, type: "date", placeholder: "")]
    case .number(let placeholder):
      return [input(parameter, values, type: "number", placeholder: placeholder, limits: #" min="0" step="any""#)]
    case .wholeNumber:
      return [input(parameter, values, type: "number", placeholder: "", limits: #" min="0" step="1""#)]
    }
  }

  private static func base(_ parameter: ReportOption) -> [String: Any] {
    [
      "id": "field-\(parameter.name)", "name": parameter.name, "label": parameter.label, "help": parameter.help,
    ]
  }

  private static func input(
    _ parameter: ReportOption, _ values: [String], type: String, placeholder: String, limits: String = ""
  ) -> [String: Any] {
    let own: [String: Any] = [
      "type": type, "value": values.last ?? "", "placeholder": placeholder, "limits": limits,
    ]
    return ["input": base(parameter).merging(own) { $1 }]
  }

  private static func boxes(
    _ parameter: ReportOption, _ options: [(value: String, shown: String, isChosen: Bool)],
    others: [[String: Any]] = []
  ) -> [String: Any] {
    let list = options.map { option -> [String: Any] in
      [
        "name": parameter.name, "value": option.value, "shown": ReportMarkup.shown(option.shown),
        "isChosen": option.isChosen,
      ]
    }
    return ["boxes": base(parameter).merging(["options": list, "others": others]) { $1 }]
  }

  private static func other(
    _ parameter: ReportOption, _ label: String, _ value: String, placeholder: String
  ) -> [String: Any] {
    ["name": parameter.name, "label": label, "value": value, "placeholder": placeholder]
  }
}
