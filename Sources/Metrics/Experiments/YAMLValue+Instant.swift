public import Basics
internal import EventModel

extension YAMLValue {
  /// Returns an instant; a day stands for its first instant in UTC.
  public func instant() throws(ConfigurationError) -> Int64 {
    let text = try text()
    guard let instant = Instant(rfc3339: text) ?? CivilDate(text).map(Instant.init(startOf:)) else {
      throw failure("is \(text), but must be a day such as 2026-03-01 or an instant such as 2026-03-01T00:00:00Z")
    }
    return instant.millisecondsSince1970
  }

  /// Returns the value of the only key of a file, by whose members things are named.
  static func named(_ key: String, in text: String, file: String) throws(ConfigurationError) -> YAMLValue {
    let root = try root(of: text, file: file)
    guard let value = try root.members([key])[key] else {
      throw root.failure("has no \(key); expected `\(key):` with the name of each \(key.dropLast())")
    }
    return value
  }
}
