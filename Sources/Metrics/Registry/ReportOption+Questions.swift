internal import Lifecycle

/// The options of questions about one number: where it changed, and where it comes from.
extension ReportOption {
  static let drivers = [
    ReportOption(
      "column", "Column", .text(placeholder: "paid_rate"), valueName: "name",
      help:
        "Column that changed (default: paid_rate, revenue, mrr, the report's first share, or the experiment's goal).",
      expecting: "a column"
    ) { $1.drivers?.column = $0 },
    ReportOption(
      "cut", "Dimensions to search", .text(placeholder: "country"), valueName: "dimension[,dimension]",
      help: "Dimensions to search (default: all whose values are known before the outcome).",
      expecting: "dimensions such as country"
    ) { text, request in
      guard try request.drivers?.cut(text) ?? false else { throw NoValue() }
    },
    ReportOption(
      "level", "Level", .choice(DriverQuestion.levels), valueName: "share",
      help: "Accepted risk of a false driver: 0.1, 0.05, 0.01 or 0.001 (default: 0.05).",
      expecting: "0.05, 0.01, 0.1 or 0.001", standard: DriverQuestion.levels[0]
    ) { text, request in
      guard request.drivers?.level(text) ?? false else { throw NoValue() }
    },
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
    guard let attribution = Attribution(rawValue: text), attribution != .all else { throw NoValue() }
    request.options.attribution = attribution
  }

  static let explanation = [
    ReportOption(
      "key", "Row", .text(placeholder: "variant=control"), valueName: "key=value",
      help: "Key column of the row with its value (repeatable).",
      expecting: "a key column with its value, such as variant=anchor", isRepeatable: true
    ) { $1.explained?.keys.append($0) },
    ReportOption(
      "column", "Column", .text(placeholder: "users"), valueName: "name", help: "Number of the row to explain.",
      expecting: "a column", isRequired: true
    ) { $1.explained?.column = $0 },
    ReportOption(
      "offset", "Users to skip", .wholeNumber, valueName: "n", help: "Number of users to skip.",
      expecting: "a whole number, 0 or more"
    ) { text, request in
      guard let offset = count(text) else { throw NoValue() }
      request.explained?.offset = offset
    },
    ReportOption(
      "limit", "Users at most", .wholeNumber, valueName: "n", help: "Maximum number of users.",
      expecting: "a whole number, 0 or more"
    ) { text, request in
      guard let limit = count(text) else { throw NoValue() }
      request.explained?.limit = limit
    },
    ReportOption(
      "user", "User", .text(placeholder: "u-2xkeqbpy"), valueName: "id",
      help: "Show only this user, by any of their ids.",
      expecting: "an id"
    ) { text, request in
      guard !text.isEmpty else { throw NoValue() }
      request.explained?.user = text
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
  }

  /// The options of a vendor's number, which `reconcile` explains.
  static let bridge = [
    ReportOption(
      "vendor", "Vendor", .oneOf(VendorPreset.names), valueName: "name",
      help: "Vendor whose number to explain, such as revenuecat.", expecting: "a vendor"
    ) { text, request in
      _ = try VendorPreset.named(text)
      request.bridge.vendor = text
    },
    ReportOption(
      "metric", "Metric", .oneOf(VendorMetric.allCases.map(\.rawValue)), valueName: "name",
      help: "Metric to explain, such as trial_conversion.",
      expecting: "one of \(VendorMetric.allCases.map(\.rawValue).joined(separator: ", "))"
    ) { text, request in
      guard VendorMetric(rawValue: text) != nil else { throw NoValue() }
      request.bridge.metric = text
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
