/// Why a request has no result.
public enum CalculatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line is no request.
  case malformed(String)
  case unknownMethod(String)
  /// A field of the input is missing or out of range; reads "input.n1 is -3, but must be …".
  case invalid(String)
  /// The method cannot answer this input, though it is in range.
  case unanswerable(String)

  public var description: String {
    switch self {
    case .malformed(let reason): reason
    case .unknownMethod(let name): "method \"\(name)\" is not offered"
    case .invalid(let reason), .unanswerable(let reason): reason
    }
  }
}
