internal import Synchronization

/// Keeps what a function returned for texts that come again, such as the names of columns.
final class KnownTexts<Value: Sendable>: Sendable {
  private static var most: Int { 20_000 }

  private let values = Mutex<[String: Value]>([:])
  private let function: @Sendable (String) -> Value

  init(_ function: @escaping @Sendable (String) -> Value) { self.function = function }

  func value(of text: String) -> Value {
    if let known = values.withLock({ $0[text] }) { return known }
    let value = function(text)
    values.withLock { values in
      if values.count >= Self.most { values.removeAll() }
      values[text] = value
    }
    return value
  }
}
