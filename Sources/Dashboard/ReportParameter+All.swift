extension ReportParameter {
  static let app = ReportParameter(
    "app", "App", .apps, help: "One app; repeatable; all without it.", isRepeatable: true)
  static let from = ReportParameter("from", "From", .day, help: "First cohort day.")
  static let to = ReportParameter("to", "To, exclusive", .day, help: "The day after the last cohort day.")
  static let timeZone = ReportParameter(
    "timezone", "Time zone", .text(placeholder: "UTC"), help: "Where days begin: an IANA name.")
  static let asOf = ReportParameter(
    "as-of", "As of", .instant, help: "Events from this instant on do not exist; each app's newest without it.")
  static let grace = ReportParameter(
    "grace", "Grace, days", .number(placeholder: "3"), help: "Days of grace after a trial or a period.")
  static let attribution = ReportParameter(
    "attribution", "Attribution", .choice(["last", "first", "all"]),
    help: "Which impression of the 7 days before gets the credit.")
  static let by = ReportParameter(
    "by", "Rows by", .dimensions, help: "A list of dimensions, property:NAME among them, or none.")
  static let filter = ReportParameter(
    "where", "Where", .filters, help: "Only units with one of these values, as DIMENSION=VALUE[,VALUE].",
    isRepeatable: true)
  static let currency = ReportParameter(
    "currency", "Currency", .text(placeholder: "USD where every payment has a rate"),
    help: "native, or one currency by the payments' rates.")
  static let horizon = ReportParameter(
    "horizon", "Horizon, days", .number(placeholder: "7 + trial + grace"), help: "Days until a person is matured.")
  static let unit = ReportParameter(
    "unit", "Counted", .choice(["user", "view"]), help: "A person once, or each pair of person and row.")
  static let storeFee = ReportParameter(
    "store-fee", "Store fee", .number(placeholder: "0.15"),
    help: "The commission of payments that record none, for proceeds.")
  static let movement = ReportParameter(
    "movement", "Movement", .flag, help: "What came and went between the start and the end of each period.")
  static let name = ReportParameter(
    "name", "Experiment", .text(placeholder: ""), help: "The experiment, as events name it.", isPositional: true)
  static let reason = ReportParameter(
    "reason", "Reason", .text(placeholder: "missing:ts"), help: "Only lines with this reason.")
  static let sort = ReportParameter(
    "sort", "Sort by", .text(placeholder: "column:desc"), help: "Order of rows: COLUMN or COLUMN:desc.")
  static let limit = ReportParameter("limit", "Rows at most", .wholeNumber, help: "At most so many rows.")

  static let key = ReportParameter(
    "key", "Row", .text(placeholder: "variant=control"), help: "A key column of the row with its value.",
    isRepeatable: true)
  static let column = ReportParameter(
    "column", "Column", .text(placeholder: "users"), help: "Which number of the row.", isRequired: true)
  static let offset = ReportParameter(
    "offset", "Persons to pass over", .wholeNumber, help: "Pass over so many persons.")
  static let persons = ReportParameter("limit", "Persons at most", .wholeNumber, help: "At most so many persons.")

  static func mode(_ standard: String) -> ReportParameter {
    ReportParameter(
      "mode", "Money", .choice([standard] + ["gross", "net", "proceeds"].filter { $0 != standard }),
      help: "gross, net of refunds, or proceeds after tax and commission.")
  }

  /// What every report takes, those of its own before the order and number of rows.
  static func ofReport(_ own: [ReportParameter], without: Set<String> = []) -> [ReportParameter] {
    ([app, from, to, by, filter, asOf, timeZone, attribution, grace, currency] + own + [sort, limit])
      .filter { !without.contains($0.name) }
  }
}
