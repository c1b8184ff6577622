import ArgumentParser
import Metrics

/// Keys of a row with their values, such as `variant=anchor,entry_point=settings`.
struct CellArgument: ExpressibleByArgument {
  /// One key column with its value: the longest name that it begins with, as a property's name may have an `=`, too.
  static func whole(_ text: String, by dimensions: [Dimension]) throws -> (name: String, value: String) {
    let known = others + dimensions.map(\.name)
    if let name = known.filter({ text.utf8.starts(with: "\($0)=".utf8) }).max(by: { $0.utf8.count < $1.utf8.count }) {
      return (name, String(text.utf8.dropFirst(name.utf8.count + 1)) ?? "")
    }
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), let name = String(text.utf8[..<equals]),
      let dimension = try? Dimension(name: name)
    else { throw UsageError("--key is \(text), but must be a key column with its value, such as variant=anchor") }
    return (dimension.name, String(text.utf8[text.utf8.index(after: equals)...]) ?? "")
  }

  /// Key columns that are no dimensions.
  private static let others = ["app", "check", "currency", "split", "range", "gate", "status", "hours_before_end"]

  var keys: [(name: String, value: String)]

  init?(argument: String) {
    keys = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let equals = part.firstIndex(of: "=")
      let name = equals.map { String(part[..<$0]) } ?? ""
      if let equals, Self.others.contains(name) || (try? Dimension(name: name)) != nil {
        keys.append((name, String(part[part.index(after: equals)...])))
      } else if keys.isEmpty {
        return nil
      } else {
        // A comma of the value before.
        keys[keys.count - 1].value += ",\(part)"
      }
    }
  }
}
