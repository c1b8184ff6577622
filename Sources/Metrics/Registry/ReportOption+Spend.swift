/// The options of the reports on spend, cancellations and failed charges.
extension ReportOption {
  static let spendBy = ReportOption(
    "by", "Rows by", .text(placeholder: "campaign"), valueName: "dims",
    help:
      "Dimensions to split rows by: none, or any of source, campaign, ad_group, country, platform, day, week, month, quarter, year (default: none).",
    expecting: "a list of source, campaign, ad_group, country, platform and a period", isRepeatable: true
  ) { text, request in
    var list = request.options.by ?? []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) where name != "none" {
      let dimension: Dimension
      if Payback.properties.contains(String(name)) {
        dimension = .property(String(name))
      } else if let known = try? Dimension(name: String(name)), Payback.isOfSpend(known) {
        dimension = known
      } else {
        throw NoValue()
      }
      if list.contains(dimension) { throw ReportError.repeatedDimension(String(name)) }
      list.append(dimension)
    }
    request.options.by = list
  }

  static let spendAt = ReportOption(
    "at", "At", .text(placeholder: "7,30,90,365"), valueName: "list",
    help: "Days after a user's first event, such as 30,90 (default: 7,30,90,365).",
    expecting: "whole numbers from 1, such as 30,90", into: \.options.points, parse: points)

  static let campaignProperty = ReportOption(
    "campaign-property", "Campaign property", .text(placeholder: "campaign"), valueName: "name",
    help: "Event property that holds a user's campaign (default: campaign).", expecting: "a property",
    standard: "campaign"
  ) { text, request in
    guard !text.isEmpty else { throw NoValue() }
    request.options.campaignProperty = text
  }

  static let predict = ReportOption(
    "predict", "Predict", help: "Add the payments expected from active subscriptions, and the break-even day with them."
  ) { $0.options.predictsPayback = true }

  static let cancelScreens = ReportOption(
    "cancel-screens", "Cancel screens", .text(placeholder: "cancel_offer"), valueName: "list",
    help: "Split rows by the last of these entry points that the user saw within an hour of cancelling.",
    expecting: "a list of entry points", isRepeatable: true
  ) { text, request in
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !names.contains("") else { throw NoValue() }
    for name in names where !request.options.cancelScreens.contains(name) { request.options.cancelScreens.append(name) }
  }

  static let graceWhatIf = ReportOption(
    "grace-whatif", "What-if grace, days", .number(placeholder: "16"), valueName: "days",
    help: "Count the failed charges that a grace period of this many days would have covered.",
    expecting: "a number of days from 0 to 36525", into: \.options.graceWhatIf, parse: days)
}
