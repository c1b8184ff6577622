extension ReportView {
  /// In the order of the menu.
  public static let all: [ReportView] = [
    ReportView(
      "funnel", title: "Funnel", summary: "From the first paywall impression to payment.", group: .paywalls,
      parameters: .ofReport(.unit, .horizon)),
    ReportView(
      "trials", title: "Trials", summary: "How many trials come to pay, with those that still can.", group: .paywalls,
      parameters: .ofReport()),
    ReportView(
      "savings", title: "Savings", summary: "What the yearly plan saves, as shown and as taken up.", group: .paywalls,
      parameters: .ofReport(without: ["currency"])),
    ReportView(
      "cancellations", title: "Cancellations", summary: "Who ends trials and subscriptions, and when.",
      group: .paywalls, parameters: .ofReport()),
    ReportView(
      "value", title: "Value of a viewer", summary: "What a person who saw the paywall is expected to bring.",
      group: .paywalls,
      parameters: .ofReport(
        .mode("proceeds"), .storeFee,
        ReportParameter(
          "renewal", "Assumed renewal", .text(placeholder: "yearly=0.45"),
          help: "The share that renews a plan each time, where nothing is known of it.", isRepeatable: true),
        .horizon, ReportParameter("pairs", "Pairs", .flag, help: "Pairs of variants, and when they change places."),
        without: ["attribution"])),
    ReportView(
      "revenue", title: "Revenue", summary: "Payments and refunds, each on its own day.", group: .money,
      parameters: .ofReport(.mode("net"), .storeFee)),
    ReportView(
      "mrr", title: "Recurring revenue", summary: "What active subscriptions bring in a month, and how that moves.",
      group: .money,
      parameters: .ofReport(.movement)),
    ReportView(
      "subscriptions", title: "Subscriptions", summary: "Active subscriptions and trials, and who comes and goes.",
      group: .money, parameters: .ofReport(.movement)),
    ReportView(
      "retention", title: "Retention", summary: "How long subscriptions last, by cohorts of first payments.",
      group: .money,
      parameters: .ofReport(
        ReportParameter("by-period", "By payments", .flag, help: "By payments made instead of days."),
        ReportParameter(
          "at", "At", .text(placeholder: "30,90,365"), help: "The days, or payments, that it is told at."))),
    ReportView(
      "ltv", title: "Lifetime value", summary: "What a person brought in, and is predicted to.", group: .money,
      parameters: .ofReport(.mode("net"), .storeFee)),
    ReportView(
      "refunds", title: "Refunds", summary: "Payments that were given back.", group: .money,
      parameters: .ofReport(
        ReportParameter(
          "date", "Day of", .choice(["payment", "refund"]), help: "Whose day counts: that of the payment or the refund."
        ))),
    ReportView(
      "cadence", title: "Cadence", summary: "Outcomes by how often a paywall was seen before.", group: .behaviour,
      parameters: .ofReport(.horizon, without: ["attribution"])),
    ReportView(
      "gates", title: "Gates", summary: "Who met the limits of the free tier, and what followed.", group: .behaviour,
      parameters: .ofReport(.horizon, without: ["attribution"])),
    ReportView(
      "nudges", title: "Nudges", summary: "What follows a trial reminder.", group: .behaviour,
      parameters: .ofReport()),
    ReportView(
      "activity", title: "Activity", summary: "Daily, weekly and monthly active persons by status.",
      group: .behaviour, parameters: .ofReport(without: ["attribution"])),
    ReportView(
      "experiments", title: "Experiments", summary: "The tests that users were exposed to.", group: .experiments,
      parameters: .ofReport(without: ["by", "attribution", "currency"])),
    ReportView(
      "experiment", title: "Readout", summary: "What to do with a test, what it is worth, and how sure that is.",
      group: .experiments,
      parameters: [.name]
        + .ofReport(
          ReportParameter(
            "over-time", "Over time", .flag, help: "The goal by day of data, with its always-valid interval."),
          without: ["attribution", "sort", "limit"])),
    ReportView(
      "health", title: "Health", summary: "How far the data bears the reports.", group: .data,
      parameters: [.app, .sort, .limit]),
    ReportView(
      "quarantine", command: ["quarantine", "list"], title: "Quarantine", summary: "Lines that are no valid event.",
      group: .data, parameters: [.reason, .sort, .limit]),
    ReportView(
      "rates", command: ["rates", "list"], title: "Exchange rates", summary: "The currencies and days with rates.",
      group: .data, parameters: [.sort, .limit]),
  ]
}

extension [ReportParameter] {
  static func ofReport(_ own: ReportParameter..., without: Set<String> = []) -> [ReportParameter] {
    ReportParameter.ofReport(own, without: without)
  }
}
