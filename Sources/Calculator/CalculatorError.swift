/// The reason why a request has no result.
public enum CalculatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line is not a valid request.
  case malformed(String)
  case unknownMethod(String)
  /// A field of the input is missing or out of range: "input.n1 is -3, but must be …".
  case invalid(String)
  /// The method has no answer for this input, although it is in range.
  case unanswerable(String)

  public var description: String {
    switch self {
    case .malformed(let reason): reason
    case .unknownMethod(let name): "method \"\(name)\" is unknown; `tollgate calc --help` lists the methods"
    case .invalid(let reason), .unanswerable(let reason): reason
    }
  }
}
