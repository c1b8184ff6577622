/// An error whose description says what is wrong and what to do, so that the program prints it alone. It ends with
/// ``ExitStatus/usage`` unless `Main.status(of:)` says otherwise.
public protocol ReadableError: Error, CustomStringConvertible {}

/// An argument that is well-formed but impossible.
public struct UsageError: ReadableError {
  public var description: String

  public init(_ description: String) { self.description = description }
}
