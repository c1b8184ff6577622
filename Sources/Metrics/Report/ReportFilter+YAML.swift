internal import Basics

extension ReportOptions.Filter {
  /// Reads a filter on events: a dimension with one value or a list of values.
  ///
  /// - Parameter name: The dimension, such as `entry_point` or `property:screen`.
  init(yaml values: YAMLValue, of name: String) throws(ConfigurationError) {
    guard let dimension = try? Dimension(name: name) else {
      let hint = NearName.hint(name, in: Dimension.plainNames)
      throw values.failure(
        "is not a dimension of an event; expected one such as entry_point, plan or property:NAME\(hint)")
    }
    if dimension == .stage { throw values.failure("cannot be a filter of an event, as it is of payments") }
    if dimension == .renewing { throw values.failure("cannot be a filter of an event, as it is of subscriptions") }
    if dimension.isPeriod { throw values.failure("cannot be a filter of an event, as it is a period") }
    var texts: [String] = []
    for element in try values.elements() { texts.append(dimension.value(try element.text())) }
    self.init(dimension: dimension, values: texts)
  }
}
