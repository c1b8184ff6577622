internal import Lifecycle

/// The options of questions about one number: where it changed, and where it comes from.
extension ReportOption {
  static let drivers = [
    ReportOption(
      "column", "Column", .text(placeholder: "paid_rate"), valueName: "name",
      help:
        "Column that changed (default: paid_rate, revenue, mrr, the report's first share, or the experiment's goal).",
      expecting: "a column"
    ) { text, request in
      request.drivers?.column = text
      return true
    },
    ReportOption(
      "cut", "Dimensions to search", .text(placeholder: "country"), valueName: "dimension[,dimension]",
      help: "Dimensions to search (default: all whose values are known before the outcome).",
      expecting: "dimensions such as country"
    ) { text, request in
      try request.drivers?.cut(text) ?? false
    },
    ReportOption(
      "level", "Level", .choice(DriverQuestion.levels), valueName: "share",
      help: "Accepted risk of a false driver: 0.1, 0.05, 0.01 or 0.001 (default: 0.05).",
      expecting: "0.05, 0.01, 0.1 or 0.001", standard: DriverQuestion.levels[0]
    ) { text, request in request.drivers?.level(text) ?? false },
  ]

  /// Of parts that add up, each unit counts in one segment.
  static let attributionOfParts = ReportOption(
    "attribution", "Attribution", .choice([Attribution.last.rawValue, Attribution.first.rawValue]),
    valueName: "attribution",
    help:
      "Which paywall view in the 7 days before a trial or payment gets the credit: last or first (default: last).",
    expecting: "last or first: with all, a subscription is in several segments, and parts do not add up",
    neutral: Attribution.last.rawValue, standard: Attribution.last.rawValue
  ) { text, request in
    guard let attribution = Attribution(rawValue: text), attribution != .all else { return false }
    request.options.attribution = attribution
    return true
  }

  static let explanation = [
    ReportOption(
      "key", "Row", .text(placeholder: "variant=control"), valueName: "key=value",
      help: "Key column of the row with its value (repeatable).",
      expecting: "a key column with its value, such as variant=anchor", isRepeatable: true
    ) { text, request in
      request.explained?.keys.append(text)
      return true
    },
    ReportOption(
      "column", "Column", .text(placeholder: "users"), valueName: "name", help: "Number of the row to explain.",
      expecting: "a column", isRequired: true
    ) { text, request in
      request.explained?.column = text
      return true
    },
    ReportOption(
      "offset", "Users to skip", .wholeNumber, valueName: "n", help: "Number of users to skip.",
      expecting: "a whole number, 0 or more"
    ) { text, request in
      guard let offset = count(text) else { return false }
      request.explained?.offset = offset
      return true
    },
    ReportOption(
      "limit", "Users at most", .wholeNumber, valueName: "n", help: "Maximum number of users.",
      expecting: "a whole number, 0 or more"
    ) { text, request in
      request.explained?.limit = count(text)
      return request.explained?.limit != nil
    },
    ReportOption(
      "user", "User", .text(placeholder: "u-2xkeqbpy"), valueName: "id",
      help: "Show only this user, by any of their ids.",
      expecting: "an id"
    ) { text, request in
      request.explained?.user = text
      return !text.isEmpty
    },
  ]

  static let define = ReportOption(
    "define", "As defined by", .text(placeholder: "revenuecat-v3"), valueName: "vendor",
    help:
      "Show the number as a vendor defines it, and each rule that differs: \(VendorPreset.names.joined(separator: ", ")).",
    expecting: "a vendor"
  ) { text, request in
    _ = try VendorPreset.named(text, of: "define")
    request.definedBy = text
    return true
  }

  /// The options of a vendor's number, which `reconcile` explains.
  static let bridge = [
    ReportOption(
      "vendor", "Vendor", .oneOf(VendorPreset.names), valueName: "name",
      help: "Vendor whose number to explain, such as revenuecat.", expecting: "a vendor"
    ) { text, request in
      _ = try VendorPreset.named(text)
      request.bridge.vendor = text
      return true
    },
    ReportOption(
      "metric", "Metric", .oneOf(VendorMetric.allCases.map(\.rawValue)), valueName: "name",
      help: "Metric to explain, such as trial_conversion.",
      expecting: "one of \(VendorMetric.allCases.map(\.rawValue).joined(separator: ", "))"
    ) { text, request in
      request.bridge.metric = text
      return VendorMetric(rawValue: text) != nil
    },
    ReportOption(
      "vendor-value", "Their number", .text(placeholder: "34.1"), valueName: "number",
      help: "Number that the vendor shows, such as 34.1.", expecting: "a number", into: \.bridge.number
    ) { $0 },
    ReportOption(
      "step", "Users of a step", .text(placeholder: "base"), valueName: "step",
      help: "List the users affected by this rule, such as base.", expecting: "a step", into: \.bridge.step
    ) { $0 },
    ReportOption(
      "days", "Days followed", .wholeNumber, valueName: "n",
      help:
        "For realized_ltv, conversion_to_paying and initial_conversion: days after a user's first event (default: 30).",
      expecting: "from 1 to 3650", into: \.bridge.days, parse: count),
  ]
}
