/// Builds metrics in the Prometheus text format 0.0.4.
public struct PrometheusText {
  public enum Kind: String, Sendable {
    case counter
    case gauge
    case histogram
  }

  /// The metrics written so far.
  public private(set) var text = ""

  public init() {}

  /// Starts a metric; its samples follow.
  public mutating func begin(_ name: String, _ kind: Kind, help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  public mutating func add(_ name: String, _ value: some Any, _ labels: KeyValuePairs<String, String> = [:]) {
    let pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(value)\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
