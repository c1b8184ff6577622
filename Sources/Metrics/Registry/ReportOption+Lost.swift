/// The options of the reports on failed charges and cancellations.
extension ReportOption {
  static let cancelScreens = ReportOption(
    "cancel-screens", "Cancel screens", .text(placeholder: "cancel_offer"), valueName: "list",
    help: "Split rows by which of these entry points the user last saw within an hour of cancelling.",
    expecting: "a list of entry points", isRepeatable: true
  ) { text, request in
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for name in names where !request.options.cancelScreens.contains(name) { request.options.cancelScreens.append(name) }
    return !names.contains("")
  }

  static let graceWhatIf = ReportOption(
    "grace-whatif", "Grace, if it were, days", .number(placeholder: "16"), valueName: "days",
    help: "Count the failed charges that a grace period of this many days would have covered.",
    expecting: "a number of days from 0 to 36525", into: \.options.graceWhatIf, parse: days)
}
